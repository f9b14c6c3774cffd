package main

import (
	"strings"
	"testing"
)

func TestABrowserIsOpenedOnEachSystem(t *testing.T) {
	for system, want := range map[string]string{
		"linux": "xdg-open", "freebsd": "xdg-open", "darwin": "open", "windows": "rundll32 url.dll,FileProtocolHandler",
	} {
		if got := strings.Join(opener(system), " "); got != want {
			t.Errorf("on %s it is %q, want %q", system, got, want)
		}
	}
}
