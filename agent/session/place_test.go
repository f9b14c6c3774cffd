package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// In a workspace with more files than a model can choose from it chooses from those that have words of the request, and those that results name.
func TestPathsOfALargeWorkspace(t *testing.T) {
	const deep, named = "z/y/x/unknown.txt", "lib/harbour/pilots.txt"
	l := newLab(t, says(
		`{"do":"look","tool":"search_files","arguments":{"pattern":"ebb"}}`,
		`{"do":"look","tool":"read_file","arguments":{"path":"`+deep+`"}}`,
		doesTalk,
	)...)
	for _, folder := range []string{"a", filepath.Dir(deep), filepath.Dir(named)} {
		if err := os.MkdirAll(filepath.Join(l.root, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 400 {
		l.write(fmt.Sprintf("a/%d.txt", i), "filler\n")
	}
	l.write(deep, "ebb at six\n")
	l.write(named, strings.Repeat("Pilots live here. ", 300)+"\n")
	requests, chat := guide(t, l, "Please find out about the pilots.")
	if len(requests) < 3 {
		t.Fatalf("%d requests:\n%s", len(requests), chat)
	}
	for i, want := range []bool{false, true} {
		format := string(requests[i].Format)
		if !strings.Contains(format, named) || strings.Contains(format, deep) != want || strings.Count(format, "a/1") < 5 {
			t.Errorf("request %d: has the file with the words %t, the one that was found %t, %d of the others", i+1,
				strings.Contains(format, named), strings.Contains(format, deep), strings.Count(format, "a/1"))
		}
	}
	if !strings.Contains(chat, "ebb at six") {
		t.Errorf("it was not read:\n%s", chat)
	}
}
