//go:build unix

package history_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/assent-ls/assent/agent/session/history"
	"github.com/assent-ls/assent/tools/userstate"
)

// TestABrokenIndexIsMadeAnew, whatever is in its place, and the chats stay as they are.
func TestABrokenIndexIsMadeAnew(t *testing.T) {
	for name, breakIt := range map[string]func(t *testing.T, file string){
		"missing": func(t *testing.T, file string) { must(t, os.RemoveAll(filepath.Dir(file))) },
		"empty":   func(t *testing.T, file string) { must(t, os.Truncate(file, 0)) },
		"garbage": func(t *testing.T, file string) {
			must(t, os.WriteFile(file, []byte(strings.Repeat("no database ", 1000)), 0o600))
		},
		"cut off": func(t *testing.T, file string) {
			info, err := os.Stat(file)
			must(t, err)
			must(t, os.Truncate(file, info.Size()/2/4096*4096))
		},
		"cut off in a page": func(t *testing.T, file string) { must(t, os.Truncate(file, 5000)) },
		"overwritten": func(t *testing.T, file string) {
			f, err := os.OpenFile(file, os.O_WRONLY, 0)
			must(t, err)
			info, err := f.Stat()
			must(t, err)
			_, err = f.WriteAt([]byte(strings.Repeat("x", int(info.Size())-4096)), 4096)
			must(t, err)
			must(t, f.Close())
		},
		"of another version": func(t *testing.T, file string) { history.Exec(t, file, "PRAGMA user_version = 99") },
		"a table is missing": func(t *testing.T, file string) { history.Exec(t, file, "DROP TABLE turns") },
		"a pipe": func(t *testing.T, file string) {
			must(t, os.Remove(file))
			must(t, syscall.Mkfifo(file, 0o600))
		},
		"a folder": func(t *testing.T, file string) {
			must(t, os.Remove(file))
			must(t, os.Mkdir(file, 0o700))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			text := said("word", strings.Repeat("many words of an answer ", 400))
			path := b.write("a.chat.md", text)
			b.refresh()
			b.finds("word", "a0")
			must(t, b.history.Close())
			files, err := filepath.Glob(filepath.Join(b.state.Dir(), "history", "v*.db"))
			if err != nil || len(files) != 1 {
				t.Fatal(files, err)
			}
			breakIt(t, files[0])
			b.history = b.open()
			b.refresh()
			b.finds("word", "a0")
			b.finds("answer", "a1")
			if now, err := os.ReadFile(path); err != nil || string(now) != text {
				t.Errorf("the chat is another one: %v", err)
			}
			if files, _ = filepath.Glob(filepath.Join(b.state.Dir(), "history", "v*.db")); len(files) != 1 {
				t.Errorf("left behind: %q", files)
			}
		})
	}
}

// TestOlderIndexesAreRemoved, and newer ones are left alone.
func TestOlderIndexesAreRemoved(t *testing.T) {
	b := newBench(t)
	dir := filepath.Join(b.state.Dir(), "history")
	must(t, os.MkdirAll(dir, 0o700))
	for _, name := range []string{"v0-1.db", "v99-1.db"} {
		must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	b.write("a.chat.md", said("word"))
	b.refresh()
	b.finds("word", "a0")
	if _, err := os.Stat(filepath.Join(dir, "v99-1.db")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "v0-1.db")); err == nil {
		t.Error("an index of an older version stays")
	}
}

const many = 1200

// TestAKillLosesNothing kills a process that indexes at many moments; the next one goes on.
func TestAKillLosesNothing(t *testing.T) {
	if state := os.Getenv("HISTORY_TEST_INDEX"); state != "" {
		indexUntilKilled(t)
		return
	}
	b := newBench(t)
	for i := range many {
		b.write(fmt.Sprintf("%d.chat.md", i), said("word", fmt.Sprint("number", i)))
	}
	for _, at := range []int{1, 250, 499, 500, 501, 777, 1100} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAKillLosesNothing$")
		cmd.Env = append(os.Environ(), "HISTORY_TEST_INDEX="+b.root, "XDG_STATE_HOME="+filepath.Dir(b.state.Dir()))
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for lines.Scan() && lines.Text() != fmt.Sprint("took ", at) {
		}
		must(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
	}
	b.refresh()
	if hits := b.search(history.Query{Text: "word", Limit: 200}); len(hits) != 200 {
		t.Errorf("%d hits", len(hits))
	}
	for i := range many {
		if i%97 == 0 {
			b.finds(fmt.Sprint("number", i), fmt.Sprintf("%d1", i))
		}
	}
	if n := history.Count(t, b.history, "SELECT count(*) FROM turns"); n != 2*many {
		t.Errorf("%d turns, want %d", n, 2*many)
	}
	if n := history.Count(t, b.history, "SELECT count(*) FROM words0"); n != 2*many {
		t.Errorf("%d rows of words, want %d", n, 2*many)
	}
}

