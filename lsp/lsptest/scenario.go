package lsptest

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scenarios")

// Setup starts what a scenario talks to: a server with dir as its workspace folder, and a model that plays script, the
// scenario's part "model" (nil: none). It runs inside a synctest bubble, and nothing of it may outlive Serve.
type Setup func(t *testing.T, dir string, script []byte) Serve

// RunScenarios runs every scenario that the pattern finds, each in a synctest bubble and a folder of its own.
//
// A scenario is a txtar file: first what it shows, in plain words; then the files of the workspace; a part "model" for
// the scripted model; parts "golden/NAME" with what is expected (-update rewrites them); and a part "script" with one
// step a line. Texts with spaces are quoted as in Go. NEEDLE is a text whose last place in the document is meant.
//
//	editor KEY VALUE        before all else: edits (honest, drops, mute, silent, lies, refuses, ignores), encoding, hold, name, settings (JSON)
//	crlf FILE               gives a file on disk CRLF line ends
//	open, close, save, undo FILE
//	type FILE TEXT          at the end
//	replace FILE OLD NEW    OLD occurs once
//	action FILE NEEDLE TITLE          choose an action whose title begins so
//	refused FILE NEEDLE TITLE ERROR   the same, and its command must fail so
//	command NAME [JSON]               and "refused-command NAME JSON ERROR"
//	cancel                  the newest progress
//	pass DURATION           let time go by
//	wait text FILE TEXT, wait diagnostic FILE TEXT, wait action FILE NEEDLE TITLE, wait message TEXT, wait idle
//	wait shown TEXT         in the URI of a file that the server asked to show
//	wait page TEXT, absent-page TEXT   in the text of the newest file that the server asked to show
//	wait progress TEXT      in any message of any progress
//	expect text FILE NAME, expect disk FILE NAME     equals the part golden/NAME; of FILE on disk, $DIR is the workspace folder
//	expect actions FILE NEEDLE NAME, expect diagnostics FILE NAME, expect messages NAME
//	expect progress NAME    all messages of the newest progress; expect shown NAME: the files that the server asked to show
//	expect completion FILE NEEDLE NAME, expect hover FILE NEEDLE NAME: behind NEEDLE; expect links FILE NAME; expect hints FILE NAME: inlay hints; expect outline FILE NAME
//	absent FILE TEXT        TEXT is nowhere in the document
//	missing FILE            it is not on disk
//	restart                 the connection breaks, unless it is gone, and another editor starts another server
//	die                     the connection breaks
//	leave                   the editor leaves properly, which it does at the end of every scenario without one of these
func RunScenarios(t *testing.T, pattern string, setup Setup) {
	t.Helper()
	each(t, pattern, func(t *testing.T, path string) {
		synctest.Test(t, func(t *testing.T) { runScenario(t, path, setup, synctest.Wait) })
	})
}

// RunScenariosByTheClock is RunScenarios outside of a bubble, for those in which a program runs on: time stands still
// in a bubble until it ends. Such a scenario waits for what it expects, and its golden parts have TIME for how long
// things took.
func RunScenariosByTheClock(t *testing.T, pattern string, setup Setup) {
	t.Helper()
	each(t, pattern, func(t *testing.T, path string) { runScenario(t, path, setup, nil) })
}

// took is a time that something took.
var took = regexp.MustCompile(`\b[0-9.]+ ?m?s\b`)

func each(t *testing.T, pattern string, run func(t *testing.T, path string)) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios at %s: %v", pattern, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			run(t, path)
		})
	}
}

// scenario is one running scenario.
type scenario struct {
	env         *Env
	startEditor func() *Env // starts another editor
	archive     *txtar.Archive
	settle      func() // waits until nothing goes on
	byClock     bool   // time is real
}

