package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/tools/userstate"
)

const profileFile = "config/assent/profiles/probed-qwen2.5-coder-1.5b.toml"

func TestProbe(t *testing.T) {
	s := newUser(t, "turn repeat\nsay {\"name\":\"read_file\",\"arguments\":{\"path\":\"tides.log\"}}\n")
	out, notes, status := s.run("doctor", "--probe", "qwen2.5-coder:1.5b")
	if status != 0 {
		t.Fatalf("%d\n%s\n%s", status, out, notes)
	}
	for _, want := range []string{"SECONDS", "guided  calls a tool", "calls tools best as guided: 5 of 15 points", "Wrote " + filepath.Join(os.Getenv("HOME"), profileFile)} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if !strings.Contains(notes, "1 of 31  guided: calls a tool\n        ok, ") {
		t.Errorf("notes are\n%s", notes)
	}
	if models, _, _ := s.run("models"); !strings.Contains(models, "guided") || !strings.Contains(models, "name qwen2.5-coder:1.5b and family qwen2") {
		t.Errorf("the profile is not used:\n%s", models)
	}
}

// TestProbeForPrograms: one line says what was found; how far it is goes elsewhere.
func TestProbeForPrograms(t *testing.T) {
	s := newUser(t, "turn repeat\nsay {\"name\":\"read_file\",\"arguments\":{\"path\":\"tides.log\"}}\n")
	out, notes, status := s.run("doctor", "--probe", "qwen2.5-coder:1.5b", "--json")
	var line listing.Probed
	if err := json.Unmarshal([]byte(out), &line); err != nil || status != 0 || strings.Count(out, "\n") != 1 {
		t.Fatalf("%v, %d\n%s\n%s", err, status, out, notes)
	}
	if line.Best != "guided" || line.Profile != filepath.Join(os.Getenv("HOME"), profileFile) || len(line.Ways) == 0 ||
		line.Ways[0].Points != 5 || line.Ways[0].MaxPoints != 15 || len(line.Findings) == 0 || !strings.Contains(notes, "1 of 31") {
		t.Errorf("%+v\n%s", line, notes)
	}
}

func TestProbeOfAServerThatFails(t *testing.T) {
	s := newUser(t, "turn\nsay one\nturn\nsay two\nturn repeat\nstatus 500 out of memory\n")
	out, notes, status := s.run("doctor", "--probe", "qwen2.5-coder:1.5b")
	if status != 0 || !strings.Contains(out, `no call: "one"`) || !strings.Contains(out, "out of memory") {
		t.Errorf("%d\n%s\n%s", status, out, notes)
	}
	if _, err := os.Stat(filepath.Join(os.Getenv("HOME"), profileFile)); err == nil {
		t.Error("a profile was written")
	}
}

func TestProbeOfAModelThatIsProbed(t *testing.T) {
	s := newUser(t, "turn repeat\nsay one\n")
	state, err := userstate.OpenState("")
	if err != nil {
		t.Fatal(err)
	}
	unlock, _, err := state.LockChat(filepath.Join(os.Getenv("HOME"), profileFile))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	out, notes, status := s.run("doctor", "--probe", "qwen2.5-coder:1.5b")
	if status != 1 || !strings.Contains(notes, "is probed by assent (process ") {
		t.Errorf("%d\n%s\n%s", status, out, notes)
	}
}
