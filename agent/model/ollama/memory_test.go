package ollama

import (
	"net/url"
	"os"
	"testing"
)

func TestMemory(t *testing.T) {
	for text, want := range map[string]int64{
		"MemTotal:       24737984 kB\nMemFree:        1 kB\nMemAvailable:   23456789 kB\nBuffers: 0 kB\n": 23456789 << 10,
		"MemAvailable: 1 kB":                      1 << 10,
		"MemTotal: 24737984 kB\n":                 0,
		"MemAvailable: many kB\n":                 0,
		"MemAvailable: -5 kB\n":                   0,
		"MemAvailable: 99999999999999999999 kB\n": 0,
		"": 0,
	} {
		if got := available(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	// Of a server elsewhere this machine's memory says nothing.
	for host, known := range map[string]bool{"localhost:1": true, "127.0.0.1:1": true, "gpu.lan:1": false, "192.0.2.1:1": false} {
		got := New(&url.URL{Scheme: "http", Host: host}, nil).Memory()
		if _, err := os.Stat(memoryFile); err != nil {
			known = false
		}
		if (got > 0) != known {
			t.Errorf("%s: %d bytes", host, got)
		}
	}
}
