package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/toolstest"
)

// fake is a tool whose parts can be chosen.
type fake struct {
	spec tools.Spec
	plan func(json.RawMessage) (tools.Plan, error)
}

func (f fake) Spec() tools.Spec { return f.spec }

func (f fake) Plan(_ context.Context, c tools.Call) (tools.Plan, error) { return f.plan(c.Arguments) }

func dispatcherOf(t *testing.T, list ...tools.Tool) *tools.Dispatcher {
	t.Helper()
	return tools.NewDispatcher(tools.NewSources(list).Known(), policy.New(nil), nil)
}

// S09: a tool that does not say what it does asks, and cannot be granted.
// Promise 1. Invariant 3.
func TestUnknownEffectAsks(t *testing.T) {
	ran := false
	f := fake{tools.Spec{Name: "mystery"}, func(json.RawMessage) (tools.Plan, error) {
		return tools.Plan{Run: func(context.Context, tools.Reporter) tools.Result { ran = true; return tools.Result{} }}, nil
	}}
	for _, effect := range []effect.Effect{"", "sings", "Reads"} {
		f.spec.Effect = effect
		d := dispatcherOf(t, f)
		p := d.Prepare(t.Context(), tools.Call{Name: "mystery", Caller: policy.Model})
		if p.Decision.Verdict != policy.Ask || len(p.Decision.Offers) > 0 {
			t.Errorf("effect %q: %+v", effect, p.Decision)
		}
		if _, err := d.Execute(t.Context(), p, nil); !errors.Is(err, tools.ErrNotApproved) || ran {
			t.Errorf("effect %q: %v, ran %v", effect, err, ran)
		}
	}
}

