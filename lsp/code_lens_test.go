package lsp_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// lensing is an editor that shows lenses, and can be told to ask for them again.
func lensing() map[string]any {
	return map[string]any{
		"window":       map[string]any{"workDoneProgress": true, "showDocument": map[string]bool{"support": true}},
		"workspace":    map[string]any{"applyEdit": true, "workspaceEdit": map[string]any{"documentChanges": true}, "codeLens": map[string]bool{"refreshSupport": true}},
		"textDocument": map[string]any{"publishDiagnostics": map[string]bool{"versionSupport": true}},
	}
}

func (l *lab) lenses() (list []protocol.CodeLens, shown string) {
	l.T.Helper()
	l.Ask("textDocument/codeLens", chat, "", &list)
	for _, lens := range list {
		shown += fmt.Sprintf("%d %s\n", lens.Range.Start.Line, lens.Command.Title)
		if lens.Range.Start.Line != lens.Range.End.Line {
			l.T.Errorf("%q is on several lines", lens.Command.Title)
		}
	}
	return list, shown
}

// A lens above a call that waits shows it first; those that answer are those of the menu, never alone, and count once.
func TestLensesOfAChat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\n"+theEdit+"turn\njson {\"answer\":\"Done.\"}\n", lsptest.Options{Capabilities: lensing()}, story())
		defer l.Leave()
		l.Open(chat)
		l.Open("README.md")
		expect := func(want string) []protocol.CodeLens {
			t.Helper()
			synctest.Wait()
			list, got := l.lenses()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s\n%s", diff, l.Text(chat))
			}
			return list
		}
		send := expect("0 Send\n")
		_, err := l.Execute(send[0].Command.Command, send[0].Command.Arguments...)
		l.must(err)
		l.waitDiagnostic(waits)
		refreshed := len(l.Editor.Own("workspace/codeLens/refresh"))
		if refreshed == 0 {
			t.Error("the editor was not told that there are other lenses")
		}
		list := expect("17 Show what would happen\n17 Approve once: edit README.md\n17 Deny\n15 Stop\n")
		menu := l.CodeActions(chat, "edit_file c1")
		for _, lens := range list[:3] {
			found := false
			for _, a := range menu {
				found = found || a.Command != nil && reflect.DeepEqual(a.Command, lens.Command)
			}
			if !found {
				t.Errorf("the menu does not have %+v", lens.Command)
			}
		}
		approve := list[1].Command
		_, err = l.Execute(approve.Command, approve.Arguments...)
		l.must(err)
		l.WaitText(chat, "Done.")
		l.WaitIdle()
		if _, err := l.Execute(approve.Command, approve.Arguments...); err == nil {
			t.Error("a lens answered twice")
		}
		if text := l.Text("README.md"); !strings.Contains(text, "Hello") {
			t.Errorf("got %q", text)
		}
		expect("4 Retry\n33 Send\n")
		if len(l.Editor.Own("workspace/codeLens/refresh")) <= refreshed {
			t.Error("the editor was not told at the end")
		}
		var none []protocol.CodeLens
		l.Ask("textDocument/codeLens", "README.md", "", &none)
		if none != nil {
			t.Errorf("a file has the lenses %v", none)
		}
	})
}

// An editor that asks again when it is told to, and when the text changed, never shows old lenses; and Stop is on
// no line on which something begins a run: a click may come late.
func TestLensesAreNeverOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\n"+theEdit+"turn\njson {\"answer\":\"Done.\"}\nturn\nhang\n", lsptest.Options{Capabilities: lensing()}, story())
		defer l.Leave()
		l.Open(chat)
		l.Open("README.md")
		var shown, text string
		told := -1
		ask := func() string {
			list, fresh := l.lenses()
			for _, lens := range list {
				line := strings.Split(l.Text(chat), "\n")[lens.Range.Start.Line]
				begins := lens.Command.Title == "Send" || lens.Command.Title == "Retry"
				if begins && line != "## You" || lens.Command.Title == "Stop" && line == "## You" {
					t.Errorf("%s is above %q", lens.Command.Title, line)
				}
			}
			return fresh
		}
		follow := func(want string) {
			t.Helper()
			for range 1000 {
				synctest.Wait()
				if now := len(l.Editor.Own("workspace/codeLens/refresh")); now != told || l.Text(chat) != text {
					told, text = now, l.Text(chat)
					shown = ask()
				}
				<-time.After(time.Millisecond)
			}
			if fresh := ask(); shown != fresh || !strings.Contains(fresh, want) {
				t.Errorf("the editor shows\n%s\nand there are\n%s\nwith %q\n%s", shown, fresh, want, l.Text(chat))
			}
		}
		follow("Send")
		l.must(l.Do(chat, "Fix it", "Send"))
		follow("Approve once")
		l.must(l.Do(chat, "edit_file c1", "Approve once"))
		follow("Retry")
		l.Replace(chat, "Done.", "")
		follow("Retry")
		l.must(l.Do(chat, "result c1", "Resume: go on with this reply"))
		follow("Stop")
		_, err := l.Execute("assent.stop")
		l.must(err)
		follow("Send")
	})
}

