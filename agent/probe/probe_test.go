package probe_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/probe"
)

// speaker is a model that understands questions but does only some things in some ways.
type speaker struct {
	info model.Info
	can  func(way, question string) bool // nil: nothing but talk
	down bool                            // the server is gone
	mute bool                            // it never answers
	stop func()                          // called by the third question
	// what it writes where it is asked for a program, and whether it makes two calls at once elsewhere
	program string
	several bool
	// What the tests look at.
	asked  []model.Request
	unread int // tokens that were not cached, about
	wrote  int
	cached string
}

// The words by which a question is known.
const (
	calls  = "tides.log."
	picks  = "lobster"
	fills  = "anchor"
	uses   = "17:42"
	again  = "Near:"
	talks  = "opposite of cold"
	both   = "both at once"
	speeds = "Tell this"
)

// ways is a model that does everything in some ways.
func ways(names ...string) func(string, string) bool {
	return func(way, _ string) bool { return slices.Contains(names, way) }
}

func (s *speaker) Name() string { return "fake" }

func (s *speaker) Memory() int64 { return 0 }

func (s *speaker) Version(context.Context) (string, error) {
	if s.down {
		return "", &model.Error{Kind: model.Unreachable, Sentence: "gone"}
	}
	return "1", nil
}

func (s *speaker) Models(context.Context) ([]model.Info, error) { return []model.Info{s.info}, nil }

func (s *speaker) Describe(context.Context, string) (model.Info, error) { return s.info, nil }

// Preload makes the model take 1,000 bytes and 10 for each token of context.
func (*speaker) Unload(context.Context, string) error { return nil }

func (s *speaker) Preload(_ context.Context, _ string, size int, _ time.Duration) error {
	s.info.LoadedContext, s.info.LoadedBytes = size, 1000+10*int64(size)
	return nil
}

func (s *speaker) Chat(ctx context.Context, req model.Request, each func(model.Chunk) error) error {
	s.asked = append(s.asked, req)
	s.count(req)
	switch {
	case s.down:
		return &model.Error{Kind: model.Unreachable, Sentence: "gone"}
	case s.mute:
		<-ctx.Done()
		return ctx.Err()
	case s.stop != nil && len(s.asked) == 3:
		s.stop()
		<-ctx.Done()
		return ctx.Err()
	}
	way := wayOf(req)
	last := req.Messages[len(req.Messages)-1].Text
	question := ""
	for _, q := range []string{speeds, both, again, uses, talks, fills, picks, calls} {
		if strings.Contains(last, q) {
			question = q
			break
		}
	}
	chunk := s.answer(way, question)
	switch {
	case way == "python":
		chunk = model.Chunk{Text: s.program}
	case s.several && question == both:
		chunk.Calls = append(chunk.Calls, chunk.Calls...)
	}
	chunk.Done = &model.Done{Reason: "stop", PromptTokens: 100, OutputTokens: 20, PromptTime: time.Second, OutputTime: 2 * time.Second}
	return each(chunk)
}

// count adds what the request costs: what is not the beginning of the request before, and all that it may write.
func (s *speaker) count(req model.Request) {
	const lettersPerToken = 3.2 // fewer than measured with Qwen's tokenizer on such prompts: an estimate from above
	text := string(must(json.Marshal(req.Tools)))
	for _, m := range req.Messages {
		text += fmt.Sprintf("<|im_start|>%s\n%s%v<|im_end|>\n", m.Role, m.Text, m.Calls)
	}
	same := 0
	for same < min(len(text), len(s.cached)) && text[same] == s.cached[same] {
		same++
	}
	s.cached = text
	s.unread += int(float64(len(text)-same)/lettersPerToken) + 10
	s.wrote += req.MaxTokens
}

