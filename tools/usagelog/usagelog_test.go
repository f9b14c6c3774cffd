package usagelog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/usagelog"
	"github.com/assent-ls/assent/tools/userstate"
)

func newState(t *testing.T, dir string) *userstate.State {
	t.Helper()
	s, err := userstate.OpenState(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLog(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	log := usagelog.New(newState(t, dir))
	if entries, broken, err := log.Entries(); entries != nil || broken != 0 || err != nil {
		t.Errorf("%v, %v, %v", entries, broken, err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Error("to look at the log wrote something")
	}
	e := usagelog.Entry{Time: time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.UTC), Tool: "read_file", Target: strings.Repeat("x", 1000), Verdict: "run", Outcome: usagelog.OK, TookMS: 7}
	log.Add(e)
	entries, broken, err := log.Entries()
	if err != nil || broken != 0 || len(entries) != 1 || len(entries[0].Target) > 230 || !entries[0].Time.Equal(e.Time) || entries[0].TookMS != 7 {
		t.Errorf("%+v, %v, %v", entries, broken, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "usage.jsonl")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	usagelog.Log{}.Add(e) // keeps nothing

	// S27: what is no line of the log is counted, and hides nothing.
	f, err := os.OpenFile(filepath.Join(dir, "usage.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.WriteString("{\"tool\":\"read\n\x00\xff\n[]\n{}\nnull\n")
	_ = f.Close()
	log.Add(e)
	if err := os.Truncate(filepath.Join(dir, "usage.jsonl"), sizeOf(t, dir)-9); err != nil { // the disk was full
		t.Fatal(err)
	}
	log.Add(e)
	if entries, broken, err := log.Entries(); err != nil || broken != 6 || len(entries) != 2 {
		t.Errorf("%+v, %v, %v", entries, broken, err)
	}
}

func sizeOf(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, "usage.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestTheLogIsBounded writes from several processes' worth of logs at once: no line is torn, the newest stay, two files
// are all there is.
func TestTheLogIsBounded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	var wg sync.WaitGroup
	const writers, each = 4, 1500
	for w := range writers {
		log := usagelog.New(newState(t, dir))
		wg.Go(func() {
			for i := range each {
				log.Add(usagelog.Entry{Tool: fmt.Sprint("tool", w), Target: strings.Repeat("t", 200), Reason: strings.Repeat("r", 200), TookMS: int64(i)})
			}
		})
	}
	wg.Wait()
	entries, broken, err := usagelog.New(newState(t, dir)).Entries()
	if err != nil || broken != 0 {
		t.Fatal(broken, err)
	}
	last := map[string]int64{}
	for _, e := range entries {
		if before, seen := last[e.Tool]; seen && e.TookMS != before+1 {
			t.Fatalf("after %d of %s comes %d", before, e.Tool, e.TookMS)
		}
		last[e.Tool] = e.TookMS
	}
	for w := range writers {
		if last[fmt.Sprint("tool", w)] != each-1 {
			t.Errorf("the newest are missing: %v", last)
		}
	}
	size := int64(0)
	files, err := filepath.Glob(filepath.Join(dir, "usage.jsonl*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if size > 2<<20+64<<10 || len(entries) == writers*each || len(entries) < 1000 {
		t.Errorf("%d bytes, %d entries", size, len(entries))
	}
}

// TestALogThatCannotBeWritten: the calls go on, and the user is told once.
func TestALogThatCannotBeWritten(t *testing.T) {
	for name, spoil := range map[string]func(file string) error{
		"a folder": func(file string) error { return os.MkdirAll(file, 0o700) },
		"a link":   func(file string) error { return os.Symlink("/dev/full", file) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "state")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := spoil(filepath.Join(dir, "usage.jsonl")); err != nil {
				t.Fatal(err)
			}
			state := newState(t, dir)
			log := usagelog.New(state)
			log.Add(usagelog.Entry{Tool: "a"})
			log.Add(usagelog.Entry{Tool: "b"})
			if problems := state.Problems(); len(problems) != 1 || !strings.Contains(problems[0], "usage.jsonl") {
				t.Errorf("%q", problems)
			}
		})
	}
}
