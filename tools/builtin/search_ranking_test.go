package builtin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools/toolstest"
)

// A search shows what is likeliest meant: definitions, in any case of a plain word, then files whose paths have the
// word, then the others; tests and other people's code come last, in whatever order the files were read.
func TestSearchPutsTheLikeliestFirst(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{
		"cmd/vendor/lib/duration.go": "func duration() {}\n",
		"a/use.go":                   "x := duration(1)\n// duration is used\n",
		"net/duration/all.go":        "y(duration)\n",
		"time/format.go":             "// it reads a duration\nfunc ParseDuration(s string) {}\n",
		"time/time.go":               "type Duration int64\nreturn duration\n",
		"time/time_test.go":          "func TestDuration() { duration() }\n",
	})
	want := strings.Join([]string{
		"time/time.go:1: type Duration int64",
		"time/format.go:2: func ParseDuration(s string) {}",
		"net/duration/all.go:1: y(duration)",
		"a/use.go:1: x := duration(1)",
		"a/use.go:2: // duration is used",
		"time/format.go:1: // it reads a duration",
		"time/time.go:2: return duration",
		"cmd/vendor/lib/duration.go:1: func duration() {}",
		"time/time_test.go:1: func TestDuration() { duration() }",
	}, "\n")
	for range 20 {
		if diff := cmp.Diff(want, b.Do("search_files", toolstest.Args("pattern", "duration")).Text()); diff != "" {
			t.Fatal(diff)
		}
	}
}

// What the caller has no room for is counted by folder, and no file fills the room alone.
func TestSearchCountsWhatItLeavesOutByFolder(t *testing.T) {
	files := map[string]string{"lib/tide.go": "func tide() {}\n", "deep/a/b/c/x.go": "tide\ntide\n"}
	for i := range 30 {
		files[fmt.Sprintf("src/f%02d.go", i)] = strings.Repeat("use(tide)\n", 10)
		files[fmt.Sprintf("vendor/f%02d.go", i)] = "use(tide)\n"
	}
	b := toolstest.NewBench(t, files)
	call := b.Call("search_files", toolstest.Args("pattern", "tide"))
	call.Room = 190
	r, err := b.Dispatcher.Execute(t.Context(), b.Dispatcher.Prepare(t.Context(), call).Approved(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"lib/tide.go:1: func tide() {}",
		"deep/a/b/c/x.go:1: tide", "deep/a/b/c/x.go:2: tide",
		"src/f00.go:1: use(tide)", "src/f00.go:2: use(tide)", "src/f00.go:3: use(tide)", "src/f01.go:1: use(tide)",
		"[7 of 333 lines shown, the likeliest. The others are in src (296), vendor (30). Give a path or a narrower pattern.]",
	}, "\n")
	if diff := cmp.Diff(want, r.Text()); diff != "" {
		t.Error(diff)
	}
}
