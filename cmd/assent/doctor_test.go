//go:build unix

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/diskfile/diskfiletest"
)

// A machine where all is well takes a dozen lines, and each says what it is about.
func TestDoctorOfAHealthyMachine(t *testing.T) {
	s := newUser(t, "turn\nsay Hello.\n")
	t.Chdir(s.root)
	theFile(s, filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", "permissions.json"), `{"allow": [{"tool": "edit_file", "paths": ["src/**"]}]}`)
	out, notes, status := s.run("doctor")
	if status != 0 || strings.Contains(out, "MISSING") || strings.Count(out, "\n") > 20 {
		t.Errorf("status %d\n%s%s", status, out, notes)
	}
	for _, line := range []string{"ok       state folder: ", "ok       Ollama at 127.0.0.1:", "ok       rules: 1 in ", "GiB free"} {
		if !strings.Contains(out, line) {
			t.Errorf("no %q in\n%s", line, out)
		}
	}
}

// Each line about something wrong says what to do.
func TestDoctorSaysWhatToDo(t *testing.T) {
	s := newUser(t, "version 0.9.6\nturn\nsay Hello.\n")
	t.Chdir(s.root)
	s.settings(`{"max-steps": 3}`)
	theFile(s, filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", "permissions.json"), `{"alow": []}`)
	theFile(s, filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "helix", "languages.toml"), `command = "/no/such/assent"`)
	theFile(s, filepath.Join(s.stateFolder(), "trust.json"), `{"version": 1, "data": {}}`)
	if err := os.Chmod(s.stateFolder(), 0o755); err != nil {
		t.Fatal(err)
	}
	out, _, status := s.run("doctor")
	for _, line := range []string{
		"MISSING    update Ollama: version 0.9.6 has CVE-2026-7482 (", "The table of these is of 2026-11-28.",
		"max-steps is probably maxSteps: `assent doctor --fix` corrects it", "MISSING  rules: ", "alow",
		"editors: Helix: /no/such/assent does not exist (see ", "others may read the folder", "`assent doctor --fix` makes it private",
	} {
		if status != 1 || !strings.Contains(out, line) {
			t.Errorf("status %d, no %q in\n%s", status, line, out)
		}
	}
}

func TestEgressListsWhatWasContacted(t *testing.T) {
	s := newUser(t, "turn\nsay Hello.\n")
	t.Chdir(s.root)
	if out, _, status := s.run("doctor", "--egress"); status != 0 || !strings.Contains(out, "Nothing was contacted yet") {
		t.Errorf("status %d\n%s", status, out)
	}
	theFile(s, filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", "mcp.json"), `{"servers": {"far": {"type": "http", "url": "http://127.0.0.1:1/secret-path?key=secret-query"}}}`)
	s.run("mcp", "tools", "--folder", s.root, "far")
	if _, notes, status := s.run("run", "--folder", s.root, "secret-words"); status != 0 {
		t.Fatalf("status %d\n%s", status, notes)
	}
	out, notes, status := s.run("doctor", "--egress")
	host := strings.TrimPrefix(os.Getenv("OLLAMA_HOST"), "http://")
	for _, want := range []string{"WHO", "model server", host, "MCP server far", "127.0.0.1:1 ", "since "} {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("status %d, no %q in\n%s%s", status, want, out, notes)
		}
	}
	raw, err := os.ReadFile(filepath.Join(s.stateFolder(), "egress.jsonl"))
	if err != nil || strings.Contains(string(raw)+out, "secret") {
		t.Errorf("%v\n%s\n%s", err, raw, out)
	}
}

// Canaries are in every place that a report could take them from.
// Promise 9.
func TestABundleTellsNothing(t *testing.T) {
	const canary = "zyzzyva7"
	t.Setenv("MY_API_KEY", canary+"env")
	t.Setenv("USER", canary+"user")
	s := newUser(t, "turn\nsay "+canary+" Hello.\n")
	home := filepath.Join(t.TempDir(), canary+"home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, ".state"))
	s.root = filepath.Join(home, canary+"project")
	s.write(canary+".txt", canary)
	t.Chdir(s.root)
	config := func(name, text string) { theFile(s, filepath.Join(home, ".config", "assent", name), text) }
	s.settings(`{"searchEndpoint": "http://` + canary + `.lan/", "systemPrompt": "` + canary + `", "` + canary + `": 1, "privateHosts": ["` + canary + `.lan"]}`)
	config("servers.json", `{"servers": [{"name": "`+canary+`box", "url": "http://`+canary+`.invalid:1", "key": "`+canary+`key", "headers": {"X": "`+canary+`"}},
		{"name": "b", "url": "http://127.0.0.1:1", "keyCommand": ["/no/`+canary+`"]}]}`)
	config("mcp.json", `{"servers": {"`+canary+`mcp": {"type": "http", "url": "http://127.0.0.1:1/`+canary+`", "headers": {"X": "`+canary+`"}}}}`)
	config("permissions.json", `{"allow": [{"tool": "`+canary+`"}], "`+canary+`": 1}`)
	config("databases.json", `{"`+canary+`db": {"kind": "sqlite", "file": "/srv/`+canary+`.db"}}`)
	theFile(s, filepath.Join(home, ".config", "helix", "languages.toml"), `command = "~/`+canary+`/assent"`)
	s.run("run", "--folder", s.root, "--model", "ollama/qwen2.5-coder:1.5b", canary+"?")
	s.run("mcp", "tools", "--folder", s.root, canary+"mcp")
	file := filepath.Join(t.TempDir(), "report.txt")
	out, notes, status := s.run("doctor", "--bundle", file)
	raw, err := os.ReadFile(file)
	if err != nil || status != 0 {
		t.Fatalf("%v, status %d\n%s%s", err, status, out, notes)
	}
	report := string(raw)
	if !strings.Contains(out, canary) {
		t.Errorf("nothing had to be taken out of\n%s", out)
	}
	if strings.Contains(strings.ToLower(report), strings.ToLower(canary)) {
		t.Errorf("the report tells\n%s", report)
	}
	for _, want := range []string{"assent ", "settings: searchEndpoint, systemPrompt, an unknown key, privateHosts", "contacted ", "by model server", "MISSING", "by MCP server"} {
		if !strings.Contains(report, want) {
			t.Errorf("no %q in\n%s", want, report)
		}
	}
	if _, notes, status := s.run("doctor", "--bundle", file); status != exitUsage || !strings.Contains(notes, "is there already") {
		t.Errorf("a second report: status %d\n%s", status, notes)
	}
}

// Nobody is asked without a terminal, and nothing changes; a person says yes to all of it, or to nothing.
func TestFix(t *testing.T) {
	s := newUser(t, "")
	t.Chdir(s.root)
	const wrong, right = "{\n  // mine\n  \"max-steps\": 3\n}\n", "{\n  // mine\n  \"maxSteps\": 3\n}\n"
	s.settings(wrong)
	settings := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", "settings.json")
	theFile(s, filepath.Join(s.stateFolder(), "locks", "a.owner"), "gone")
	if err := os.Chmod(s.stateFolder(), 0o755); err != nil {
		t.Fatal(err)
	}
	is := func(text string, mode fs.FileMode) {
		t.Helper()
		raw, err := os.ReadFile(settings)
		info, statErr := os.Stat(s.stateFolder())
		if err != nil || statErr != nil || string(raw) != text || info.Mode().Perm() != mode {
			t.Errorf("%v, %v: %q, %v", err, statErr, raw, info.Mode())
		}
	}
	out, notes, status := s.run("doctor", "--fix")
	if status != exitUnanswered || !strings.Contains(out, "write maxSteps in place of max-steps") || !strings.Contains(notes, "nothing was changed") {
		t.Errorf("status %d\n%s%s", status, out, notes)
	}
	is(wrong, 0o755)
	out, _, status = s.run("doctor", "--fix", "--json")
	if status != exitUnanswered || !strings.Contains(out, `"says":"write maxSteps in place of max-steps: `) || strings.Count(out, `"done":false`) != 3 {
		t.Errorf("status %d\n%s", status, out)
	}
	p := s.sitDown(nil, "doctor", "--fix")
	p.sees("a.owner")
	p.sees("[n] do nothing: ")
	p.types("n\r")
	p.sees("Nothing was changed.")
	is(wrong, 0o755)
	p = s.sitDown(nil, "doctor", "--fix", "--json")
	p.sees("[n] do nothing: ")
	p.types("y\r")
	p.sees(`{"says":"wrote maxSteps in place of max-steps`)
	if status, screen := p.leaves(); status != 0 {
		t.Errorf("status %d\n%s", status, screen)
	}
	is(right, 0o700)
	if out, _, status := s.run("doctor", "--fix", "--json"); status != 0 || out != "" {
		t.Errorf("status %d\n%s", status, out)
	}
	if out, _, status := s.run("doctor", "--fix"); status != 0 || !strings.Contains(out, "Nothing here can be mended") {
		t.Errorf("status %d\n%s", status, out)
	}
}

func TestProbeOfAllModels(t *testing.T) {
	s := newUser(t, "model one:1b\nmodel two:1b\nmodel far:1b remote-host=https://ollama.com:443 remote-model=x\nturn repeat\nsay {\"name\":\"read_file\",\"arguments\":{\"path\":\"tides.log\"}}\n")
	out, notes, status := s.run("doctor", "--probe")
	if status != 0 || !strings.Contains(notes, "model 1 of 2: one:1b") || !strings.Contains(notes, "model 2 of 2: two:1b") || strings.Contains(notes, "far:1b") {
		t.Fatalf("status %d\n%s\n%s", status, out, notes)
	}
	for _, name := range []string{"one", "two"} {
		if _, err := os.Stat(filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", "profiles", "probed-"+name+"-1b.toml")); err != nil {
			t.Error(err)
		}
	}
}

// Where the state cannot be kept, one sentence says what to do, and nothing is lost or half written.
func TestDoctorOfAMachineInTrouble(t *testing.T) {
	t.Run("a newer state folder", func(t *testing.T) {
		s := newUser(t, "")
		t.Chdir(s.root)
		theFile(s, filepath.Join(s.stateFolder(), "version"), "7\n")
		for _, args := range [][]string{{"doctor"}, {"models"}, {"run", "Hello?"}} {
			_, notes, status := s.run(args...)
			if status != 1 || !strings.Contains(notes, "was written by a newer Assent") || strings.Count(notes, "\n") != 1 {
				t.Errorf("%q: status %d\n%s", args, status, notes)
			}
		}
		if entries, err := os.ReadDir(s.stateFolder()); err != nil || len(entries) != 1 {
			t.Errorf("%v, %v", entries, err)
		}
	})
	t.Run("no home folder", func(t *testing.T) {
		s := newUser(t, "")
		t.Chdir(s.root)
		for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
			t.Setenv(name, "")
		}
		if _, notes, status := s.run("doctor"); status != 1 || !strings.Contains(notes, "set HOME, or XDG_CONFIG_HOME and XDG_STATE_HOME") || strings.Count(notes, "\n") != 1 {
			t.Errorf("status %d\n%s", status, notes)
		}
	})
	t.Run("a home folder that can only be read", func(t *testing.T) {
		s := newUser(t, "")
		t.Chdir(s.root)
		t.Setenv("XDG_STATE_HOME", "/proc/nothing") // root may write everywhere else
		out, notes, status := s.run("doctor")
		if status != 1 || !strings.Contains(out, "set XDG_STATE_HOME to a folder that you may write") || strings.Count(notes, "state folder") > 1 {
			t.Errorf("status %d\n%s%s", status, out, notes)
		}
	})
	t.Run("a full disk", func(t *testing.T) {
		helper := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDiskReport$", "-test.v")
		helper.Env = append(os.Environ(), "FULL_DISK_REPORT=yes")
		if out, err := helper.CombinedOutput(); err != nil || !strings.Contains(string(out), "nothing was left") {
			t.Errorf("%v:\n%s", err, out)
		}
	})
}

// TestFullDiskReport is not a test of its own: it is a part of the one above, in a process that may be limited.
func TestFullDiskReport(t *testing.T) {
	if os.Getenv("FULL_DISK_REPORT") == "" {
		return
	}
	s := newUser(t, "")
	t.Chdir(s.root)
	file := filepath.Join(t.TempDir(), "report.txt")
	diskfiletest.Limited(t, 10, func() {
		_, notes, status := s.run("doctor", "--bundle", file)
		if status != 1 || !strings.Contains(notes, "nothing of it is left there") {
			t.Errorf("status %d\n%s", status, notes)
		}
	})
	if _, err := os.Stat(file); err == nil {
		t.Error("half a report is left")
	}
	t.Log("nothing was left")
}