// indexUntilKilled indexes anew, chat by chat, and says so.
func indexUntilKilled(t *testing.T) {
	state, err := userstate.OpenState("")
	must(t, err)
	root := os.Getenv("HISTORY_TEST_INDEX")
	must(t, history.TakeAll(t.Context(), history.New(state, nil), root, many, func(n int) { fmt.Println("took", n) }))
	select {}
}

func TestTwoIndexAtOnce(t *testing.T) {
	b := newBench(t)
	for i := range 300 {
		b.write(fmt.Sprintf("%d.chat.md", i), said("word", "more words"))
	}
	var wait sync.WaitGroup
	for range 3 {
		h := b.open()
		wait.Go(func() {
			if _, err := h.Refresh(t.Context(), b.root); err != nil {
				t.Error(err)
			}
			if hits, err := h.Search(t.Context(), history.Query{Text: "word"}); err != nil || len(hits) != history.DefaultLimit {
				t.Errorf("%d hits: %v", len(hits), err)
			}
		})
	}
	wait.Wait()
	if n := history.Count(t, b.history, "SELECT count(*) FROM turns"); n != 600 {
		t.Errorf("%d turns", n)
	}
}

// TestTwoProcessesIndexAtOnce, each of which knows nothing of the other, and both find all chats.
func TestTwoProcessesIndexAtOnce(t *testing.T) {
	if root := os.Getenv("HISTORY_TEST_BOTH"); root != "" {
		state, err := userstate.OpenState("")
		must(t, err)
		h := history.New(state, nil)
		fmt.Println("there")
		_, err = os.Stdin.Read(make([]byte, 1)) // until both are there
		must(t, err)
		_, err = h.Refresh(t.Context(), root)
		must(t, err)
		hits, err := h.Search(t.Context(), history.Query{Text: "word", Limit: 200})
		must(t, errors.Join(err, h.Close()))
		fmt.Println("found", len(hits))
		return
	}
	b := newBench(t)
	for i := range 600 {
		b.write(fmt.Sprintf("%d.chat.md", i), said("word", fmt.Sprint("number", i)))
	}
	var begin []io.WriteCloser
	var outputs []*bufio.Scanner
	for range 2 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestTwoProcessesIndexAtOnce$")
		cmd.Env = append(os.Environ(), "HISTORY_TEST_BOTH="+b.root, "XDG_STATE_HOME="+filepath.Dir(b.state.Dir()))
		in, err := cmd.StdinPipe()
		must(t, err)
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Wait() })
		lines := bufio.NewScanner(out)
		for lines.Scan() && lines.Text() != "there" {
		}
		begin, outputs = append(begin, in), append(outputs, lines)
	}
	for _, in := range begin {
		_, err := in.Write([]byte("\n"))
		must(t, err)
	}
	for i, lines := range outputs {
		said := ""
		for lines.Scan() {
			said += lines.Text() + "\n"
		}
		if !strings.HasPrefix(said, "found 200\n") {
			t.Errorf("process %d says %q", i, said)
		}
	}
	if n := history.Count(t, b.history, "SELECT count(*) FROM turns"); n != 1200 {
		t.Errorf("%d turns", n)
	}
	if n := history.Count(t, b.history, "SELECT count(*) FROM words0"); n != 1200 {
		t.Errorf("%d rows of words", n)
	}
	b.finds("number599", "5991")
}

// TestMoreChatsThanAreIndexed: one sentence says that the others are left out, and what was found before still is. Each
// workspace has as many of its own.
func TestMoreChatsThanAreIndexed(t *testing.T) {
	b := newBench(t)
	history.SetMost(b.history, 3)
	other := filepath.Join(filepath.Dir(b.root), "other")
	for i := range 3 {
		b.write(fmt.Sprintf("%d.chat.md", i), said("word"))
		b.write(fmt.Sprintf("../other/x%d.chat.md", i), said("word"))
	}
	problems, err := b.history.Refresh(t.Context(), b.root, other)
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	b.finds("word", "00 10 20 x00 x10 x20")
	for i := range 3 {
		b.write(fmt.Sprintf("more%d.chat.md", i), said("word"))
	}
	b.refresh()
	if want := fmt.Sprintf("%q holds more than 3 chats: the others are left out", b.root); len(b.ofProblems) != 1 || b.ofProblems[0] != want {
		t.Errorf("it says %q, want %q", b.ofProblems, want)
	}
	if found := b.found(history.Query{Text: "word"}); !strings.Contains(found, "20") || !strings.Contains(found, "x20") || len(strings.Fields(found)) < 6 {
		t.Errorf("found %q", found)
	}
}

