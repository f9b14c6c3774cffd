package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// elsewhere is a server with a model of its own and one that runs elsewhere, under a name that does not say so.
const elsewhere = "model local:1b\nmodel harmless:1b remote-host=https://ollama.com:443 remote-model=gpt-oss:120b\n"

func (s *user) write(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

func (s *user) settings(text string) {
	s.t.Helper()
	path := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", "settings.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

const farChat = "---\nmodel: harmless:1b\n---\n\n## You\n\nWhat does README.md say?\n"

// Neither a workspace nor a chat sends anything to a model that runs elsewhere: nobody is there to be asked, so nothing
// is sent.
// Promise 9.
func TestNobodyElseNamesAModelElsewhere(t *testing.T) {
	for name, prepare := range map[string]func(s *user) []string{
		"a chat": func(s *user) []string { return []string{"send", s.write("far.chat.md", farChat)} },
		"a chat, over the user's own": func(s *user) []string {
			s.settings(`{"model":"local:1b"}`)
			return []string{"send", s.write("far.chat.md", farChat)}
		},
		"a workspace": func(s *user) []string {
			s.write(".assent/settings.json", `{"model":"harmless:1b"}`)
			return []string{"run", "What does README.md say?"}
		},
		"a workspace, by a cloud's name": func(s *user) []string {
			s.write(".assent/settings.json", `{"model":"gpt-oss:120b-cloud"}`)
			return []string{"run", "--approve", "edit_file", "What does README.md say?"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newUser(t, elsewhere+"model gpt-oss:120b-cloud\n") // a chat would be a mismatch
			args := append(prepare(s), "--folder", s.root)
			_, notes, status := s.run(args...)
			if status != 1 || !strings.Contains(notes, "runs at ollama.com and you did not name it yourself, so nothing was sent") {
				t.Errorf("status %d\n%s", status, notes)
			}
		})
	}
}

// A flag beats every file, and with it, or by their own settings file, the user names a model that runs elsewhere.
func TestTheUserNamesTheModel(t *testing.T) {
	const answer = "turn\njson {\"answer\":\"Hello.\"}\n"
	for _, test := range []struct {
		name, settings, workspace, chat string
		args                            []string
		far                             bool
	}{
		{"a flag over a chat", "", "", farChat, []string{"--model", "local:1b"}, false},
		{"a flag over a workspace", "", `{"model":"harmless:1b"}`, "## You\n\nHello?\n", []string{"--model", "local:1b"}, false},
		{"a flag over all", `{"model":"harmless:1b"}`, `{"model":"harmless:1b"}`, farChat, []string{"--model", "local:1b"}, false},
		{"a flag for one elsewhere", "", "", "## You\n\nHello?\n", []string{"--model", "harmless:1b"}, true},
		{"a flag for one elsewhere, as the chat", "", "", farChat, []string{"--model", "harmless:1b"}, true},
		{"their file", `{"model":"harmless:1b"}`, "", "## You\n\nHello?\n", nil, true},
		{"their file, as the chat", `{"model":"harmless:1b"}`, "", farChat, nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newUser(t, elsewhere+answer)
			if test.settings != "" {
				s.settings(test.settings)
			}
			if test.workspace != "" {
				s.write(".assent/settings.json", test.workspace)
			}
			path := s.write("ask.chat.md", test.chat)
			out, notes, status := s.run(append(test.args, "send", path, "--folder", s.root)...)
			if status != 0 || !strings.Contains(out, "Hello.") {
				t.Fatalf("status %d\n%s\n%s", status, out, notes)
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if told := strings.Contains(notes, "model harmless:1b, which runs at ollama.com"); told != test.far {
				t.Errorf("it is told: %v\n%s", told, notes)
			}
			if written := strings.Contains(string(raw), "```context model not-sent\nharmless:1b runs at ollama.com. This chat was sent there.\n```"); written != test.far {
				t.Errorf("the chat says so: %v\n%s", written, raw)
			}
		})
	}
}

func TestTheModelThatIsChosenFitsIntoMemory(t *testing.T) {
	s := newUser(t, "model huge:700b parameters=700B bytes=999999999999999\nmodel small:1b parameters=1B bytes=1000\nturn\njson {\"answer\":\"Hello.\"}\n")
	_, notes, status := s.run("run", "Hello?", "--folder", s.root)
	want := "model small:1b, "
	if _, err := os.Stat("/proc/meminfo"); err != nil {
		want = "model huge:700b, " // nobody knows
	}
	if status != 0 || !strings.Contains(notes, want) {
		t.Errorf("status %d\n%s", status, notes)
	}
	if out, _, _ := s.run("doctor"); !strings.Contains(out, strings.TrimSuffix(strings.TrimPrefix(want, "model "), ", ")+" answers when you name no model") {
		t.Errorf("doctor says\n%s", out)
	}
}

func TestDoctorSaysWhereModelsRunAndHowTheServerIsReached(t *testing.T) {
	s := newUser(t, elsewhere)
	t.Setenv("HTTP_PROXY", "http://proxy.invalid:1")
	out, _, status := s.run("doctor")
	for _, want := range []string{", version 0.32.15, reached directly\n", "ok       harmless:1b: ", "; runs at ollama.com\n", "local:1b answers when you name no model"} {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("status %d, no %q in\n%s", status, want, out)
		}
	}
	if models, _, _ := s.run("models"); strings.Count(models, "; runs at ollama.com\n") != 1 {
		t.Errorf("models says\n%s", models)
	}
	t.Setenv("OLLAMA_HOST", "gpu.invalid")
	if out, _, _ = s.run("doctor", "--ollama-proxy", "environment"); !strings.Contains(out, "through the proxy http://proxy.invalid:1") {
		t.Errorf("with a proxy:\n%s", out)
	}
}