// Invariant 14.
func TestPanicsAreResults(t *testing.T) {
	atOnce := fake{tools.Spec{Name: "at_once", Effect: effect.Computes, PlansAtOnce: true}, func(json.RawMessage) (tools.Plan, error) { panic("plan") }}
	plans := fake{tools.Spec{Name: "plans", Effect: effect.Computes}, func(json.RawMessage) (tools.Plan, error) { panic("plan") }}
	runs := fake{tools.Spec{Name: "runs", Effect: effect.Computes}, func(json.RawMessage) (tools.Plan, error) {
		return tools.Plan{Run: func(context.Context, tools.Reporter) tools.Result { panic("run") }}, nil
	}}
	empty := fake{tools.Spec{Name: "empty", Effect: effect.Computes}, func(json.RawMessage) (tools.Plan, error) { return tools.Plan{}, nil }}
	d := dispatcherOf(t, plans, atOnce, runs, empty)
	for name, want := range map[string]string{"plans": "The tool failed: plan.", "at_once": "The tool failed: plan.", "runs": "The tool failed: run.", "empty": "The tool failed: it has nothing to run."} {
		r, err := d.Execute(t.Context(), d.Prepare(t.Context(), tools.Call{Name: name, Caller: policy.Model}), nil)
		if err != nil || !r.Failed || r.Text() != want {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// Promise 2. Invariant 3.
func TestAtMostOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		f := fake{tools.Spec{Name: "count", Effect: effect.Computes}, func(json.RawMessage) (tools.Plan, error) {
			return tools.Plan{Run: func(context.Context, tools.Reporter) tools.Result { ran++; return tools.Result{} }}, nil
		}}
		d := dispatcherOf(t, f)
		p := d.Prepare(t.Context(), tools.Call{Name: "count", Caller: policy.Model})
		for range 20 {
			go func() { _, _ = d.Execute(t.Context(), p, nil) }()
		}
		synctest.Wait()
		if ran != 1 {
			t.Errorf("ran %d times", ran)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := d.Execute(ctx, d.Prepare(t.Context(), tools.Call{Name: "count", Caller: policy.Model}), nil); !errors.Is(err, context.Canceled) || ran != 1 {
			t.Errorf("cancelled: %v, ran %d times", err, ran)
		}
		if _, err := d.Execute(t.Context(), tools.Prepared{}, nil); err == nil {
			t.Error("a call that nobody prepared was executed")
		}
	})
}

func TestKey(t *testing.T) {
	b := toolstest.NewBench(t, nil)
	key := func(raw string) string { return b.Prepare("run_command", raw).Key }
	if key(`{"command":"ls"}`) != key(` { "command" : "l\u0073" } `) {
		t.Error("the same call has two keys")
	}
	seen := map[string]string{}
	for _, raw := range []string{`{"command":"ls"}`, `{"command":"ls "}`, `{"command":"ls","x":1}`, `{"command":"ls -a"}`} {
		if other, ok := seen[key(raw)]; ok {
			t.Errorf("%s and %s have one key", raw, other)
		}
		seen[key(raw)] = raw
	}
}

func TestArguments(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a": "x\n"})
	for raw, want := range map[string]string{
		`[]`:                             "must be a JSON object",
		`"x"`:                            "must be a JSON object",
		`{"path":"a"`:                    "not valid JSON",
		`{"path":"a"} x`:                 "",
		`{"path":"a","path":"b"}`:        "given twice",
		`{"PATH":"a"}`:                   `"path" is missing`,
		`{"path":null}`:                  `"path" is missing`,
		`{"path":{"a":1}}`:               "must be a string",
		`{"path":"a","start_line":"x"}`:  "must be a whole number",
		`{"path":"a","start_line":1.5}`:  "must be a whole number",
		`{"path":"a","start_line":1e99}`: "must be a whole number",
		`{"path":"a","start_line":-1}`:   "count from 1",
		`{"path":"a","start_line":"1"}`:  "x",
		`{"path":"a","start_line":null,"extra":{}}`: "x",
	} {
		if r := b.Do("read_file", raw); !strings.Contains(r.Text(), want) {
			t.Errorf("%s: %+v", raw, r)
		}
	}
	if r := b.Do("calculator", `{"expression":12}`); r.Text() != "12" {
		t.Errorf("%+v", r)
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{"path":"a","start_line":"3"}`, `{"path":1e400}`, `"{}"`, `{"path":"a","start_line":1e18}`, `{"a":[[[`, `null`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		b := toolstest.NewBench(t, map[string]string{"a": "x\n"})
		for _, s := range b.Dispatcher.Registry().Specs() {
			p := b.Dispatcher.Prepare(t.Context(), tools.Call{Name: s.Name, Arguments: json.RawMessage(raw), Caller: policy.Model})
			if p.Answered == nil && p.Key == "" {
				t.Error("neither an answer nor a key")
			}
			if p.Answered != nil && strings.HasPrefix(p.Answered.Text(), "The tool failed") {
				t.Error(p.Answered.Text())
			}
		}
	})
}

// S10: no form of a path leaves the workspace, through any tool that takes one.
// Promise 4. Invariant 10.
func TestPathsStayInside(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"in.txt": "in\n", "dir/x": "x\n"})
	outside := filepath.Join(filepath.Dir(b.Dir), "ws-evil")
	if err := os.MkdirAll(filepath.Join(outside, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(outside, "secret.txt")
	if err := os.WriteFile(secret, []byte("canary\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"flink": secret, "dlink": outside, "up": "..", "root": "/", "abs": filepath.Join(b.Dir, "../ws-evil"), "loop": "loop", "dir/deep": "../../ws-evil", "dangling": filepath.Join(outside, "new.txt"), "chain": "dlink"} {
		if err := os.Symlink(to, filepath.Join(b.Dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{
		secret, outside, "../ws-evil/secret.txt", "./../ws-evil/secret.txt", "dir/../../ws-evil/secret.txt", "dir/../../../etc/passwd", b.Dir + "-evil/secret.txt",
		b.Dir + "/../ws-evil/secret.txt", "//etc/passwd", "/etc/passwd", "/etc/shadow", "/proc/self/environ", "/proc/self/root" + secret, "/dev/null", "/dev/zero", "/dev/stdin",
		"flink", "flink/", "dlink/secret.txt", "dlink/", "dlink/sub", "up/ws-evil/secret.txt", "root" + secret, "abs/secret.txt", "loop", "loop/x", "dir/deep/secret.txt",
		"dir/deep/../secret.txt", "dangling", "chain/secret.txt", "dlink/new.txt", "dlink/sub/new.txt", "~", "~/.ssh/id_rsa", "$HOME/../../etc/passwd/../../../../../../../etc/passwd",
		"..", "../", "../..", "../../../../../../../etc/passwd", "dir/../..", "in.txt/../../ws-evil/secret.txt", "a\x00b", "in.txt\x00", "\x00", "C:\\Windows\\x", "C:/x", "..\\ws-evil\\secret.txt",
		"file://" + secret, "file:" + secret, "file:///etc/passwd", "http://localhost/x", "in.txt::$DATA", "\u202etxt.exe", "in\u200b.txt", "in.txt\n", "a\rb", "a\x1bb", "\ufeffin.txt",
		"dir/" + strings.Repeat("../", 60) + "etc/passwd", strings.Repeat("a/", 3000), strings.Repeat("a", 300), "..%2fws-evil/../../ws-evil/secret.txt", "/../../etc/passwd", "/..", "/./../etc/passwd",
	}
	if len(paths) < 60 {
		t.Fatalf("only %d paths", len(paths))
	}
	var before []string
	tree := func() (all []string) {
		_ = filepath.WalkDir(filepath.Dir(b.Dir), func(path string, e os.DirEntry, _ error) error {
			info, _ := e.Info()
			all = append(all, fmt.Sprint(path, info.Size(), info.ModTime()))
			return nil
		})
		return all
	}
	before = tree()
	for _, path := range paths {
		for tool, arguments := range map[string]map[string]any{
			"read_file": toolstest.Args("path", path), "list_directory": toolstest.Args("path", path), "search_files": toolstest.Args("pattern", "canary|root", "path", path),
			"write_file": toolstest.Args("path", path, "content", "evil"), "edit_file": toolstest.Change(path, "canary", "evil"),
		} {
			if strings.TrimSpace(path) == "in.txt" {
				continue // whitespace around a path is ignored
			}
			p := b.Prepare(tool, arguments)
			if p.Answered == nil {
				t.Errorf("%s %q would run on %q", tool, path, p.Target)
				continue
			}
			if r := *p.Answered; !r.Failed || strings.Contains(r.Text(), "canary\n") {
				t.Errorf("%s %q: %s", tool, path, r.Text())
			}
		}
	}
	if after := tree(); strings.Join(after, "\n") != strings.Join(before, "\n") {
		t.Error("something changed")
	}
	if err := os.Link(secret, filepath.Join(b.Dir, "hard")); err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"write_file", "edit_file"} {
		b.Reads.MarkRead(b.Workspace.Root()+"/hard", "canary\n")
		if p := b.Prepare(tool, toolstest.Args("path", "hard", "content", "evil", "old_text", "canary", "new_text", "evil")); p.Answered == nil || !p.Answered.Failed {
			t.Errorf("%s writes a hard link: %+v", tool, p)
		}
	}
}

// S19, S20: what a person is asked shows every character, and the whole of it or how much is left out.
// Invariant 4.
func TestNothingIsHidden(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.txt": "x\n"})
	command := "echo \u202eevil\u202c \x1b]52;c;x\x07 a\u200bb \U000E0041\rrm -rf x"
	p := b.Prepare("run_command", toolstest.Args("command", command))
	if p.Protected == "" || len(p.Decision.Offers) > 0 {
		t.Errorf("not protected: %+v", p.Decision)
	}
	b.Do("read_file", toolstest.Args("path", "a.txt"))
	edit := b.Prepare("edit_file", toolstest.Change("a.txt", "x", "a\u202e\x1b[2Kb"))
	for _, text := range []string{p.Target, p.Preview, edit.Preview} {
		if strings.ContainsAny(text, "\x1b\x07\r\u202e\u202c\u200b\U000E0041") {
			t.Errorf("hidden characters in %q", text)
		}
	}
	b.Contains(p.Target, "<U+202E>evil", "<U+001B>", "a<U+200B>b", "<U+E0041>", "<U+000D>rm -rf x")
	b.Contains(edit.Preview, "+a<U+202E><U+001B>[2Kb")

	long := "echo start" + strings.Repeat(" ", 100_000) + "; rm -rf x"
	p = b.Prepare("run_command", toolstest.Args("command", long))
	b.Contains(p.Preview, "$ echo start", "bytes, 0 lines left out]", "; rm -rf x\n\nin ")

	for command, misleads := range map[string]bool{"l\ufe0fs": true, "rm \u3164": true, "rm \u17b4": true, "echo äß日本👩\u200d💻 ❤\ufe0f": false} {
		if p := b.Prepare("run_command", toolstest.Args("command", command)); (p.Protected != "") != misleads {
			t.Errorf("%q: %q, %q", command, p.Target, p.Protected)
		}
	}
}

func TestRunCommand(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.txt": "x\n"})
	for command, want := range map[string]string{
		"cat a.txt":                "x\n[Exit status 0.]",
		"true":                     "[No output.]\n[Exit status 0.]",
		"echo no >&2; exit 4":      "no\n[Exit status 4.]",
		"kill -9 $$":               "[No output.]\n[Ended by a signal: killed.]",
		"printf 'a\\033[1mb\\a'":   "ab<U+0007>\n[Exit status 0.]",
		"sleep 300 & echo started": "started\n[Exit status 0.]\n[Still ran in the background and was ended: 1.]",
	} {
		r := b.Do("run_command", toolstest.Args("command", command))
		if r.Text() != want || r.Failed != !strings.Contains(want, "status 0") {
			t.Errorf("%s: %+v", command, r)
		}
	}
	r := b.Do("run_command", toolstest.Args("command", "seq 1 100000"))
	b.Contains(r.Text(), "1\n2\n", "lines left out.", "\n100000\n[Exit status 0.]")
	if len(r.Text()) > 9_000 {
		t.Errorf("%d bytes", len(r.Text()))
	}
	for _, bad := range []string{"", " \n", "a\x00b"} {
		if p := b.Prepare("run_command", toolstest.Args("command", bad)); p.Answered == nil || !p.Answered.Failed {
			t.Errorf("%q: %+v", bad, p)
		}
	}
	if p := b.Prepare("run_command", toolstest.Args("command", "ls")); p.Decision.Verdict != policy.Ask || len(p.Decision.Offers) != 0 { // without a sandbox nothing runs by rule
		t.Errorf("%+v", p.Decision)
	}
}
