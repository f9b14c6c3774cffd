package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// filled makes a workspace with empty files.
func filled(t *testing.T, names ...string) *Workspace {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, err := Open(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// numbered makes n names from a format.
func numbered(n int, format string) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf(format, i)
	}
	return names
}

// Comparing two paths of 3,000 letters takes 9,000,000 steps: some hundred files would take minutes.
func TestWhatIsNearIsFoundWithinABudgetInDeepFolders(t *testing.T) {
	deep := strings.Repeat(strings.Repeat("d", 200)+"/", 15)
	w := filled(t, numbered(300, deep+"note%03d.txt")...)
	wanted := strings.ReplaceAll(deep, "d", "e") + "note01.txt"
	b := helpBudget()
	found := near(t.Context(), w, wanted, b)
	if spent := helpBudget().cells - b.cells; spent == 0 || b.cells < 0 {
		t.Errorf("%d steps of %d were spent", spent, helpBudget().cells)
	}
	if len(found) != maxNear || !slices.Equal(found, near(t.Context(), w, wanted, helpBudget())) {
		t.Errorf("found %q, and another time something else", found)
	}
	// What is very near is told even so.
	if found := w.Near(t.Context(), deep+"note0012.txt"); len(found) == 0 || !strings.HasSuffix(found[0], "note001.txt") && !strings.HasSuffix(found[0], "note012.txt") {
		t.Errorf("found %q", found)
	}
}

func TestHelpLooksAtNoMoreThanItsBudget(t *testing.T) {
	w := filled(t, append(numbered(50, "a/%02d.go"), "z/wanted.go")...)
	for names, want := range map[int]string{100: "z/wanted.go", 10: ""} {
		b := helpBudget()
		b.names = names
		if got := strings.Join(near(t.Context(), w, "wanted.go", b), " "); got != want {
			t.Errorf("with %d names: found %q; want %q", names, got, want)
		}
		if b.names < -1 {
			t.Errorf("with %d names: %d more were looked at", names, -b.names)
		}
	}
	// A long list of ignore rules is compared with every name.
	rules := strings.Repeat("nothing-like-this\n", 1000)
	if err := os.WriteFile(filepath.Join(w.Root(), ".gitignore"), []byte(rules), 0o644); err != nil {
		t.Fatal(err)
	}
	b := helpBudget()
	b.matches = 10_000
	if got := near(t.Context(), w, "wanted.go", b); len(got) != 0 || b.matches < -2_000 {
		t.Errorf("found %q, and %d more matches than allowed", got, -b.matches)
	}
	if lines := w.Outline(t.Context(), 5); !strings.Contains(lines, "a/ (50 files)") {
		t.Errorf("the outline is %q", lines)
	}
}

// stopping is a context that ends when it is asked for the nth time, and counts on.
type stopping struct {
	context.Context //nolint:containedctx // it is a context itself

	left, after int
}

func (s *stopping) Err() error {
	if s.left--; s.left >= 0 {
		return nil
	}
	s.after++
	return context.Canceled
}

func TestStopEndsEachWalkAtTheNextName(t *testing.T) {
	w := filled(t, append(numbered(200, "a/b/%03d.go"), "z/wanted.go")...)
	for what, do := range map[string]func(context.Context) string{
		"near":      func(ctx context.Context) string { return strings.Join(w.Near(ctx, "wanted.go"), " ") },
		"missing":   func(ctx context.Context) string { return w.Missing(ctx, "wanted.go").Error() },
		"outline":   func(ctx context.Context) string { return w.Outline(ctx, 300) },
		"mentioned": func(ctx context.Context) string { return fmt.Sprint(w.Mentioned(ctx, "see wanted.go")) },
	} {
		if got := do(t.Context()); !strings.Contains(got, "z/wanted.go") {
			t.Fatalf("%s finds %q", what, got)
		}
		ctx := &stopping{Context: t.Context(), left: 20}
		got := do(ctx)
		if strings.Contains(got, "z/wanted.go") || ctx.after == 0 || ctx.after > 10 {
			t.Errorf("%s went on: %q, asked %d times after the end", what, got, ctx.after)
		}
	}
}

func TestAWalkHoldsABoundedNumberOfFoldersOpen(t *testing.T) {
	shallow, deep := strings.Repeat("d/", maxDepth)+"in.txt", strings.Repeat("e/", maxDepth+3)+"out.txt"
	w := filled(t, shallow, deep, "z.txt")
	var seen []string
	err := w.Walk(t.Context(), w.rootPath(), func(p Path) error {
		if !p.Dir {
			seen = append(seen, p.Rel)
		}
		return nil
	})
	if !slices.Equal(seen, []string{shallow, "z.txt"}) {
		t.Errorf("saw %d files: %.20q …", len(seen), seen)
	}
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("More than %d folders", maxDepth)) {
		t.Errorf("what was left out is not told: %v", err)
	}
}

func TestAMessageComparesABoundedNumberOfPaths(t *testing.T) {
	w := filled(t, numbered(500, "d%03d/same.go")...)
	var message strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&message, "x%d/same.go ", i)
	}
	b := helpBudget()
	b.ends = 5_000
	files := filesOf(t.Context(), w, b, mentions(message.String()))
	for _, m := range mentions(message.String()) {
		if _, ok := uniquely(w, files, m, b); ok {
			t.Fatalf("%s was found", m.name)
		}
	}
	if _, ok := uniquely(w, files, mention{name: "d499/same.go"}, b); ok {
		t.Error("a name is found once the budget is spent: it was not compared with all")
	}
}