func (s *speaker) answer(way, question string) model.Chunk {
	does := s.can != nil && s.can(way, question)
	say := func(text string) model.Chunk {
		if way == "guided" {
			text = `{"do": "talk", "answer": "` + text + `"}`
		}
		return model.Chunk{Text: text}
	}
	var tool, arguments string
	switch {
	case !does && (question == talks || question == uses):
		tool, arguments = "find_text", `{"text": "x"}`
	case question == talks:
		return say("Hot")
	case question == uses:
		return say("At 17:42.")
	case !does || question == speeds:
		return say("I would have to look it up.")
	case question == picks:
		tool, arguments = "find_text", `{"text": "lobster"}`
	case question == fills:
		tool, arguments = "write_line", `{"path": "ropes.txt", "line": 7, "text": "anchor"}`
	default:
		tool, arguments = "read_file", `{"path": "./tides.log"}`
	}
	switch way {
	case "native":
		return model.Chunk{Calls: []model.Call{{Name: tool, Arguments: []byte(arguments)}}}
	case "guided":
		return model.Chunk{Text: `{"do": "look", "tool": "` + tool + `", "arguments": ` + arguments + `}`}
	}
	return model.Chunk{Text: "```json\n{\"name\": \"" + tool + "\", \"arguments\": " + arguments + "}\n```"}
}

func wayOf(req model.Request) string {
	switch {
	case strings.Contains(req.Messages[0].Text, "```tool_code"):
		return "python"
	case req.Tools != nil:
		return "native"
	case strings.Contains(req.Messages[0].Text, "Reply with one JSON object"):
		return "guided"
	case strings.Contains(req.Messages[0].Text, "You can call these tools:"):
		return "text"
	}
	return "family"
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func run(t *testing.T, s *speaker) probe.Report {
	t.Helper()
	profile, _ := must(model.LoadProfiles()).For(s.info)
	report, err := probe.Run(t.Context(), s, s.info, probe.Options{Profile: profile, ContextSize: 8192, Memory: 200_000, Salt: "x"})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func do(t *testing.T, s *speaker, folder string) (probe.Outcome, error) {
	t.Helper()
	return probe.Job{Backend: s, Folder: folder, Options: probe.Options{ContextSize: 8192}}.Do(t.Context(), s.info)
}

func newModel() model.Info {
	return model.Info{Name: "Somebody/New-Model:7b", Family: "newfamily", Parameters: "7B", Capabilities: []string{"tools"}, ContextLimit: 9000}
}

func tiny() model.Info {
	return model.Info{Name: "tiny:0.5b", Family: "tinies", Parameters: "0.5B", Capabilities: []string{"completion", "tools"}}
}

func TestPicksTheWayThatWorks(t *testing.T) {
	for _, way := range []string{"native", "guided", "text"} {
		t.Run(way, func(t *testing.T) {
			s := &speaker{info: newModel(), can: ways(way)}
			report := run(t, s)
			if report.Best != way || report.Ways[0].Points != probe.MaxPoints() || report.Ways[0].Calls != probe.MaxCalls() {
				t.Fatalf("best is %q, ways are %+v\n%+v", report.Best, report.Ways, report.Findings)
			}
			if report.Speed != (probe.Speed{Prompt: 100, Reply: 10}) {
				t.Errorf("speed is %+v", report.Speed)
			}
			if diff := cmp.Diff(probe.Context{Limit: 9000, BytesPerToken: 10, Fits: 9000}, report.Context); diff != "" {
				t.Error(diff)
			}
			if s.info.LoadedContext != 8192 {
				t.Errorf("the model is left loaded with %d tokens", s.info.LoadedContext)
			}
		})
	}
}

// TestTinyModels has models that fail most questions in every way.
// A model that writes a program where it makes one call after the other does better with programs, which its profile
// says from then on.
func TestDoesBetterWithPrograms(t *testing.T) {
	const code = "sum(len(read_file(f).splitlines()) for f in ['tides.log', 'ropes.txt', 'nets.txt'])"
	for name, c := range map[string]struct {
		program, want, fence string
		several, better      bool
	}{
		"a program":               {"```tool_code\n" + code + "\n```", "ok: better than one call after the other", "", false, true},
		"a program as Python":     {"```python\n" + code + "\n```", "ok: better than one call after the other", "python", false, true},
		"calls at once, too":      {"```tool_code\n" + code + "\n```", "ok: as well as several calls at once", "", true, false},
		"a program of one file":   {"```tool_code\nread_file('tides.log')\n```", "no: its program lacks ropes.txt", "", false, false},
		"a program of no file":    {"```tool_code\n1 + 1\n```", "no: its program reads nothing", "", false, false},
		"a program that is shown": {"For example:\n```tool_code\n" + code + "\n```", "no: no program: ", "", false, false},
		"without an end":          {"```tool_code\n" + code, "no: its program cannot be read", "", false, false},
		"a call":                  {"```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"tides.log\"}}\n```", "no: called read_file", "", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := &speaker{info: newModel(), can: ways("native"), program: c.program, several: c.several}
			folder := t.TempDir()
			out, err := do(t, s, folder)
			if err != nil {
				t.Fatal(err)
			}
			r := out.Report
			i := slices.IndexFunc(r.Findings, func(f probe.Finding) bool { return f.Probe == "writes a program" })
			if i < 0 || !strings.HasPrefix(r.Findings[i].Verdict(), c.want) || r.Findings[i].Way != "python" {
				t.Errorf("%+v", r.Findings)
			}
			after, why := must(probe.Profiles(folder)).For(s.info)
			if r.Best != "native" || after.Code != c.better || after.Fence != c.fence || after.Formats[0] != "native" {
				t.Errorf("%s: %+v", why, after)
			}
			if said := strings.Contains(out.Changed(), "programs instead of calls"); said != c.better {
				t.Error(out.Changed())
			}
		})
	}
}

func TestTinyModels(t *testing.T) {
	tests := map[string]struct {
		info model.Info
		can  map[string]string // way: questions, comma-separated
		best string
	}{
		"who only talks, however well, does not call":  {tiny(), map[string]string{"native": uses + "," + talks, "text": uses + "," + talks, "guided": picks}, "guided"},
		"one call is more than talk in the way in use": {tiny(), map[string]string{"guided": uses + "," + talks, "text": calls}, "text"},
		"a little better is chance":                    {tiny(), map[string]string{"guided": calls, "native": calls + "," + talks, "text": calls}, "guided"},
		"a heavy question better is not":               {tiny(), map[string]string{"guided": calls, "text": calls + "," + fills}, "text"},
		"equals stay with the way in use":              {tiny(), map[string]string{"guided": picks, "native": picks, "text": picks}, "guided"},
		"a call after an error alone is forced":        {tiny(), map[string]string{"guided": again, "native": again, "text": again}, ""},
		"nothing":                                      {tiny(), nil, ""},
		"a large known one stays native": {
			model.Info{Name: "llama3.1:8b", Family: "llama", Parameters: "8.0B", Capabilities: []string{"completion", "tools"}},
			map[string]string{"guided": calls + "," + picks, "native": calls + "," + picks, "text": calls},
			"native",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := &speaker{info: test.info, can: func(way, question string) bool {
				return question != "" && slices.Contains(strings.Split(test.can[way], ","), question)
			}}
			if report := run(t, s); report.Best != test.best {
				t.Errorf("best is %q, not %q\n%+v\n%+v", report.Best, test.best, report.Ways, report.Findings)
			}
		})
	}
}