func runScenario(t *testing.T, path string, setup Setup, settle func()) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := &scenario{archive: archive, settle: settle, byClock: settle == nil}
	if s.byClock {
		s.settle = func() {}
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var model []byte
	var steps [][]string
	for _, f := range archive.Files {
		switch {
		case f.Name == "model":
			model = f.Data
		case f.Name == "script":
			steps = parseScript(t, path, f.Data)
		case strings.HasPrefix(f.Name, "golden/"):
		default:
			file := filepath.Join(dir, filepath.FromSlash(f.Name))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			err := os.WriteFile(file, f.Data, 0o600)
			if err = errors.Join(err, os.Chtimes(file, written, written)); err != nil {
				t.Fatal(err)
			}
		}
	}
	opts, steps := editorOptions(t, steps)
	serve := setup(t, dir, model)
	s.startEditor = func() *Env { return NewEnv(t, serve, dir, opts) }
	s.env = s.startEditor()
	defer func() {
		if !s.env.left {
			s.env.Leave()
		}
	}()
	for _, words := range steps {
		if err := s.step(words); err != nil {
			t.Errorf("%s: %v\n%s", strings.Join(words, " "), err, s.env.Dump())
			return
		}
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil { //nolint:gosec // a file of the repository
			t.Fatal(err)
		}
	}
}

// written is when the files of a scenario were, on every day on which it runs.
var written = time.Date(2026, time.January, 31, 12, 0, 0, 0, time.Local)

// parseScript splits the steps into words.
func parseScript(t *testing.T, path string, data []byte) [][]string {
	t.Helper()
	var steps [][]string
	for n, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words, err := split(line)
		if err != nil {
			t.Fatalf("%s: line %d of the script: %v", path, n+1, err)
		}
		steps = append(steps, words)
	}
	return steps
}

// split cuts a line at spaces; a word that begins with a quote is a Go string.
func split(line string) ([]string, error) {
	var words []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if line[0] != '"' && line[0] != '`' {
			word, rest, _ := strings.Cut(line, " ")
			words, line = append(words, word), rest
			continue
		}
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return nil, fmt.Errorf("a text without its end: %s", line)
		}
		word, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, err
		}
		words, line = append(words, word), line[len(quoted):]
	}
	return words, nil
}

// editorOptions takes the editor's lines off the script.
func editorOptions(t *testing.T, steps [][]string) (Options, [][]string) {
	t.Helper()
	var opts Options
	for len(steps) > 0 && steps[0][0] == "editor" {
		if len(steps[0]) != 3 {
			t.Fatalf("editor takes a key and a value: %q", steps[0])
		}
		value := steps[0][2]
		switch steps[0][1] {
		case "edits":
			opts.Edits = Edits(value)
		case "encoding":
			opts.Encodings = append(opts.Encodings, value)
		case "name":
			opts.Name = value
		case "hold":
			d, err := time.ParseDuration(value)
			if err != nil {
				t.Fatal(err)
			}
			opts.Hold = d
		case "settings":
			opts.Settings = json.RawMessage(value)
		default:
			t.Fatalf("no such key of an editor: %q", steps[0])
		}
		steps = steps[1:]
	}
	return opts, steps
}

// arity is how many words follow each verb, at least.
var arity = map[string]int{
	"crlf": 1, "open": 1, "close": 1, "save": 1, "undo": 1, "type": 2, "replace": 3, "action": 3, "refused": 4,
	"command":         1,
	"refused-command": 3, "cancel": 0, "pass": 1, "wait": 1, "expect": 2, "absent": 2, "absent-page": 1, "missing": 1,
	"die": 0, "leave": 0, "restart": 0,
}

// step does one line of the script.
func (s *scenario) step(words []string) error {
	s.env.T.Helper()
	verb, args := words[0], words[1:]
	n, known := arity[verb]
	if !known || len(args) < n {
		return fmt.Errorf("no such step, or too few words")
	}
	switch verb {
	case "crlf":
		text := strings.ReplaceAll(s.env.Disk(args[0]), "\n", "\r\n")
		return os.WriteFile(filepath.Join(s.env.Dir, args[0]), []byte(text), 0o600)
	case "open":
		s.env.Open(args[0])
	case "close":
		s.env.Close(args[0])
	case "save":
		s.env.Save(args[0])
	case "undo":
		s.env.Undo(args[0])
	case "type":
		s.env.Type(args[0], args[1])
	case "replace":
		s.env.Replace(args[0], args[1], args[2])
	case "action":
		return s.env.Do(args[0], args[1], args[2])
	case "refused":
		return refused(s.env.Do(args[0], args[1], args[2]), args[3])
	case "command":
		return s.command(args)
	case "refused-command":
		return refused(s.command(args[:2]), args[2])
	case "cancel":
		s.env.CancelProgress()
	case "pass":
		d, err := time.ParseDuration(args[0])
		<-time.After(d) // the bubble's time
		return err
	case "wait":
		return s.wait(args)
	case "expect":
		return s.expect(args)
	case "absent":
		if strings.Contains(s.env.Text(args[0]), args[1]) {
			return fmt.Errorf("it is there")
		}
	case "absent-page":
		if strings.Contains(s.page(), args[0]) {
			return fmt.Errorf("it is there")
		}
	case "missing":
		if _, err := os.Stat(s.env.path(args[0])); err == nil {
			return fmt.Errorf("it is there")
		}
	case "die":
		s.env.Die()
	case "leave":
		s.env.Leave()
	case "restart":
		if !s.env.left {
			s.env.Die()
		}
		s.env = s.startEditor()
	}
	return nil
}

