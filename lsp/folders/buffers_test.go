package folders

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-ls/assent/lsp/documents"
)

func TestFindFollowsLinks(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.MkdirAll(at("real"), 0o700), os.Symlink("real", at("folder")),
		os.WriteFile(at("real/a.txt"), []byte("a"), 0o600), os.Symlink("real/a.txt", at("b.txt")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	store := documents.NewStore(documents.UTF8, false)
	b := NewBuffers(store, nil, nil, nil)
	open := func(name, text string) {
		uri := documents.URIOf(at(name))
		store.Open(uri, 1, text)
		b.followLinks(uri)
	}
	want := func(name, text string) {
		t.Helper()
		if got, _ := b.Text(at(name)); got != text {
			t.Errorf("%s: %q, want %q", name, got, text)
		}
	}
	want("real/a.txt", "")
	open("b.txt", "through a link")
	want("b.txt", "through a link")
	want("real/a.txt", "through a link")
	open("folder/new.txt", "not on disk yet")
	want("real/new.txt", "not on disk yet")
	open("real/a.txt", "itself")
	want("real/a.txt", "itself")

	if err := os.Remove(at("folder")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".", at("folder")); err != nil {
		t.Fatal(err)
	}
	want("real/new.txt", "") // the link leads elsewhere now
	b.followLinks(documents.URIOf(at("folder/new.txt")))
	want("new.txt", "not on disk yet")
}