// TestProfileIsUsed looks the model up again after its profile was written, also where the built-in rules would put
// another way first: a small model, one for which the server offers no tools, one that is packaged, one of no family.
func TestProfileIsUsed(t *testing.T) {
	infos := map[string]model.Info{
		"unknown":   {Name: "new-model:7b", Family: "newfamily", Parameters: "7B", Capabilities: []string{"tools"}},
		"small":     {Name: "qwen2.5-coder:1.5b", Family: "qwen2", Parameters: "1.5B", Capabilities: []string{"tools"}},
		"no tools":  {Name: "other:1b", Family: "gemma3", Parameters: "1B", Capabilities: []string{"completion"}},
		"packaged":  {Name: "hf.co/Qwen/Qwen2.5-Coder-7B-Instruct-GGUF:Q4_K_M", Family: "qwen2", Parameters: "7.6B", Capabilities: []string{"tools"}},
		"no family": {Name: "mystery:latest", Parameters: "3B", Capabilities: []string{"tools"}},
	}
	for name, info := range infos {
		for _, way := range []string{"native", "guided", "text", ""} {
			t.Run(name+" "+way, func(t *testing.T) {
				folder := filepath.Join(t.TempDir(), "profiles")
				out, err := do(t, &speaker{info: info, can: ways(way)}, folder)
				if err != nil {
					t.Fatal(err)
				}
				if out.Report.Best == "" {
					if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) || out.Path != "" || out.Profiles != nil {
						t.Errorf("something was written: %v, %+v", err, out)
					}
					if !strings.Contains(out.Headline(), "called no tool") {
						t.Error(out.Headline())
					}
					return
				}
				files := must(filepath.Glob(filepath.Join(folder, "*")))
				if !slices.Equal(files, []string{out.Path}) || filepath.Base(out.Path) != probe.FileName(info.Name) {
					t.Fatalf("written were %q", files)
				}
				for _, known := range []*model.Profiles{out.Profiles, must(probe.Profiles(folder))} {
					got, why := known.For(info)
					if got.Formats[0] != way || out.Report.Best != way {
						t.Errorf("the model uses %s, not %s, because %s", got.Formats[0], out.Report.Best, why)
					}
					if !slices.Contains(got.Formats, "text") {
						t.Errorf("formats are %v", got.Formats)
					}
				}
			})
		}
	}
}

