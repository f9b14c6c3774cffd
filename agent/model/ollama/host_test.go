package ollama

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/internal/network"
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

// TestPlace: however a server is spelled, it is one, so that requests to it are in one queue.
func TestPlace(t *testing.T) {
	for want, all := range map[string][]string{
		"this machine port 11434": {"", "localhost", "LocalHost.", "127.0.0.1:11434", "[::1]", "0.0.0.0", "::", "http://localhost:11434/", "[::ffff:127.0.0.1]"},
		"this machine port 9000":  {":9000", "127.0.0.1:09000"},
		"gpu.lan port 80":         {"http://gpu.lan", "http://GPU.lan./", "gpu.lan:80", "http://gpu.lan:80/ollama"},
		"gpu.lan port 11434":      {"gpu.lan"},
		"2001:db8::1 port 11434":  {"2001:DB8::1", "[2001:db8:0::1]:11434"},
	} {
		for _, text := range all {
			b, err := Open(network.New(false, nil), text, "")
			if err != nil || b.Place() != want {
				t.Errorf("%q: %v, %v; want %s", text, b.Place(), err, want)
			}
		}
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