// While a call runs that a person wrote, Stop is in it, and the editor is told of both ends.
func TestLensesOfAWrittenCall(t *testing.T) {
	l := newLab(t, "turn\nhang\n", lsptest.Options{Capabilities: lensing()}, map[string]string{chat: "## You\n\n```tool run_command\ncommand: echo begun; sleep 1000\n```\n"})
	defer l.Leave()
	l.Open(chat)
	told := 0
	tells := func(want string) {
		t.Helper()
		l.WaitFor(want, func() bool {
			now := len(l.Editor.Own("workspace/codeLens/refresh"))
			_, shown := l.lenses()
			is := now > told && shown == want
			if is {
				told = now
			}
			return is
		})
	}
	tells("0 Send\n")
	l.must(l.Do(chat, "sleep", "Approve once"))
	tells("4 Stop\n")
	l.WaitFor("the process", func() bool { // before it, there is nothing to show for a call that is stopped
		all := l.Progress()
		return len(all) > 0 && strings.Contains(all[len(all)-1].Last, "begun")
	})
	l.must(l.Do(chat, "sleep", "Stop"))
	l.WaitText(chat, "[Stopped")
	tells("0 Send\n")
}

// An editor that never answers to a refresh is asked again only when the answer is no longer waited for.
func TestOneRefreshOfLensesIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn repeat\nhang\n", lsptest.Options{Capabilities: lensing(), Quiet: "workspace/codeLens/refresh"}, map[string]string{chat: "## You\n\nHi\n"})
		defer l.Leave()
		l.Open(chat)
		began := time.Now()
		for _, title := range []string{"Send", "Retry", "Retry", "Retry", "Retry", "Retry", "Retry", "Retry"} {
			synctest.Wait()
			l.must(l.Do(chat, "Hi", title))
			<-time.After(100 * time.Millisecond)
			_, err := l.Execute("assent.stop")
			l.must(err)
			<-time.After(300 * time.Millisecond)
			l.WaitIdle()
		}
		asked, most := len(l.Editor.Own("workspace/codeLens/refresh")), int(time.Since(began)/(2*time.Second))+1
		if asked < 2 || asked > most {
			t.Errorf("%d requests in %v", asked, time.Since(began))
		}
	})
}

