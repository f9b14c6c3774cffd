//go:build unix

package diskfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/tools/diskfile"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func begin(t *testing.T, text string) (*diskfile.File, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.md")
	must(t, os.WriteFile(path, []byte(text), 0o640))
	f, err := diskfile.Open(path)
	must(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f, f.Path()
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v; want %q", filepath.Base(path), got, err, want)
	}
}

func rename(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path+".new", []byte(text), 0o600))
	must(t, os.Rename(path+".new", path))
}

func TestAppendsAndReplaces(t *testing.T) {
	f, path := begin(t, "one ")
	must(t, f.Append([]byte("two ")))
	must(t, f.Replace([]byte("zero one two ")))
	must(t, f.Append([]byte("three")))
	must(t, f.Sync())
	if changed, err := f.Check(); changed || err != nil || string(f.Text()) != "zero one two three" {
		t.Errorf("Check = %v, %v; Text %q", changed, err, f.Text())
	}
	holds(t, path, "zero one two three")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestASaveIsSeen(t *testing.T) {
	in := func(flag int, text string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			t.Helper()
			f, err := os.OpenFile(path, os.O_WRONLY|flag, 0)
			must(t, err)
			_, err = f.WriteString(text)
			must(t, errors.Join(err, f.Close(), os.Chtimes(path, time.Time{}, time.Unix(1, 0))))
		}
	}
	tests := map[string]struct {
		save func(*testing.T, string)
		want string
	}{
		"nothing":            {func(*testing.T, string) {}, ""},
		"touched":            {in(0, ""), ""},
		"the same by rename": {func(t *testing.T, path string) { rename(t, path, "text") }, ""},
		"same size":          {in(0, "TEXT"), "TEXT"},
		"longer":             {in(os.O_APPEND, " more"), "text more"},
		"shorter":            {in(os.O_TRUNC, "te"), "te"},
		"emptied":            {func(t *testing.T, path string) { must(t, os.Truncate(path, 0)) }, ""},
		"by rename":          {func(t *testing.T, path string) { rename(t, path, "other") }, "other"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f, path := begin(t, "text")
			test.save(t, path)
			changed, err := f.Check()
			if err != nil || changed != (test.want != "" || name == "emptied") || changed && string(f.Text()) != test.want {
				t.Errorf("Check = %v, %v; Text %q", changed, err, f.Text())
			}
			if changed, err := f.Check(); changed || err != nil {
				t.Errorf("the same save was seen twice: %v, %v", changed, err)
			}
		})
	}
}

// TestNothingIsWrittenOverASave saves without a Check before the write.
func TestNothingIsWrittenOverASave(t *testing.T) {
	f, path := begin(t, "text")
	rename(t, path, "theirs")
	if err := f.Append([]byte(" ours")); !errors.Is(err, diskfile.ErrChanged) {
		t.Errorf("Append = %v", err)
	}
	holds(t, path, "theirs")
	must(t, os.WriteFile(path, []byte("again"), 0o600))
	if err := f.Replace([]byte("ours")); !errors.Is(err, diskfile.ErrChanged) {
		t.Errorf("Replace = %v", err)
	}
	holds(t, path, "again")
	if changed, err := f.Check(); !changed || err != nil || string(f.Text()) != "again" {
		t.Errorf("after it Check = %v, %v; Text %q", changed, err, f.Text())
	}
	must(t, os.WriteFile(path, []byte("a"), 0o600))
	if err := f.Append([]byte(" ours")); !errors.Is(err, diskfile.ErrChanged) {
		t.Errorf("Append = %v", err)
	}
	holds(t, path, "a ours") // no NULs where the file ended before
}

// TestALateSaveIsSeen writes into a file that was replaced meanwhile, as who opened it before does.
func TestALateSaveIsSeen(t *testing.T) {
	f, path := begin(t, "text")
	late, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	must(t, f.Replace([]byte("text of ours")))
	if _, err := late.WriteString("their text"); err != nil {
		t.Fatal(err)
	}
	must(t, late.Close())
	if changed, err := f.Check(); !changed || err != nil || string(f.Text()) != "their text" {
		t.Errorf("Check = %v, %v; Text %q", changed, err, f.Text())
	}
	must(t, f.Replace([]byte("their text and ours")))
	holds(t, path, "their text and ours")
}

// TestASaveIsReadWhole looks while an editor has emptied the file and not written it yet.
func TestASaveIsReadWhole(t *testing.T) {
	f, path := begin(t, "text")
	synctest.Test(t, func(t *testing.T) {
		must(t, os.Truncate(path, 0))
		go func() {
			time.Sleep(30 * time.Millisecond)
			if err := os.WriteFile(path, []byte("saved"), 0o600); err != nil {
				t.Error(err)
			}
		}()
		if again, err := diskfile.Open(path); err != nil || string(again.Text()) != "saved" {
			t.Errorf("Open = %v; Text %q", err, again.Text())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		must(t, os.Truncate(path, 0))
		go func() {
			time.Sleep(30 * time.Millisecond)
			if err := os.WriteFile(path, []byte("again"), 0o600); err != nil {
				t.Error(err)
			}
		}()
		if changed, err := f.Check(); !changed || err != nil || string(f.Text()) != "again" {
			t.Errorf("Check = %v, %v; Text %q", changed, err, f.Text())
		}
	})
}

// TestOnlyRegularFilesAreOpened would hang on the pipe.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	must(t, os.Symlink("pipe", filepath.Join(dir, "link")))
	must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	must(t, os.Symlink("/dev/full", filepath.Join(dir, "device")))
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close() //nolint:errcheck // nothing was written through it
	for _, name := range []string{"pipe", "link", "folder", "device"} {
		if _, err := diskfile.Open(filepath.Join(dir, name)); !errors.Is(err, diskfile.ErrNotRegular) {
			t.Errorf("Open(%s) = %v", name, err)
		}
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY | os.O_CREATE, os.O_RDWR | os.O_APPEND} {
			if _, err := diskfile.OpenRegular(filepath.Join(dir, name), flag, 0o600); !errors.Is(err, diskfile.ErrNotRegular) {
				t.Errorf("OpenRegular(%s, %x) = %v", name, flag, err)
			}
			if _, err := diskfile.OpenRegularIn(root, name, flag, 0o600); name != "device" && !errors.Is(err, diskfile.ErrNotRegular) || err == nil {
				t.Errorf("OpenRegularIn(%s, %x) = %v", name, flag, err)
			}
		}
	}
	for name, want := range map[string]error{"pipe": diskfile.ErrNotRegular, "folder": diskfile.ErrNotRegular, "new/file": nil} {
		if err := diskfile.WriteRegular(filepath.Join(dir, name), []byte("text")); !errors.Is(err, want) {
			t.Errorf("WriteRegular(%s) = %v", name, err)
		}
	}
	holds(t, filepath.Join(dir, "new", "file"), "text")
	if _, err := diskfile.OpenRegular(filepath.Join(dir, "absent"), os.O_RDONLY, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("OpenRegular(absent) = %v", err)
	}
}

func TestCreateTakesNoName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.md")
	f, err := diskfile.Create(path, []byte("a"))
	must(t, err)
	must(t, f.Append([]byte("b")))
	must(t, f.Close())
	if _, err := diskfile.Create(path, []byte("c")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second Create = %v", err)
	}
	holds(t, path, "ab")
}
