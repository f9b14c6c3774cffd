package documents

import (
	"errors"
	"testing"
)

func TestStore(t *testing.T) {
	s := NewStore(UTF16, false)
	first := s.Open("file:///c%3A/a%20b.md", 1, "one\ntwo\n")
	snap, err := s.Change("file:///C:/a b.md", 2, []Change{
		{&Range{Position{0, 3}, Position{1, 0}}, " "},
		{&Range{Position{0, 0}, Position{0, 0}}, ">"},
	})
	if err != nil || snap.Text.String() != ">one two\n" || snap.Version != 2 || snap.Saved || snap.URI != first.URI {
		t.Errorf("changed: %+v %q, %v", snap, snap.Text.String(), err)
	}
	if first.Text.String() != "one\ntwo\n" {
		t.Error("an older snapshot changed")
	}
	if snap, err = s.Save("file:///c:/a%20b.md"); err != nil || !snap.Saved {
		t.Errorf("saved: %+v, %v", snap, err)
	}
	if snap, err = s.Change("file:///c:/a%20b.md", 3, []Change{{nil, "whole"}}); err != nil || snap.Text.String() != "whole" {
		t.Errorf("full: %q, %v", snap.Text.String(), err)
	}
	if err := s.Close("file:///C%3a/a%20b.md"); err != nil {
		t.Error(err)
	}
	if _, ok := s.Get("file:///c:/a%20b.md"); ok {
		t.Error("still open")
	}
}

func TestStoreBadInput(t *testing.T) {
	bad := &Range{Position{1, 0}, Position{0, 0}}
	s := NewStore(UTF16, false)
	if _, err := s.Change(fakeURI, 1, nil); !errors.Is(err, ErrNotOpen) {
		t.Errorf("never opened: %v", err)
	}
	for _, err := range []error{s.Close(fakeURI), second(s.Save(fakeURI))} {
		if !errors.Is(err, ErrNotOpen) {
			t.Errorf("never opened: %v", err)
		}
	}
	s.Open(fakeURI, 5, "text")
	if snap, err := s.Change(fakeURI, 4, []Change{{nil, "older"}}); !errors.Is(err, ErrOldVersion) || snap.Stale == nil || snap.Text.String() != "text" {
		t.Errorf("older: %+v, %v", snap, err)
	}
	s.Open(fakeURI, 5, "text")
	if _, err := s.Change(fakeURI, 6, []Change{{bad, "x"}}); !errors.Is(err, ErrBadRange) {
		t.Errorf("bad range: %v", err)
	}
	if _, err := s.Change(fakeURI, 7, []Change{{&Range{}, "x"}}); !errors.Is(err, ErrStale) {
		t.Errorf("after a bad range: %v", err)
	}
	if snap, err := s.Change(fakeURI, 8, []Change{{nil, "healed"}}); err != nil || snap.Stale != nil || snap.Text.String() != "healed" {
		t.Errorf("healed: %+v, %v", snap, err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestKey(t *testing.T) {
	for _, same := range [][]string{
		{"file:///a%20b/%C3%A9.md", "file:///a b/é.md", "FILE:///a%20b/./%c3%a9.md", "file://localhost/a b/é.md"},
		{"file:///c%3A/x%23y.md", "file:///C:/x#y.md", "file:///c:/x%23y.md"},
		{"file:///50%25.md", "file:///50%.md"},
	} {
		for _, uri := range same {
			if Key(uri) != Key(same[0]) {
				t.Errorf("%s is %s, and %s is %s", uri, Key(uri), same[0], Key(same[0]))
			}
		}
	}
	if Key("untitled:Untitled-1") != "untitled:Untitled-1" || Key("file:///a") == Key("file:///A") {
		t.Error("keys that are too much alike")
	}
}

func TestPathAndURI(t *testing.T) {
	for _, tt := range []struct{ system, path, uri string }{
		{"unix", "/a b/é#?%.md", "file:///a%20b/%C3%A9%23%3F%25.md"},
		{"unix", "/", "file:///"},
		{"unix", "/tmp/[x]&=+.chat.md", "file:///tmp/%5Bx%5D&=+.chat.md"},
		{"unix", `/a\b`, "file:///a%5Cb"},
		{"windows", `C:\Users\A B\x.md`, "file:///C:/Users/A%20B/x.md"},
		{"windows", `C:\`, "file:///C:/"},
		{"windows", `\\host\share\x.md`, "file://host/share/x.md"},
	} {
		windows := tt.system == "windows"
		if got := uriOf(tt.path, windows); got != tt.uri {
			t.Errorf("%s: %s is %s, want %s", tt.system, tt.path, got, tt.uri)
		}
		if got, err := pathOf(tt.uri, windows); err != nil || got != tt.path {
			t.Errorf("%s: %s is %q, %v, want %s", tt.system, tt.uri, got, err, tt.path)
		}
	}
	// as VS Code writes a drive, and as others do
	for _, uri := range []string{"file:///c%3A/x.md", "file:///c:/x.md", "file:///C:/x.md"} {
		if got, err := pathOf(uri, true); err != nil || got != `C:\x.md` {
			t.Errorf("%s is %q, %v", uri, got, err)
		}
	}
	for _, uri := range []string{"untitled:1", "file:", "", "file://", "file:///a%00b"} {
		for _, windows := range []bool{false, true} {
			if path, err := pathOf(uri, windows); err == nil {
				t.Errorf("%q is the file %q", uri, path)
			}
		}
	}
	if path, err := pathOf("file://host/x", false); err == nil {
		t.Errorf("a file of another machine is %q", path)
	}
}
