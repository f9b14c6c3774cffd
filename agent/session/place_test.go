package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/guidance/relevant"
)

// A workspace with more files than a model can choose from: every file that exists can be read and edited, named by a
// free path, and a wrong path is answered with the nearest ones.
// F15.
func TestPathsOfALargeWorkspace(t *testing.T) {
	const deep = "z/y/x/unknown.txt"
	l := newLab(t, says(
		`{"do":"look","tool":"read_file","arguments":{"path":"z/y/unknwon.txt"}}`,
		`{"do":"look","tool":"read_file","arguments":{"path":"`+deep+`"}}`,
		doesTalk,
	)...)
	for _, folder := range []string{"a", filepath.Dir(deep), "lib/harbour"} {
		if err := os.MkdirAll(filepath.Join(l.root, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 400 {
		l.write(fmt.Sprintf("a/%d.txt", i), "filler\n")
	}
	l.write(deep, "ebb at six\n")
	l.write("lib/harbour/pilots.txt", strings.Repeat("Pilots live here. ", 300)+"\n")
	requests, chat := guide(t, l, "Please find out about the pilots.")
	if len(requests) != 3 {
		t.Fatalf("%d requests:\n%s", len(requests), chat)
	}
	for _, file := range []string{"a/1.txt", "a/399.txt", deep, "lib/harbour/pilots.txt", "README.md"} {
		for i, r := range requests {
			for tool, more := range map[string]string{"read_file": "", "edit_file": `,"old_text":"a","new_text":"b"`, "write_file": `,"content":"b"`} {
				apart := tool == "write_file" && mayCall(t, r, tool, `{"path":"`+file+`"}`)
				if !mayCall(t, r, tool, `{"path":"`+file+`"`+more+`}`) && !apart {
					t.Errorf("request %d: %s of %s is excluded", i+1, tool, file)
				}
			}
		}
	}
	if strings.Count(string(requests[0].Format), "a/1") > 0 {
		t.Errorf("paths that have nothing to do with the message are listed: %s", requests[0].Format)
	}
	if !strings.Contains(chat, deep) || !strings.Contains(chat, "ebb at six") {
		t.Errorf("the nearest path is not named, or not read:\n%s", chat)
	}
}

// In a large workspace nothing is attached that does not fit well, and a question about the world is answered without a
// look.
func TestNothingIsAttachedThatFitsBadly(t *testing.T) {
	for message, want := range map[string]string{
		"What is the capital of France?":                             "",
		"Who wrote the first novel, and when was it printed?":        "",
		"Where is the function that parses a duration string?":       "src/time/format.go",
		"What does the function that parses a duration string give?": "src/time/format.go",
	} {
		l := newLab(t, says(doesTalk, "Paris.")...)
		l.env.Words = &relevant.Words{}
		for _, folder := range []string{"src/time", "src/net", "src/misc"} {
			if err := os.MkdirAll(filepath.Join(l.root, folder), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		words := strings.Fields("string function where parse reader writer first print letter file path name value return error buffer test case when")
		for i := range 600 { // words of most messages are somewhere, by chance
			var text strings.Builder
			for k := range 40 {
				text.WriteString(words[(i*7+k*k*3+k)%len(words)] + " ")
			}
			l.write(fmt.Sprintf("src/misc/f%d.txt", i), text.String()+"\n")
		}
		for i := range 3 {
			l.write(fmt.Sprintf("src/net/case%d.txt", i), "A name begins with a capital letter.\n")
		}
		l.write("src/time/format.go", "package time\n\n// ParseDuration parses a duration string.\nfunc ParseDuration(s string) (Duration, error) { return 0, nil }\n")
		_, chat := guide(t, l, message)
		attached := ""
		for _, part := range strings.Split(chat, "```context file ")[1:] {
			name, _, _ := strings.Cut(part, "\n")
			attached += name + " "
		}
		if attached = strings.TrimSpace(attached); attached != want {
			t.Errorf("%s: attached: %q, not %q", message, attached, want)
		}
		if strings.Contains(chat, "```tool") || !strings.Contains(chat, "## Assistant\n\n") {
			t.Errorf("%s:\n%s", message, chat)
		}
	}
}

// What a .gitignore excludes and where a link leads can be read and edited: it exists, though no list of files has it.
func TestPathsThatNoListHas(t *testing.T) {
	l := newLab(t, says(doesTalk, doesTalk, doesTalk)...)
	for _, folder := range []string{"build/logs", "src"} {
		if err := os.MkdirAll(filepath.Join(l.root, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l.write(".gitignore", "build/\n*.secret\n")
	l.write("build/logs/out.log", "an error\n")
	l.write("src/key.secret", "none\n")
	if err := os.Symlink("README.md", filepath.Join(l.root, "LINK.md")); err != nil {
		t.Fatal(err)
	}
	requests, _ := guide(t, l, "Please look into what went wrong.")
	for _, file := range []string{"build/logs/out.log", "src/key.secret", "LINK.md", "README.md"} {
		if !mayCall(t, requests[0], "read_file", `{"path":"`+file+`"}`) || !mayCall(t, requests[0], "edit_file", `{"path":"`+file+`","old_text":"a","new_text":"b"}`) {
			t.Errorf("%s is excluded: %s", file, requests[0].Format)
		}
	}
	for _, folder := range []string{"build", "build/logs", "src"} {
		if !mayCall(t, requests[0], "list_directory", `{"path":"`+folder+`"}`) {
			t.Errorf("%s is excluded", folder)
		}
	}
	if mayCall(t, requests[0], "read_file", `{"path":"nowhere.md"}`) {
		t.Error("a file that does not exist can be named, though all are known")
	}
}
