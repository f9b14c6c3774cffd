package docs

import (
	"cmp"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fileLimits says how many upward dependencies between its files a package may have. Lower a limit when the count is
// below it.
var fileLimits = map[string]int{"agent": 8, "lsp": 3}

// fileUses are the dependencies between the files of a package: for each file those that declare what it uses, each
// with an example.
type fileUses map[string]map[string]string

// TestFilesDependDownwards: in the best order of a package's files, nearly every file uses only files below it.
func TestFilesDependDownwards(t *testing.T) {
	exports := exported(t, slices.Sorted(maps.Keys(fileLimits))...)
	for _, name := range slices.Sorted(maps.Keys(fileLimits)) {
		uses := usesIn(t, name, exports)
		found := upward(uses, bestOrder(uses))
		t.Logf("%d upward dependencies between the %d files of %s, at most %d", len(found), len(uses), name, fileLimits[name])
		if len(found) > fileLimits[name] {
			t.Errorf(
				"more than %d upward dependencies between the files of %s: move a declaration to the file that it belongs to\n%s",
				fileLimits[name], name, strings.Join(found, "\n"),
			)
		}
	}
}

// The count must be right where it is known.
func TestUpwardCounts(t *testing.T) {
	graph := func(edges ...string) fileUses {
		uses := fileUses{}
		for _, e := range edges {
			from, to, _ := strings.Cut(e, ">")
			for _, file := range []string{from, to} {
				if uses[file] == nil {
					uses[file] = map[string]string{}
				}
			}
			uses[from][to] = "x"
		}
		return uses
	}
	for _, c := range []struct {
		edges []string
		want  int
	}{
		{[]string{"a>b", "b>c", "a>c"}, 0},
		{[]string{"c>b", "b>a", "c>a"}, 0},
		{[]string{"a>b", "b>a"}, 1},
		{[]string{"a>b", "b>c", "c>a"}, 1},
		{[]string{"a>b", "b>a", "c>d", "d>c"}, 2},
		{[]string{"a>b", "b>a", "a>c", "c>a", "a>d", "d>a", "d>b"}, 3},
		{[]string{"a>b", "a>c", "b>a", "b>c", "c>a", "c>b"}, 3},
	} {
		uses := graph(c.edges...)
		if got := upward(uses, bestOrder(uses)); len(got) != c.want {
			t.Errorf("%v: %d upward dependencies (%v), want %d", c.edges, len(got), got, c.want)
		}
	}
}

// usesIn finds the uses between the files of a package, tests not counted. exports holds the compiled packages that it
// imports.
func usesIn(t *testing.T, dir string, exports map[string]string) fileUses {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(dir), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set, uses := token.NewFileSet(), fileUses{}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
		uses[filepath.Base(name)] = map[string]string{}
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(set, "gc", open)}
	pkg, err := config.Check(module+dir, set, files, info)
	if err != nil {
		t.Fatal(err)
	}
	fileOf := func(at token.Pos) string { return filepath.Base(set.Position(at).Filename) }
	for used, object := range info.Uses {
		if object.Pkg() != pkg {
			continue
		}
		from, to := fileOf(used.Pos()), fileOf(object.Pos())
		if example, ok := uses[from][to]; from != to && (!ok || used.Name < example) {
			uses[from][to] = used.Name
		}
	}
	return uses
}

// exported finds the compiled form of everything that packages import, by import path.
func exported(t *testing.T, packages ...string) map[string]string {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Export"}
	for _, name := range packages {
		args = append(args, "./"+name)
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p struct{ ImportPath, Export string }
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return exports
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
	}
}

// upward lists the uses that go against an order, in which the topmost file comes first.
func upward(uses fileUses, order []string) (found []string) {
	for i, from := range order {
		for _, to := range order[:i] {
			if example, ok := uses[from][to]; ok {
				found = append(found, from+" uses "+example+" of "+to)
			}
		}
	}
	return found
}

// bestOrder puts files in an order in which few uses go up. The first order is that of Eades, Lin and Smyth ("A fast
// and effective heuristic for the feedback arc set problem", 1993). Then each file moves to its best place until no move
// helps. The same uses give the same order.
func bestOrder(uses fileUses) []string {
	order := firstOrder(uses)
	up := func(from, to string) int {
		if _, ok := uses[from][to]; ok {
			return 1
		}
		return 0
	}
	for moved := true; moved; {
		moved = false
		for _, file := range slices.Clone(order) {
			at := slices.Index(order, file)
			best, to := 0, at
			for _, step := range []int{-1, 1} {
				change := 0
				for i := at + step; 0 <= i && i < len(order); i += step {
					// The file and order[i] change places: what the upper one uses of the other is upward then.
					change += step * (up(order[i], file)*-1 + up(file, order[i]))
					if change < best {
						best, to = change, i
					}
				}
			}
			if to != at {
				order = slices.Insert(slices.Delete(order, at, at+1), to, file)
				moved = true
			}
		}
	}
	return order
}

// firstOrder takes away, again and again, the files that use no other (they go to the bottom), those that no other uses
// (to the top), and else the one with the most uses of others and the fewest by others (to the top).
func firstOrder(uses fileUses) []string {
	left := slices.Sorted(maps.Keys(uses))
	var top, bottom []string
	count := func(file string) (of, by int) {
		for _, other := range left {
			if _, ok := uses[file][other]; ok {
				of++
			}
			if _, ok := uses[other][file]; ok {
				by++
			}
		}
		return of, by
	}
	for len(left) > 0 {
		balance := func(file string) int {
			of, by := count(file)
			return of - by
		}
		next := slices.MaxFunc(left, func(a, b string) int { return cmp.Compare(balance(a), balance(b)) })
		for _, file := range left {
			if of, by := count(file); of == 0 || by == 0 {
				next = file
				break
			}
		}
		if of, _ := count(next); of == 0 {
			bottom = append(bottom, next)
		} else {
			top = append(top, next)
		}
		left = slices.DeleteFunc(left, func(file string) bool { return file == next })
	}
	slices.Reverse(bottom)
	return slices.Concat(top, bottom)
}