// Where an editor can register for chats alone, what concerns chats alone is registered so, and not declared for all
// files.
func TestOnlyChatsAreRegistered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		caps := lensing()
		can := map[string]any{"dynamicRegistration": true, "prepareSupport": true}
		caps["textDocument"] = map[string]any{"rename": can, "codeLens": can, "semanticTokens": map[string]any{
			"dynamicRegistration": true, "requests": map[string]any{"full": map[string]bool{"delta": true}}, "tokenTypes": []string{"function", "class", "unknown"},
		}}
		caps["workspace"] = map[string]any{"didChangeConfiguration": map[string]bool{"dynamicRegistration": true}}
		l := newLab(t, "turn\nhang\n", lsptest.Options{Capabilities: caps}, story())
		defer l.Leave()
		synctest.Wait()
		var asked struct {
			Registrations []struct {
				Method          string
				RegisterOptions struct {
					DocumentSelector []struct{ Pattern string }
					Legend           struct{ TokenTypes []string }
				}
			}
		}
		all := l.Editor.Own("client/registerCapability")
		if len(all) != 2 || strings.Count(string(all[0]), "method") != 1 || !strings.Contains(string(all[0]), "workspace/didChangeConfiguration") {
			t.Fatalf("the requests are %s", all)
		}
		l.must(json.Unmarshal(all[1], &asked))
		var got []string
		for _, r := range asked.Registrations {
			pattern := ""
			for _, s := range r.RegisterOptions.DocumentSelector {
				pattern += s.Pattern
			}
			got = append(got, strings.TrimSpace(r.Method+" "+pattern+" "+strings.Join(r.RegisterOptions.Legend.TokenTypes, ",")))
		}
		want := []string{"textDocument/rename **/*.chat.md", "textDocument/codeLens **/*.chat.md", "textDocument/semanticTokens **/*.chat.md class,function"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		for _, name := range []string{"renameProvider", "codeLensProvider", "semanticTokensProvider"} {
			if strings.Contains(string(l.Editor.Introduction()), name) {
				t.Errorf("%s is declared for all files, too", name)
			}
		}
	})
}

// The parts of a chat are coloured where they are, in the editor's units, by types that it shows.
func TestTokensOfAChat(t *testing.T) {
	const text = "---\nmodel: m\n---\n\n## You\n\n/explain 😀 @\"my 😀.go\":1-2 and @b.go `@c.go`\n\n~~~context 😀\n@no.go\n~~~\n\n## Assistant\n\n```thinking\n@Hm 😀\n\nso\n```\n\n" +
		"```tool read_file c1\npath: x\n```\n\n```result c1 ok\n@no\n```\n\n@none\n\n## You\n\n```reason c1\nno\n```\n"
	types := []string{"class", "function", "string", "comment", "namespace", "parameter", "variable", "macro"}
	want := `class ## You
macro /explain
variable @"my 😀.go":1-2
variable @b.go
namespace ~~~context 😀
class ## Assistant
comment ` + "```thinking" + `
comment @Hm 😀
comment so
comment ` + "```" + `
function ` + "```tool read_file c1" + `
string ` + "```result c1 ok" + `
class ## You
parameter ` + "```reason c1" + `
`
	for _, encoding := range []string{"utf-8", "utf-16", "utf-32"} {
		for _, end := range []string{"\n", "\r\n"} {
			t.Run(fmt.Sprintf("%s %q", encoding, end), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					caps := lensing()
					caps["general"] = map[string]any{"positionEncodings": []string{encoding}}
					caps["textDocument"] = map[string]any{"semanticTokens": map[string]any{"requests": map[string]any{"full": true}, "tokenTypes": types}}
					l := newLab(t, "turn\nhang\n", lsptest.Options{Capabilities: caps, Encodings: []string{encoding}}, map[string]string{chat: strings.ReplaceAll(text, "\n", end)})
					defer l.Leave()
					l.Open(chat)
					var tokens protocol.SemanticTokens
					l.Ask("textDocument/semanticTokens/full", chat, "", &tokens)
					if got := decodeTokens(t, text, encoding, types, tokens.Data); got != want {
						t.Errorf("(-want +got)\n%s", cmp.Diff(want, got))
					}
				})
			})
		}
	}
}

// decodeTokens reads tokens as an editor does.
func decodeTokens(t *testing.T, text, encoding string, types []string, data []uint32) string {
	t.Helper()
	var b strings.Builder
	lines := strings.Split(text, "\n")
	line, column := 0, 0
	for ; len(data) >= 5; data = data[5:] {
		if data[0] > 0 {
			column = 0
		}
		line, column = line+int(data[0]), column+int(data[1])
		from, to := unit(lines[line], column, encoding), unit(lines[line], column+int(data[2]), encoding)
		fmt.Fprintf(&b, "%s %s\n", types[data[3]], lines[line][from:to])
	}
	return b.String()
}

// unit is the byte offset of a unit of an encoding.
func unit(line string, at int, encoding string) int {
	for i, r := range line {
		if at <= 0 {
			return i
		}
		switch {
		case encoding == "utf-8":
			at -= len(string(r))
		case encoding == "utf-16" && r > 0xFFFF:
			at -= 2
		default:
			at--
		}
	}
	return len(line)
}
