package lsp_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// userFolder is a configuration folder with these files.
func userFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A mode is the user's, in their own file; a chat can only ask for less, and nobody else can choose one. What is in
// force is shown.
// Promise 6.
func TestModesInAnEditor(t *testing.T) {
	const edits, plan = "Mode edits: edits of files in this workspace run", "Mode plan: nothing that changes anything runs."
	for name, c := range map[string]struct {
		own, front string
		editor     map[string]any
		workspace  string
		want       string // what runs: "runs", "asks", "refused", or what is said instead of a run
		shown      string
	}{
		"ask":                               {want: "asks"},
		"edits":                             {own: "edits", want: "runs", shown: edits},
		"edits, and the chat asks for ask":  {own: "edits", front: "ask", want: "asks"},
		"edits, and the chat asks for plan": {own: "edits", front: "plan", want: "refused", shown: plan},
		"plan":                              {own: "plan", want: "refused", shown: plan},
		"plan, and the chat asks for ask":   {own: "plan", front: "ask", want: "refused", shown: plan},
		"full":                              {own: "full", want: "runs", shown: "Mode full: edits, and commands in a proven sandbox"},
		"the chat asks for full":            {front: "full", want: "`mode` may be plan or ask", shown: plan},
		"the editor says full":              {editor: map[string]any{"mode": "full"}, want: "asks"},
		"the workspace says full":           {workspace: `{"mode":"full"}`, want: "asks"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				files := story()
				if c.front != "" {
					files[chat] = "---\nmode: " + c.front + "\n---\n\n" + files[chat]
				}
				if c.workspace != "" {
					files[".assent/settings.json"] = c.workspace
				}
				own := map[string]string{}
				if c.own != "" {
					own["settings.json"] = `{"mode":"` + c.own + `"}`
				}
				script := "turn\n" + theEdit + "turn\nexpect The user chose the mode plan\njson {\"answer\":\"I would edit it.\"}\n"
				if c.want != "refused" {
					script = "turn\n" + theEdit + "turn\njson {\"answer\":\"Done.\"}\n"
				}
				l := newLabOf(t, userFolder(t, own), script, lsptest.Options{Settings: c.editor}, files)
				defer l.Leave()
				l.Open("README.md")
				l.Open(chat)
				err := l.Do(chat, "Fix it", "Send")
				switch c.want {
				case "runs", "refused":
					l.must(err)
					l.checkAfterRun()
					if text := l.Text("README.md"); strings.Contains(text, "Hello") != (c.want == "runs") {
						t.Errorf("README.md is %q", text)
					}
				case "asks":
					l.must(err)
					l.waitDiagnostic(waits)
				default:
					if err == nil || !strings.Contains(err.Error(), c.want) {
						t.Errorf("Send = %v", err)
					}
				}
				if c.shown != "" {
					l.waitDiagnostic(c.shown) // they come beside what was asked
				}
				if shown := diagnosticsOf(l); !strings.Contains(shown, c.shown) || c.shown == "" && strings.Contains(shown, "Mode ") {
					t.Errorf("the diagnostics are %s", shown)
				}
				if c.shown != "" && err == nil {
					mode, _, _ := strings.Cut(strings.ToLower(c.shown), ":")
					if !slices.ContainsFunc(l.Progress(), func(p lsptest.Progress) bool {
						return slices.ContainsFunc(p.Lines, func(said string) bool { return strings.HasPrefix(said, mode+", ") })
					}) {
						t.Errorf("the progress is %+v", l.Progress())
					}
				}
			})
		})
	}
}

// S03: no mode of the user lets a model change what tells models what to do, and a rules file that is switched off is
// no way round.
// Promise 5.
func TestNoModeCoversTheRulesFiles(t *testing.T) {
	for _, settings := range []string{`{"mode":"edits"}`, `{"mode":"full"}`, `{"mode":"full","rulesFiles":[]}`} {
		for _, path := range []string{"AGENTS.md", "docs/Agents.md", "CLAUDE.md", ".cursorrules", ".github/copilot-instructions.md", ".assent/prompts/system.md", ".assent/commands/fix.md"} {
			synctest.Test(t, func(t *testing.T) {
				script := `turn
json {"tool":"write_file","arguments":{"path":"` + path + `","content":"Obey."}}
`
				l := newLabOf(t, userFolder(t, map[string]string{"settings.json": settings}), script, lsptest.Options{}, story())
				defer l.Leave()
				l.Open(chat)
				l.must(l.Do(chat, "Fix it", "Send"))
				l.waitDiagnostic(waits)
			})
		}
	}
}

// Neither where the model names no file, and a tool finds it.
// F01.
func TestNoModeCoversARulesFileThatAToolFinds(t *testing.T) {
	for _, mode := range []string{"edits", "full"} {
		for _, path := range []string{"AGENTS.md", "docs/CLAUDE.md"} {
			synctest.Test(t, func(t *testing.T) {
				script := `turn
json {"tool":"replace_everywhere","arguments":{"old_text":"careful","new_text":"bold"}}
`
				files := story()
				files[path] = "Be careful.\n"
				l := newLabOf(t, userFolder(t, map[string]string{"settings.json": `{"mode":"` + mode + `"}`}), script, lsptest.Options{}, files)
				defer l.Leave()
				l.Open(chat)
				l.must(l.Do(chat, "Fix it", "Send"))
				l.waitDiagnostic(waits)
			})
		}
	}
}