// TestProfileIsForItsModelAlone: a template is evidence enough by itself, so it must not come along.
func TestProfileIsForItsModelAlone(t *testing.T) {
	template := "<tools>{{ .Tools }}</tools><tool_call>"
	one := model.Info{Name: "work:latest", Family: "qwen2", Template: template, Parameters: "14B", Capabilities: []string{"completion", "tools"}}
	other := one
	other.Name = "play:latest"
	folder := t.TempDir()
	before, _ := must(probe.Profiles(folder)).For(other)
	out, err := do(t, &speaker{info: one, can: ways("text")}, folder)
	if err != nil || out.Path == "" {
		t.Fatalf("%v, %+v", err, out)
	}
	if own, _ := out.Profiles.For(one); own.Name == before.Name || own.FamilyName() != before.FamilyName() {
		t.Errorf("the profile %s is of the family %s, not %s", own.Name, own.FamilyName(), before.FamilyName())
	}
	after, why := out.Profiles.For(other)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("another model's profile changed, because %s:\n%s", why, diff)
	}
}

// TestProbingAgainStartsAfresh: what did badly once is tried again, and the built-in profile stays the one to beat.
func TestProbingAgainStartsAfresh(t *testing.T) {
	info := model.Info{Name: "hermes3:8b", Family: "llama", Parameters: "8B", Capabilities: []string{"completion", "tools"}}
	folder := t.TempDir()
	first, err := do(t, &speaker{info: info, can: ways("text")}, folder)
	if err != nil {
		t.Fatal(err)
	}
	second, err := do(t, &speaker{info: info, can: ways("native", "guided")}, folder)
	if err != nil {
		t.Fatal(err)
	}
	tried := func(o probe.Outcome) (names []string) {
		for _, w := range o.Report.Ways {
			names = append(names, w.Format)
		}
		slices.Sort(names)
		return names
	}
	if diff := cmp.Diff(tried(first), tried(second)); diff != "" {
		t.Error(diff)
	}
	built, _ := must(model.LoadProfiles()).For(info)
	if second.Report.Best != built.Formats[0] || second.Before.Formats[0] != "text" || len(second.Changes) == 0 {
		t.Errorf("best is %s, before it was %v, changes are %q", second.Report.Best, second.Before.Formats, second.Changes)
	}
}

// TestAnotherProfileApplies: a profile that would not be used is not written.
func TestAnotherProfileApplies(t *testing.T) {
	folder := t.TempDir()
	mine := "[[profile]]\nname = \"mine\"\nnames = [\"work:14b\"]\nfamilies = [\"qwen2\"]\nformats = [\"native\"]\n"
	if err := os.WriteFile(filepath.Join(folder, "z.toml"), []byte(mine), 0o600); err != nil {
		t.Fatal(err)
	}
	info := model.Info{Name: "work:14b", Family: "qwen2", Parameters: "14B", Capabilities: []string{"tools"}}
	out, err := do(t, &speaker{info: info, can: ways("text")}, folder)
	if err == nil || !strings.Contains(err.Error(), "mine") || out.Path != "" {
		t.Errorf("%v, %q", err, out.Path)
	}
	if files := must(os.ReadDir(folder)); len(files) != 1 {
		t.Errorf("files are %v", files)
	}
}

