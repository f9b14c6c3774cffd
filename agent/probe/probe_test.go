package probe_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/probe"
)

// speaker is a model that understands questions but knows only some ways of calling.
type speaker struct {
	info  model.Info
	knows string // "native", "guided" or ""
	down  bool
	asked []model.Request
}

func (s *speaker) Name() string { return "fake" }

func (s *speaker) Version(context.Context) (string, error) {
	if s.down {
		return "", &model.Error{Kind: model.Unreachable, Sentence: "gone"}
	}
	return "1", nil
}

func (s *speaker) Models(context.Context) ([]model.Info, error) { return []model.Info{s.info}, nil }

func (s *speaker) Describe(context.Context, string) (model.Info, error) { return s.info, nil }

// Preload makes the model take 1,000 bytes and 10 for each token of context.
func (s *speaker) Preload(_ context.Context, _ string, size int, _ time.Duration) error {
	s.info.LoadedContext, s.info.LoadedBytes = size, 1000+10*int64(size)
	return nil
}

func (s *speaker) Chat(_ context.Context, req model.Request, each func(model.Chunk) error) error {
	s.asked = append(s.asked, req)
	if s.down {
		return &model.Error{Kind: model.Unreachable, Sentence: "gone"}
	}
	done := &model.Done{Reason: "stop", PromptTokens: 100, OutputTokens: 20, PromptTime: time.Second, OutputTime: 2 * time.Second}
	last := req.Messages[len(req.Messages)-1].Text
	tool, arguments := "get_weather", `{"city": "Lisbon"}`
	switch {
	case strings.Contains(last, "17 degrees"):
		return s.say(each, done, req, "It is 17 degrees.")
	case strings.Contains(last, "opposite of cold"):
		return s.say(each, done, req, "Hot")
	case strings.Contains(last, "kitchen"):
		tool, arguments = "set_lamp", `{"room": "kitchen", "percent": 40}`
	case strings.Contains(last, "boat"):
		return s.say(each, done, req, "Once upon a time.")
	}
	switch {
	case s.knows == "native" && req.Tools != nil:
		return each(model.Chunk{Calls: []model.Call{{Name: tool, Arguments: []byte(arguments)}}, Done: done})
	case s.knows == "native":
	case s.knows == "guided" && req.Format != nil:
		return each(model.Chunk{Text: `{"do": "look", "tool": "` + tool + `", "arguments": ` + arguments + `}`, Done: done})
	}
	return s.say(each, done, req, "I would have to call something.")
}

func (s *speaker) say(each func(model.Chunk) error, done *model.Done, req model.Request, text string) error {
	if req.Format != nil {
		text = `{"do": "talk", "answer": "` + text + `"}`
	}
	return each(model.Chunk{Text: text, Done: done})
}

func run(t *testing.T, s *speaker) probe.Report {
	t.Helper()
	known, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	profile, _ := known.For(s.info)
	report, err := probe.Run(t.Context(), s, s.info, probe.Options{Profile: profile, ContextSize: 8192, Memory: 200_000, Salt: "x"})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestPicksTheWayThatWorks(t *testing.T) {
	for _, way := range []string{"native", "guided"} {
		t.Run(way, func(t *testing.T) {
			s := &speaker{info: model.Info{Name: "Somebody/New-Model:7b", Family: "newfamily", Parameters: "7B", Capabilities: []string{"tools"}, ContextLimit: 9000}, knows: way}
			report := run(t, s)
			if report.Best != way || report.Ways[0].Points != probe.MaxPoints() {
				t.Fatalf("best is %s, ways are %+v", report.Best, report.Ways)
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

// TestProfileIsUsed writes the profile as a file and looks the model up again, also where the built-in rules would put
// another way first: a small model, and one for which the server offers no tools.
func TestProfileIsUsed(t *testing.T) {
	infos := map[string]model.Info{
		"unknown":  {Name: "new-model:7b", Family: "newfamily", Parameters: "7B", Capabilities: []string{"tools"}},
		"small":    {Name: "qwen2.5-coder:1.5b", Family: "qwen2", Parameters: "1.5B", Capabilities: []string{"tools"}},
		"no tools": {Name: "other:1b", Family: "gemma3", Parameters: "1B", Capabilities: []string{"completion"}},
	}
	for name, info := range infos {
		for _, way := range []string{"native", "guided", ""} {
			t.Run(name+" "+way, func(t *testing.T) {
				report := run(t, &speaker{info: info, knows: way})
				text, err := probe.File(report.Profile, "fake 1", time.Unix(0, 0))
				if err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(t.TempDir(), probe.FileName(info.Name))
				if err := os.WriteFile(path, text, 0o600); err != nil {
					t.Fatal(err)
				}
				known, err := model.LoadProfileFiles(path)
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				got, why := known.For(info)
				if got.Formats[0] != report.Best {
					t.Errorf("the model uses %s, not %s, because %s\n%s", got.Formats[0], report.Best, why, text)
				}
				if !slices.Contains(got.Formats, "text") {
					t.Errorf("formats are %v", got.Formats)
				}
			})
		}
	}
}

func TestDeadServerIsAnError(t *testing.T) {
	s := &speaker{info: model.Info{Name: "m", Capabilities: []string{"tools"}}, down: true}
	if _, err := probe.Run(t.Context(), s, s.info, probe.Options{Profile: model.Profile{Formats: []string{"native"}}, ContextSize: 4096}); err == nil {
		t.Error("a dead server was no error")
	}
}

func TestProgressCountsToTheEnd(t *testing.T) {
	s := &speaker{info: model.Info{Name: "m", Capabilities: []string{"tools"}}, knows: "native"}
	var last, total int
	o := probe.Options{Profile: model.Profile{Formats: []string{"native"}, Guided: true, Thinking: "none"}, ContextSize: 4096, Progress: func(d, n int, _ string) { last, total = d, n }}
	if _, err := probe.Run(t.Context(), s, s.info, o); err != nil {
		t.Fatal(err)
	}
	if last != total-1 || total < 20 {
		t.Errorf("the last probe began with %d of %d done", last, total)
	}
}
