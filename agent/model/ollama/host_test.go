package ollama

import (
	"strings"
	"testing"
)

func TestParseHost(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "http://127.0.0.1:11434"},
		{"  ", "http://127.0.0.1:11434"},
		{"localhost", "http://localhost:11434"},
		{"LOCALHOST.:9000", "http://localhost:9000"},
		{"gpu.lan", "http://gpu.lan:11434"},
		{"gpu.lan:9000", "http://gpu.lan:9000"},
		{":9000", "http://127.0.0.1:9000"},
		{"0.0.0.0", "http://127.0.0.1:11434"},
		{"0.0.0.0:9000", "http://127.0.0.1:9000"},
		{"[::]:9000", "http://[::1]:9000"},
		{"::", "http://[::1]:11434"},
		{"::1", "http://[::1]:11434"},
		{"[fe80::2]", "http://[fe80::2]:11434"},
		{"http://gpu.lan", "http://gpu.lan:80"},
		{"https://gpu.lan", "https://gpu.lan:443"},
		{"http://gpu.lan:11434/", "http://gpu.lan:11434"},
		{"https://gpu.lan/ollama/", "https://gpu.lan:443/ollama"},
		{"http://0.0.0.0:11434", "http://127.0.0.1:11434"},
		{`"gpu.lan"`, "http://gpu.lan:11434"},
	} {
		got, err := ParseHost(test.text)
		if err != nil || got.String() != test.want {
			t.Errorf("%q: %v, %v; want %s", test.text, got, err, test.want)
		}
	}
	for _, text := range []string{"gpu.lan:port", "gpu.lan:0", "gpu.lan:65536", "gpu.lan:-1", "a:b:c", "ftp://gpu.lan", "gpu lan", "http://gpu.lan?x=1"} {
		if got, err := ParseHost(text); err == nil || !strings.Contains(err.Error(), "OLLAMA_HOST") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if _, err := ParseHost("http://me:secret@gpu.lan"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a password: %v", err)
	}
}

func FuzzParseHost(f *testing.F) {
	f.Add("https://gpu.lan:1/x")
	f.Add("[::]:9000")
	f.Fuzz(func(t *testing.T, text string) {
		u, err := ParseHost(text)
		if err == nil && (u.Port() == "" || u.Hostname() == "" || u.User != nil) {
			t.Errorf("%q became %q", text, u)
		}
	})
}