func TestDeadServerIsAnError(t *testing.T) {
	s := &speaker{info: newModel(), down: true}
	if _, err := probe.Run(t.Context(), s, s.info, probe.Options{Profile: model.Profile{Formats: []string{"native"}}, ContextSize: 4096}); err == nil {
		t.Error("a dead server was no error")
	}
}

func TestCancelWritesNothing(t *testing.T) {
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	s := &speaker{info: newModel(), can: ways("text"), stop: cancel}
	out, err := probe.Job{Backend: s, Folder: folder, Options: probe.Options{ContextSize: 8192}}.Do(ctx, s.info)
	if !errors.Is(err, context.Canceled) || len(out.Report.Findings) != 2 {
		t.Errorf("%v, %+v", err, out.Report.Findings)
	}
	if files := must(os.ReadDir(folder)); len(files) != 0 {
		t.Errorf("files are %v", files)
	}
}

// TestSlowModelsComeToAnEnd has a model that never answers in time: every way is given up, and nothing is chosen.
func TestSlowModelsComeToAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &speaker{info: newModel(), mute: true}
		var lines []string
		o := probe.Options{ContextSize: 8192, Found: func(f probe.Finding) { lines = append(lines, f.Verdict()) }}
		out, err := probe.Job{Backend: s, Folder: t.TempDir(), Options: o}.Do(t.Context(), s.info)
		if err != nil || out.Report.Best != "" || out.Path != "" {
			t.Errorf("%v, %+v", err, out.Report.Ways)
		}
		all := strings.Join(lines, "\n")
		if !strings.Contains(all, "no: no whole answer within 1m0s") || !strings.Contains(all, "skipped: this way takes too long") || len(s.asked) > 10 {
			t.Errorf("%d were asked:\n%s", len(s.asked), all)
		}
		if !strings.Contains(out.Headline(), "no answer at all") {
			t.Error(out.Headline())
		}
	})
}

// TestNoTimeIsNoVerdict: ways that were not asked everything are not compared.
func TestNoTimeIsNoVerdict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &speaker{info: newModel(), can: ways("text")}
		o := probe.Options{ContextSize: 8192, Limit: time.Minute, Turn: nil}
		o.Found = func(probe.Finding) { <-time.After(9 * time.Second) } // the bubble's time
		out, err := probe.Job{Backend: s, Folder: t.TempDir(), Options: o}.Do(t.Context(), s.info)
		if err != nil || out.Path != "" || !strings.Contains(out.Headline(), "too slow") && !strings.Contains(out.Headline(), "called no tool") {
			t.Errorf("%v, %s", err, out.Headline())
		}
		last := out.Report.Ways[len(out.Report.Ways)-1]
		if last.Whole {
			t.Errorf("%+v", out.Report.Ways)
		}
	})
}

// TestWaitingDoesNotCount: while chats have the model, the time of the probe stands still.
func TestWaitingDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &speaker{info: newModel(), can: ways("text")}
		held := 0
		o := probe.Options{ContextSize: 8192, Limit: time.Minute, Turn: func(context.Context) (func(), error) {
			<-time.After(time.Minute)
			held++
			return func() { held-- }, nil
		}}
		out, err := probe.Job{Backend: s, Folder: t.TempDir(), Options: o}.Do(t.Context(), s.info)
		if err != nil || out.Report.Best != "text" || held != 0 {
			t.Errorf("%v, %s, %d turns are held", err, out.Headline(), held)
		}
	})
}

func TestProgressCountsToTheEnd(t *testing.T) {
	for _, can := range []func(string, string) bool{ways("native"), ways("text"), nil} {
		s := &speaker{info: model.Info{Name: "m", Capabilities: []string{"tools"}}, can: can}
		var total, begun, found int
		o := probe.Options{
			Profile: model.Profile{Formats: []string{"native"}, Constraint: model.Constrainable, Thinking: "none"}, ContextSize: 4096,
			Progress: func(d, n int, _ string) {
				if d < begun || d >= n {
					t.Errorf("%d of %d after %d", d, n, begun)
				}
				begun, total = d, n
			},
			Found: func(probe.Finding) { found++ },
		}
		if _, err := probe.Run(t.Context(), s, s.info, o); err != nil {
			t.Fatal(err)
		}
		if found != total || total < 20 {
			t.Errorf("%d of %d were found", found, total)
		}
	}
}

