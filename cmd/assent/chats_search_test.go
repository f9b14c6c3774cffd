//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const threeWeeks = 21 * 24 * time.Hour

// aged makes the last change of a file older.
func (s *user) aged(path string, by time.Duration) {
	s.t.Helper()
	when := time.Now().Add(-by)
	if err := os.Chtimes(path, when, when); err != nil {
		s.t.Fatal(err)
	}
}

// TestAChatIsFoundAndPinned: by a word of three weeks ago, also from another folder, and a pin outlives the process.
func TestAChatIsFoundAndPinned(t *testing.T) {
	s := newUser(t, "turn\nsay: The mutex was held twice, so it deadlocked.\n")
	if _, notes, status := s.run("run", "--folder", s.root, "Why does it hang?"); status != 0 {
		t.Fatal(status, notes)
	}
	path, _ := s.chat()
	if _, err := os.Stat(filepath.Join(os.Getenv("XDG_STATE_HOME"), "assent", "history")); err == nil {
		t.Error("there is an index before anybody searched")
	}
	s.aged(path, threeWeeks)
	other := t.TempDir()
	t.Chdir(other)
	out, notes, status := s.run("chats", "search", "mutex", "twice")
	day := time.Now().Add(-threeWeeks).Format(time.DateOnly)
	want := day + "  Why does it hang?  " + path + ":9\n    Assistant: The mutex was held twice, so it deadlocked.\n"
	if status != 0 || out != want || notes != "" {
		t.Errorf("status %d: %q\nwant %q\n%s", status, out, want, notes)
	}
	out, _, _ = s.run("chats", "search", "hang", "--json", "--since", "30d", "--folder", s.root)
	var hit map[string]any
	if err := json.Unmarshal([]byte(out), &hit); err != nil || hit["path"] != path || hit["turn"] != 1.0 || hit["line"] != 5.0 || hit["role"] != "You" {
		t.Errorf("as JSON: %s", out)
	}
	for _, args := range [][]string{{"hang", "--until", "30d"}, {"hang", "--folder", other}, {"zebra"}, {"hang", "--model", "other"}} {
		if out, notes, status := s.run(append([]string{"chats", "search"}, args...)...); out != "" || status != 0 || !strings.Contains(notes, "no chat that you may read has this") {
			t.Errorf("%q: %d %s%s", args, status, out, notes)
		}
	}
	for _, c := range [][]string{{"pin", "pinned: "}, {"pin", "it was pinned before: "}, {"unpin", "not pinned any more: "}, {"unpin", "it was not pinned: "}, {"pin", "pinned: "}} {
		if out, notes, status := s.run("chats", c[0], path); status != 0 || out != c[1]+path+"\n" {
			t.Errorf("%s: %d %s%s", c[0], status, out, notes)
		}
	}
	if out, _, _ := s.run("chats", "--folder", s.root); !strings.Contains(out, "  pinned: Why does it hang?  ") {
		t.Errorf("the list: %s", out)
	}
	if out, _, _ := s.run("chats", "--all", "--json"); !strings.Contains(out, `"pinned":true`) || strings.Count(out, "\n") != 1 {
		t.Errorf("all chats: %s", out)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if out, _, _ := s.run("chats", "search", "mutex"); out != "" {
		t.Errorf("a chat that is gone is found: %s", out)
	}
}

// TestNothingForgesARow: what others wrote into a chat stays on its line.
func TestNothingForgesARow(t *testing.T) {
	s := newUser(t, "")
	s.write("a.chat.md", "---\ntitle: \"x\\n2026-01-01  forged  y:1\\e[2J\"\n---\n\n## You\n\nneedle\r2026-01-01 forged\u2028row\n")
	s.write("b\nforged.chat.md", "## You\n\nneedle\n")
	for _, args := range [][]string{{"search", "needle", "--folder", s.root}, {"--folder", s.root}, {"prune", "--unused-for", "1d", "--dry-run", "--folder", s.root}} {
		s.aged(filepath.Join(s.root, "a.chat.md"), threeWeeks)
		out, _, _ := s.run(append([]string{"chats"}, args...)...)
		for line := range strings.Lines(out) {
			if strings.HasPrefix(line, "2026-01-01") || strings.HasPrefix(line, "forged") || strings.ContainsAny(line, "\x1b\r\u2028") {
				t.Errorf("%q forges %q", args, line)
			}
		}
	}
}

func TestAChatIsExported(t *testing.T) {
	s := newUser(t, "")
	s.write("a.chat.md", "---\ntitle: <b>Plan</b>\n---\n\n## You\n\nWhat <script>alert(1)</script>?\n\n```context file secret.txt\ncanary\n```\n\nAnd more\n\n## Assistant\n\n"+
		"```tool read_file id=1\npath: \"<x>\"\n```\n\n```result 1 ok\n</pre>\n```\n\nDone.\n")
	path := filepath.Join(s.root, "a.chat.md")
	out, notes, status := s.run("chats", "export", path)
	if want := "---\ntitle: <b>Plan</b>\n---\n\n## You\n\nWhat <script>alert(1)</script>?\n\nAnd more\n\n## Assistant\n\n```tool"; status != 0 || !strings.HasPrefix(out, want) {
		t.Errorf("Markdown: %d %s%s", status, out, notes)
	}
	var doc struct {
		Title string
		Turns []struct {
			Role   string
			Blocks []map[string]any
		}
	}
	asJSON, _, _ := s.run("chats", "export", path, "--json")
	if err := json.Unmarshal([]byte(asJSON), &doc); err != nil || len(doc.Turns) != 2 || len(doc.Turns[0].Blocks) != 2 || doc.Turns[1].Blocks[0]["tool"] != "read_file" {
		t.Errorf("JSON: %v %s", err, asJSON)
	}
	html := filepath.Join(s.root, "a.html")
	if out, notes, status := s.run("chats", "export", path, "--format", "html", "--output", html); status != 0 || out != "" {
		t.Errorf("HTML: %d %s%s", status, out, notes)
	}
	page := s.text("a.html")
	if strings.Contains(page, "<script") || strings.Count(page, "</pre>") != 5 || strings.Contains(page, "<b>") || !strings.Contains(page, "&lt;script&gt;") {
		t.Errorf("HTML: %s", page)
	}
	for _, text := range []string{out, asJSON, page} {
		if strings.Contains(text, "canary") {
			t.Errorf("what was attached is exported: %s", text)
		}
	}
	if _, notes, status := s.run("chats", "export", path, "--output", html); status != 1 || !strings.Contains(notes, "exists: name another file") {
		t.Errorf("a file was written over: %d %s", status, notes)
	}
	if out, _, _ := s.run("chats", "show", path, "--turn", "2"); !strings.HasPrefix(out, "## Assistant\n") {
		t.Errorf("show: %s", out)
	}
	for _, args := range [][]string{{"show", path, "--turn", "3"}, {"export", path, "--format", "pdf"}, {"pin", "README.md"}, {"search", "x", "--since", "never"}, {"search", "x", "--limit", "0"}, {"prune", "--unused-for", "0d"}} {
		if _, notes, status := s.run(append([]string{"chats"}, args...)...); status != exitUsage || strings.Count(notes, "\n") != 1 {
			t.Errorf("%q: %d %s", args, status, notes)
		}
	}
}

// TestPruneMovesOldChats that are neither pinned nor open, and first says which.
func TestPruneMovesOldChats(t *testing.T) {
	s := newUser(t, "")
	for _, name := range []string{"old", "pinned", "open", "new"} {
		s.write(name+".chat.md", "## You\n\nThe "+name+" one\n")
		if name != "new" {
			s.aged(filepath.Join(s.root, name+".chat.md"), 2*threeWeeks)
		}
	}
	s.write("old.images/1.png", "x")
	if _, notes, status := s.run("chats", "pin", filepath.Join(s.root, "pinned.chat.md")); status != 0 {
		t.Fatal(notes)
	}
	unlock, _, err := s.state().LockChat(filepath.Join(s.root, "open.chat.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	s.run("chats", "search", "one", "--folder", s.root) // makes the index
	dry, notes, status := s.run("chats", "prune", "--unused-for", "30d", "--folder", s.root, "--dry-run")
	if status != 0 || strings.Count(dry, "\n") != 2 || !strings.Contains(dry, "The old one") || !strings.Contains(notes, "nothing was moved") {
		t.Errorf("%d %s%s", status, dry, notes)
	}
	before := s.names()
	out, notes, status := s.run("chats", "prune", "--unused-for", "30d", "--folder", s.root, "--json")
	if status != 1 || strings.Count(out, "\n") != 1 || !strings.Contains(notes, `"open.chat.md" is open in`) {
		t.Errorf("%d %s%s", status, out, notes)
	}
	if want := strings.ReplaceAll(strings.ReplaceAll(before, "old.chat.md ", ""), "old.images ", ""); s.names() != want {
		t.Errorf("left: %s, want %s", s.names(), want)
	}
	trash, err := filepath.Glob(filepath.Join(s.state().Dir(), "trash", "*-old.*"))
	if err != nil || len(trash) != 2 {
		t.Errorf("trash: %q %v", trash, err)
	}
	if out, _, _ := s.run("chats", "search", `"old one"`, "--folder", s.root); strings.Contains(out, "old.chat.md") {
		t.Errorf("found: %s", out)
	}
}
