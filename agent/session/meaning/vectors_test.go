package meaning

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/assent-ls/assent/internal/ranking"
	"github.com/assent-ls/assent/tools/userstate"
)

// What is kept is bounded: what is in use stays, and of the rest what there is room for. A file that is broken counts
// as empty.
func TestVectorsAreBounded(t *testing.T) {
	dir := t.TempDir()
	begin := func() *vectors {
		state, err := userstate.OpenState(dir)
		if err != nil {
			t.Fatal(err)
		}
		return &vectors{state: state, most: 8}
	}
	add := func(used string, fresh ...string) string {
		list := map[string]ranking.Vector{}
		for _, key := range fresh {
			list[key] = ranking.Vector{1, 2}
		}
		var keys []string
		for _, key := range used {
			keys = append(keys, string(key))
		}
		v := begin()
		all, err := v.add(list, keys)
		if err != nil || fmt.Sprint(all) != fmt.Sprint(v.known()) || fmt.Sprint(all) != fmt.Sprint(begin().known()) {
			t.Errorf("%v: %v are used, %v known, %v kept", err, all, v.known(), begin().known())
		}
		return fmt.Sprint(slices.Sorted(maps.Keys(all)))
	}
	for _, step := range []struct{ got, want string }{
		{add("abc", "a", "b", "c"), "[a b c]"},
		{add("de", "d", "e"), "[a b d e]"}, // c has no room
		{add("ebf", "f"), "[a b e f]"},
		{add("wxyz", "w", "x", "y", "z"), "[w x y z]"},
	} {
		if step.got != step.want {
			t.Errorf("%s is kept, not %s", step.got, step.want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, vectorsFile), []byte(`{"version":1,"data":{"w":"A`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := add("a", "a"); got != "[a]" {
		t.Errorf("of a broken file %s is kept", got)
	}
}