// TestIsShort estimates the whole probe from above for the machine that numbers are given for: 30 tokens a second
// written and 70 read, every reply as long as it may be, and only the beginning that a request shares with the one
// before cached.
func TestIsShort(t *testing.T) {
	for name, can := range map[string]func(string, string) bool{"all ways work": ways("native", "guided", "text"), "none does": nil, "the last does": ways("text")} {
		s := &speaker{info: model.Info{Name: "qwen2.5-coder:1.5b", Family: "qwen2", Parameters: "1.5B", Capabilities: []string{"completion", "tools"}}, can: can}
		report := run(t, s)
		seconds := s.unread/70 + s.wrote/30 + 3*4 // the model is loaded three times
		t.Logf("%s: %d ways, %d requests, %d tokens read, at most %d written: %d s", name, len(report.Ways), len(s.asked), s.unread, s.wrote, seconds)
		if seconds > 180 {
			t.Errorf("%s: the probe may take %d s", name, seconds)
		}
		for _, req := range s.asked {
			if req.MaxTokens == 0 || req.ContextSize != 8192 || req.Temperature == nil {
				t.Errorf("a request without its bounds: %+v", req)
			}
		}
	}
}

// TestNoProbeIsATask keeps the suites honest: they tell whether the probes choose well.
func TestNoProbeIsATask(t *testing.T) {
	s := &speaker{info: newModel(), can: ways("native", "guided", "text")}
	run(t, s)
	var tasks strings.Builder
	for _, path := range slices.Concat(must(filepath.Glob("../../cmd/eval/*.go")), must(filepath.Glob("../../cmd/eval/tasks/*.go"))) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		tasks.WriteString(strings.ToLower(strings.Join(strings.Fields(string(must(os.ReadFile(path)))), " ")) + "\n")
	}
	if !strings.Contains(tasks.String(), "config.ini") {
		t.Fatal("the tasks were not found")
	}
	for _, req := range s.asked {
		for _, m := range req.Messages {
			if m.Role != model.RoleUser && m.Role != model.RoleTool {
				continue
			}
			words := strings.Fields(strings.ToLower(m.Text))
			for i := 0; i+4 <= len(words); i++ {
				if part := strings.Join(words[i:i+4], " "); strings.Contains(tasks.String(), part) {
					t.Errorf("%q stands in a task", part)
				}
			}
			for _, file := range []string{"tides.log", "tide.log", "ropes.txt", "lobster"} {
				if strings.Contains(tasks.String(), file) {
					t.Errorf("%s stands in a task", file)
				}
			}
		}
	}
}

func TestPage(t *testing.T) {
	s := &speaker{info: newModel(), can: func(way, question string) bool { return way == "text" && question != fills }}
	folder := t.TempDir()
	out, err := do(t, s, folder)
	if err != nil {
		t.Fatal(err)
	}
	page := out.Page(nil)
	for _, want := range []string{
		"# How Somebody/New-Model:7b calls tools\n", "Somebody/New-Model:7b calls tools best as text: 12 of 15 points.", "Wrote " + out.Path,
		"tool calls: text instead of guided", "| text | 12 of 15 | 2 of 3 |", "| text | fills in arguments |", `no: no call: "I would have to look it up."`,
		"\n## What it wrote\n\nguided: calls a tool:\n\n    {", "\ntext: fills in arguments:\n\n    I would have to look it up.\n", "skipped: this way makes no calls",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	var table strings.Builder
	if err := out.Report.WriteTable(&table); err != nil || !strings.Contains(table.String(), "SECONDS") {
		t.Errorf("%v\n%s", err, table.String())
	}
	if early := out.Page(errors.New("gone|with `x`")); !strings.Contains(early, "gone\\|with 'x'") || !strings.Contains(early, "Nothing was written") {
		t.Error(early)
	}
}