func TestAFullDisk(t *testing.T) {
	b := newBench(t)
	b.write("a.chat.md", said("word"))
	b.refresh()
	history.Fill(t, b.history)
	for i := range 100 {
		b.write(fmt.Sprintf("%d.chat.md", i), said(fmt.Sprint("number", i), strings.Repeat(fmt.Sprint(i, " "), 2000)))
	}
	_, err := b.history.Refresh(t.Context(), b.root)
	if err == nil || !strings.Contains(err.Error(), "the disk is full: free some space") {
		t.Errorf("%v", err)
	}
	b.finds("word", "a0")
	b.history = b.open() // there is space again
	b.refresh()
	b.finds("number7", "70")
	b.finds("word", "a0")
}

// TestOddFilesHoldUpNothing: nothing waits, and one sentence says what was left out.
func TestOddFilesHoldUpNothing(t *testing.T) {
	b := newBench(t)
	b.write("a.chat.md", said("word"))
	b.write("nul.chat.md", "## You\n\nword \x00 \xff\xfe and more\n")
	b.write("empty.chat.md", "")
	b.write("none.chat.md", "no turn, but a word")
	b.write("dir.chat.md/in.chat.md", said("word"))
	must(t, syscall.Mkfifo(filepath.Join(b.root, "pipe.chat.md"), 0o600))
	must(t, os.Symlink("/etc/passwd", filepath.Join(b.root, "link.chat.md")))
	must(t, os.Symlink("..", filepath.Join(b.root, "dir.chat.md", "loop")))
	must(t, os.Symlink("loop.chat.md", filepath.Join(b.root, "loop.chat.md")))
	huge := b.write("huge.chat.md", said("word"))
	must(t, os.Truncate(huge, 65<<20))
	b.refresh()
	b.finds("word", "a0 in0 nul0")
	b.finds("more", "nul0")
	if len(b.ofProblems) != 1 || !strings.Contains(b.ofProblems[0], "huge.chat.md") {
		t.Errorf("problems: %q", b.ofProblems)
	}
}

// TestALargeChat of 50 MB is found like others.
func TestALargeChat(t *testing.T) {
	b := newBench(t)
	b.write("a.chat.md", said("word", strings.Repeat("lorem ipsum dolor sit amet ", 50<<20/27), "needle"))
	b.refresh()
	b.finds("needle", "a2")
	b.finds("dolor", "a1")
}

// TestManyTurns: what is in several tables of words is found as if it were in one, by words, beginnings, days and pins,
// and is removed.
func TestManyTurns(t *testing.T) {
	b := newBench(t)
	b.write("old.chat.md", said("needle haystack", "an old answer"))
	b.refresh()
	index := filepath.Join(b.state.Dir(), "history", "v2-1.db")
	history.Exec(t, index, "INSERT INTO turns(id, chat, n, start, length, line, role, at, sum) VALUES(65534, 0, 0, 0, 0, 0, 0, 0, 0)")
	b.write("middle.chat.md", said("needle", "needles in a haystack"))
	new := b.write("new.chat.md", said("another needle"))
	b.refresh()
	if n := history.Count(t, b.history, "SELECT count(*) FROM shards"); n != 2 {
		t.Fatalf("%d tables of words", n)
	}
	b.finds("needle", "middle0 new0 old0")
	b.finds("needl*", "middle0 middle1 new0 old0")
	b.finds("haystack", "middle1 old0")
	if got := b.found(history.Query{Text: "needle", Until: b.moment.AddDate(0, 0, -2)}); got != "old0" {
		t.Errorf("until a day: %q", got)
	}
	if got := b.found(history.Query{Text: "needle", Since: b.moment.AddDate(0, 0, -1)}); got != "new0" {
		t.Errorf("since a day: %q", got)
	}
	if _, err := b.history.Pin(filepath.Join(b.root, "old.chat.md"), true); err != nil {
		t.Fatal(err)
	}
	if got := b.found(history.Query{Text: "needle"}); !strings.HasPrefix(got, "old0 ") {
		t.Errorf("a pinned chat of an old table: %q", got)
	}
	must(t, os.Remove(new))
	b.refresh()
	b.finds("needle", "middle0 old0")
}
