package transport

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

// Promise 9.
func TestSecrets(t *testing.T) {
	var none *Secrets
	s := &Secrets{}
	for _, text := range []string{"sk-12", "Bearer sk-1234/5", "abc"} {
		s.Keep(text)
	}
	for text, want := range map[string]string{
		"no": "no", "abc": "abc", // too short: it would be found everywhere
		"Bearer sk-1234/5": "…", "is sk-1234/5 yours": "is … yours", "sk-1234%2F5": "…", "sk-12": "…", "sk-123": "…3",
	} {
		if got := s.Hide(text); got != want || none.Hide(text) != text {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	kept := &Secrets{}
	for _, text := range []string{"Basic bWU6aHVudGVyMg==", "token tk-77777", "blue team"} {
		kept.Keep(text)
	}
	for text, want := range map[string]string{
		"Basic bWU6aHVudGVyMg==": "…", "got bWU6aHVudGVyMg== from you": "got … from you", "me:hunter2 is wrong": "… is wrong", "hunter2": "…",
		"tk-77777": "…", "token": "token", "team": "team",
	} {
		if got := kept.Hide(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	clean := fmt.Errorf("no such file: %w", fs.ErrNotExist)
	if err := s.Error(clean); !errors.Is(err, fs.ErrNotExist) || s.Error(nil) != nil {
		t.Errorf("%v", err)
	}
	if err := s.Error(fmt.Errorf("sk-1234/5: %w", fs.ErrNotExist)); err.Error() != "…: file does not exist" || errors.Unwrap(err) != nil {
		t.Errorf("%v", err)
	}
}