func refused(err error, want string) error {
	switch {
	case err == nil:
		return fmt.Errorf("it was not refused")
	case !strings.Contains(err.Error(), want):
		return fmt.Errorf("it was refused with %q", err.Error())
	}
	return nil
}

func (s *scenario) command(args []string) error {
	var arguments []any
	if len(args) > 1 && args[1] != "" {
		arguments = append(arguments, json.RawMessage(strings.ReplaceAll(args[1], "$DIR", string(fileURI(s.env.Dir)))))
	}
	_, err := s.env.Execute(args[0], arguments...)
	return err
}

func (s *scenario) wait(args []string) error {
	s.env.T.Helper()
	env, want := s.env, args[len(args)-1]
	var now func() string // where the wanted text appears
	switch {
	case args[0] == "idle":
		s.settle()
		env.WaitIdle()
		return nil
	case args[0] == "message" && len(args) == 2:
		now = func() string { return lines(env.Messages()) }
	case args[0] == "progress" && len(args) == 2:
		now = func() (all string) {
			for _, p := range env.Progress() {
				all += lines(p.Lines)
			}
			return all
		}
	case args[0] == "shown" && len(args) == 2:
		now = func() (all string) {
			for _, p := range env.Shown() {
				all += string(p.URI) + "\n"
			}
			return all
		}
	case args[0] == "page" && len(args) == 2:
		now = s.page
	case args[0] == "text" && len(args) == 3:
		now = func() string { return env.Text(args[1]) }
	case args[0] == "diagnostic" && len(args) == 3:
		now = func() string { return s.diagnostics(args[1]) }
	case args[0] == "action" && len(args) == 4:
		env.WaitFor(want, func() bool {
			return strings.Contains(env.Text(args[1]), args[2]) && slices.ContainsFunc(env.Titles(args[1], args[2]),
				func(title string) bool { return strings.HasPrefix(title, want) })
		})
		return nil
	default:
		return fmt.Errorf("no such thing to wait for")
	}
	env.WaitFor(strings.Join(args, " "), func() bool { return strings.Contains(now(), want) })
	return nil
}

func (s *scenario) expect(args []string) error {
	s.env.T.Helper()
	s.settle()
	var got string
	switch {
	case args[0] == "text" && len(args) == 3:
		got = s.env.Text(args[1])
	case args[0] == "disk" && len(args) == 3:
		got = s.env.Disk(args[1])
	case args[0] == "actions" && len(args) == 4:
		got = lines(s.env.Titles(args[1], args[2]))
	case args[0] == "diagnostics" && len(args) == 3:
		got = s.diagnostics(args[1])
	case args[0] == "completion" && len(args) == 4:
		got = s.completion(args[1], args[2])
	case args[0] == "hover" && len(args) == 4:
		var hover struct {
			Contents struct{ Value string }
		}
		s.env.Ask("textDocument/hover", args[1], args[2], &hover)
		got = hover.Contents.Value
	case args[0] == "outline" && len(args) == 3:
		got = s.outline(args[1])
	case args[0] == "hints" && len(args) == 3:
		got = s.hints(args[1])
	case args[0] == "links" && len(args) == 3:
		got = s.links(args[1])
	case args[0] == "messages" && len(args) == 2:
		got = lines(s.env.Messages())
	case args[0] == "progress" && len(args) == 2:
		if all := s.env.Progress(); len(all) > 0 {
			got = lines(append([]string{all[len(all)-1].Title}, all[len(all)-1].Lines...))
		}
	case args[0] == "shown" && len(args) == 2:
		for _, p := range s.env.Shown() {
			focus := ""
			if p.TakeFocus {
				focus = " (takes the focus)"
			}
			got += s.inFolder(string(p.URI)) + focus + "\n"
		}
	default:
		return fmt.Errorf("no such thing to expect")
	}
	return s.golden(args[len(args)-1], got)
}

