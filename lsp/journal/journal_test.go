package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const chat = "/home/someone/ask.chat.md"

func open(t *testing.T, dir string) *Journal {
	t.Helper()
	j, err := Open(dir, chat, "## You\nhello\n")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// pending returns what the journal of a chat holds, replies separated by an empty line; ok is false if it holds
// nothing.
func pending(t *testing.T, dir, chatPath string) (text string, ok bool) {
	t.Helper()
	replies, err := Replies(dir, chatPath)
	if err != nil {
		t.Error(err)
	}
	texts := make([]string, len(replies))
	for i, r := range replies {
		texts[i] = r.Text
	}
	return strings.Join(texts, "\n\n"), len(replies) > 0
}

func write(t *testing.T, j *Journal, pieces ...string) {
	t.Helper()
	for _, p := range pieces {
		if err := j.Append(p); err != nil {
			t.Fatal(err)
		}
	}
}

func TestKeepsUntilDiscarded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	j := open(t, dir)
	if _, ok := pending(t, dir, chat); ok {
		t.Error("something waits before anything was appended")
	}
	write(t, j, "A reply\n", "in two \"pieces\" 😀 \nand\x00 more  \n")
	want := "A reply\nin two \"pieces\" 😀 \nand\x00 more  \n"
	if text, ok := pending(t, dir, chat); !ok || text != want {
		t.Errorf("pending %q, %v, want %q", text, ok, want)
	}
	if text, ok := pending(t, dir, chat+"x"); ok {
		t.Errorf("another chat has %q", text)
	}
	replies, err := Replies(dir, chat)
	if err != nil || len(replies) != 1 || replies[0].Chat != chat || replies[0].Base != Hash("## You\nhello\n") {
		t.Errorf("replies %+v, %v", replies, err)
	}
	if err := j.Discard(); err != nil {
		t.Fatal(err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
	write(t, j, "next")
	if text, _ := pending(t, dir, chat); text != "next" {
		t.Errorf("after Discard: %q", text)
	}
	if err := j.Discard(); err != nil {
		t.Fatal(err)
	}
	if err := j.Discard(); err != nil {
		t.Errorf("a second time: %v", err)
	}
	if _, ok := pending(t, dir, chat); ok {
		t.Error("something waits after Discard")
	}
}

func TestCut(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	cut := func() bool {
		t.Helper()
		replies, err := Replies(dir, chat)
		if err != nil || len(replies) != 1 {
			t.Fatalf("replies %+v, %v", replies, err)
		}
		return replies[0].Cut
	}
	if err := j.Cut(); err != nil { // nothing was shown yet
		t.Fatal(err)
	}
	write(t, j, "one")
	if cut() {
		t.Error("cut before anything was")
	}
	for range 2 {
		if err := j.Cut(); err != nil {
			t.Fatal(err)
		}
	}
	write(t, j, " two")
	if text, _ := pending(t, dir, chat); !cut() || text != "one two" {
		t.Errorf("cut: %v, text %q", cut(), text)
	}
	if err := j.Discard(); err != nil {
		t.Fatal(err)
	}
	if write(t, j, "next"); cut() {
		t.Error("the next reply is cut too")
	}
	if err := j.Cut(); err != nil || !cut() {
		t.Errorf("the next reply cannot be cut: %v", err)
	}
}

func TestDrop(t *testing.T) {
	dir := t.TempDir()
	j := open(t, dir)
	write(t, j, "shown", " not 😀")
	if err := j.Drop(len([]rune(" not 😀"))); err != nil {
		t.Fatal(err)
	}
	write(t, j, " the mark")
	if text, _ := pending(t, dir, chat); text != "shown the mark" {
		t.Errorf("got %q", text)
	}
	if err := j.Drop(1000); err != nil {
		t.Fatal(err)
	}
	if text, ok := pending(t, dir, chat); ok {
		t.Errorf("left %q", text)
	}
}

func TestModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	write(t, open(t, dir), "x")
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for path, want := range map[string]os.FileMode{dir: 0o700 | os.ModeDir, files[0]: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
}

// Promise 10. Invariant 11.
func TestTornAtEveryByte(t *testing.T) {
	dir := t.TempDir()
	write(t, open(t, dir), "first ", "second ", "third")
	path := file(dir, chat)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		before, _ := pending(t, dir, chat)
		if !strings.HasPrefix("first second third", before) {
			t.Fatalf("torn at %d: %q", n, before)
		}
		write(t, open(t, dir), "later")
		if after, _ := pending(t, dir, chat); after != strings.TrimPrefix(before+"\n\nlater", "\n\n") {
			t.Fatalf("torn at %d: %q, then %q", n, before, after)
		}
	}
}

func TestFaults(t *testing.T) {
	dir := t.TempDir()
	blocked := filepath.Join(dir, "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(blocked, "below"), chat, ""); !errors.Is(err, ErrNotKept) {
		t.Errorf("folder below a file: %v, want ErrNotKept", err)
	}
	j := open(t, dir)
	if err := os.Mkdir(file(dir, chat), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := j.Append("x"); !errors.Is(err, ErrNotKept) {
		t.Errorf("a folder in its place: %v, want ErrNotKept", err)
	}
	if err := os.Remove(file(dir, chat)); err != nil {
		t.Fatal(err)
	}
	write(t, j, "again")
	if text, _ := pending(t, dir, chat); text != "again" {
		t.Errorf("after the fault: %q", text)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("\n{\"chat\":\"/a\"}\n{\"text\":\"b\"}\n{\"te"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(file(dir, chat), data, 0o600); err != nil {
			t.Fatal(err)
		}
		before, _ := Replies(dir, chat)
		write(t, open(t, dir), "more")
		after, err := Replies(dir, chat)
		if err != nil || len(after) < len(before)+1 || after[len(after)-1].Text != "more" {
			t.Fatalf("%+v, then %+v, %v", before, after, err)
		}
	})
}
