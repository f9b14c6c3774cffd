package terminal

import (
	"path/filepath"
	"testing"
)

func TestPath(t *testing.T) {
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	for path, want := range map[string]string{
		filepath.Join(folder, "a", "b c.md"):  filepath.Join("a", "b c.md"),
		filepath.Join(folder, "..a"):          "..a",
		folder:                                folder,
		filepath.Dir(folder):                  filepath.Dir(folder),
		folder + "x":                          folder + "x",
		filepath.Join(folder, "..", "x", "y"): filepath.Join(filepath.Dir(folder), "x", "y"),
		filepath.Join("a", "b"):               filepath.Join("a", "b"),
		"":                                    "",
	} {
		if got := Path(path); got != want {
			t.Errorf("%s is %s, not %s", path, got, want)
		}
	}
	t.Chdir("/")
	if got := Path("/home/x"); got != "/home/x" {
		t.Error(got)
	}
}