// golden compares with a part of the scenario. CR is shown as ␍; a missing last newline is ignored.
func (s *scenario) golden(name, got string) error {
	got = strings.ReplaceAll(strings.ReplaceAll(got, s.env.Dir, "$DIR"), "\r", "␍")
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	if s.byClock {
		got = took.ReplaceAllString(got, "TIME")
	}
	i := slices.IndexFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == "golden/"+name })
	switch {
	case *update && i < 0:
		s.archive.Files = append(s.archive.Files, txtar.File{Name: "golden/" + name, Data: []byte(got)})
	case *update:
		s.archive.Files[i].Data = []byte(got)
	case i < 0:
		return fmt.Errorf("there is no part golden/%s; got\n%s", name, got)
	default:
		if diff := cmp.Diff(string(s.archive.Files[i].Data), got); diff != "" {
			return fmt.Errorf("golden/%s (-want +got)\n%s", name, diff)
		}
	}
	return nil
}

// completion lists what is offered, as it would be written, one a line.
func (s *scenario) completion(name, needle string) string {
	s.env.T.Helper()
	var list protocol.CompletionList
	s.env.Ask("textDocument/completion", name, needle, &list)
	var all []string
	for _, item := range list.Items {
		all = append(all, item.TextEdit.NewText)
	}
	return lines(all)
}

// listed asks about a document, and gives a line for each thing of the answer.
func listed[T any](s *scenario, method, name string, line func(T) string) string {
	s.env.T.Helper()
	var list []T
	s.env.Ask(method, name, "", &list)
	var all []string
	for _, thing := range list {
		all = append(all, line(thing))
	}
	return lines(all)
}

// outline lists the turns, and below each its parts.
func (s *scenario) outline(name string) string {
	s.env.T.Helper()
	return listed(s, "textDocument/documentSymbol", name, func(turn protocol.DocumentSymbol) string {
		lines := []string{turn.Name}
		for _, part := range turn.Children {
			lines = append(lines, "    "+strings.TrimSuffix(fmt.Sprintf("%s (%s)", part.Name, part.Detail), " ()"))
		}
		return strings.Join(lines, "\n")
	})
}

// links lists what of a document leads where.
func (s *scenario) links(name string) string {
	s.env.T.Helper()
	return listed(s, "textDocument/documentLink", name, func(link protocol.DocumentLink) string {
		if link.Target == "" {
			s.env.must(s.env.Editor.Call("documentLink/resolve", link, &link))
		}
		at, target := link.Range, s.inFolder(string(link.Target))
		return fmt.Sprintf("%d:%d-%d %s", at.Start.Line+1, at.Start.Character, at.End.Character, target)
	})
}

// inFolder is a URI with $DIR in the place of the workspace folder.
func (s *scenario) inFolder(uri string) string {
	return strings.ReplaceAll(uri, string(fileURI(s.env.Dir)), "$DIR")
}

// page is the text of the newest file that the server asked to show.
func (s *scenario) page() string {
	shown := s.env.Shown()
	if len(shown) == 0 {
		return ""
	}
	text, err := os.ReadFile(strings.TrimPrefix(string(shown[len(shown)-1].URI), "file://"))
	if err != nil {
		s.env.T.Error(err)
	}
	return string(text)
}

// hint is what is shown beside the text of a document.
type hint struct {
	Position protocol.Position
	Label    string
}

// hints lists them.
func (s *scenario) hints(name string) string {
	s.env.T.Helper()
	return listed(s, "textDocument/inlayHint", name, func(h hint) string {
		return fmt.Sprintf("%d:%d %s", h.Position.Line+1, h.Position.Character, h.Label)
	})
}

func (s *scenario) diagnostics(name string) string {
	var all []string
	for _, d := range s.env.Diagnostics(name) {
		all = append(all, fmt.Sprintf(
			"%d %s: %s", d.Range.Start.Line+1, strings.ToLower(d.Severity.String()), d.Message,
		))
	}
	return lines(all)
}

func lines(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return strings.Join(all, "\n") + "\n"
}
