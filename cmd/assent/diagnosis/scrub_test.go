package diagnosis

import (
	"strings"
	"testing"
)

func TestScrub(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USER", "melusine")
	t.Setenv("MY_TOKEN", "hunter22")
	s := NewScrubber(map[string]string{"gpubox": "SERVER"})
	for text, want := range map[string]string{
		"ok       Ollama at http://127.0.0.1:11434, version 0.32.1":                             "ok       Ollama at http://127.0.0.1:11434, version 0.32.1",
		"Ollama at https://llm.example.com/v1?key=x, version 1":                                 "Ollama at https://ADDRESS, version 1",
		"http://melusine:hunter22@127.0.0.1:1/":                                                 "http://ADDRESS",
		"gpu.lan:11434 is not on this machine":                                                  "ADDRESS is not on this machine",
		"192.168.1.5 and [2001:db8::1]:80 and [::1]:80":                                         "ADDRESS and ADDRESS and [::1]:80",
		"the file " + home + "/x.json, and ~/y, and C:\\Users\\me\\z":                           "the file PATH, and PATH, and PATH",
		"(/srv/secret/plan) =/opt/x /usr/bin/bwrap /proc/self":                                  "(PATH) =PATH /usr/bin/bwrap /proc/self",
		`the server said "a secret of yours"`:                                                   `the server said "…"`,
		"The server GpuBox is down; Melusine, hunter22":                                         "The server SERVER is down; USER, SECRET",
		"qwen2.5-coder:1.5b, 0.9 GiB on disk; 8192 tokens":                                      "qwen2.5-coder:1.5b, 0.9 GiB on disk; 8192 tokens",
		"its certificate is not for the host llm.example.com; see servers.json and docs/mcp.md": "its certificate is not for the host ADDRESS; see servers.json and docs/mcp.md",
		"gpu:11434 and localhost:11434 and [::1]:9":                                             "ADDRESS and localhost:11434 and [::1]:9",
		"ok  assent v1.2.3": "ok  assent v1.2.3",
	} {
		if got := s.Line(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
		if got := s.Line(text); !s.Clean(got) {
			t.Errorf("%q is not clean", got)
		}
	}
	if s.Clean("a " + strings.ToUpper("hunter22") + " b") {
		t.Error("a secret counts as clean")
	}
}
