package docs_test

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile("`[^`\n]*`|\\]\\(([^)\\s]+)\\)") // code has none
	heading = regexp.MustCompile(`(?m)^#+ +(.+?) *$`)
)

// Every relative link of a page points to a file, and to a heading if it names one.
func TestLinks(t *testing.T) {
	for page, text := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(withoutFences(text), -1) {
			if problem := broken(page, m[1]); m[1] != "" && problem != "" {
				t.Errorf("%s: the link %s %s", page, m[1], problem)
			}
		}
	}
}

// broken says what is wrong with a link, or "".
func broken(page, target string) string {
	if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
		return ""
	}
	file, anchor, _ := strings.Cut(target, "#")
	name := page
	if file != "" {
		name = path.Join(path.Dir(page), file)
	}
	if path.IsAbs(file) || name == ".." || strings.HasPrefix(name, "../") {
		return "leaves the repository"
	}
	if _, err := os.Stat(top(name)); err != nil {
		return "points to nothing"
	}
	if anchor == "" || !strings.HasSuffix(name, ".md") {
		return ""
	}
	text, err := os.ReadFile(top(name))
	if err != nil || !slices.Contains(anchors(string(text)), anchor) {
		return "names no heading there"
	}
	return ""
}

// anchors lists the headings of a page as links name them.
func anchors(text string) []string {
	var all []string
	for _, m := range heading.FindAllStringSubmatch(withoutFences(text), -1) {
		words := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(words, " ", "-"))
	}
	return all
}

var (
	subcommand = regexp.MustCompile("(?m)(?:^|`|\\| )assent ([a-z]+)")
	flagged    = regexp.MustCompile("--([a-z][a-z-]+)")
	use        = regexp.MustCompile(`Use: +"([a-z]+)`)
	makeUse    = regexp.MustCompile("(?m)(?:^|`)make ([a-z][a-z0-9-]*)")
	makeTarget = regexp.MustCompile(`(?m)^([a-z][a-z0-9 -]*):(?:[^=]|$)`)
)

// Every subcommand and flag that a page tells people exists.
func TestCommandLine(t *testing.T) {
	sources := ""
	for _, file := range []string{"cmd/assent/*.go", "internal/settings/settings.go"} {
		sources += all(t, file)
	}
	known := words(use, sources)
	for _, page := range []string{"README.md", "CONTRIBUTING.md", "docs/events.md"} { // docs/cli.md comes from the program
		text := read(t, page)
		for _, name := range words(subcommand, text) {
			if !slices.Contains(known, name) {
				t.Errorf("%s: there is no `assent %s`", page, name)
			}
		}
		for _, name := range words(flagged, withoutFences(text)) {
			if !strings.Contains(sources, `"`+name+`"`) && !slices.Contains([]string{"help", "script"}, name) {
				t.Errorf("%s: there is no flag --%s", page, name)
			}
		}
	}
}

// Every make target that a page names exists.
func TestMakeTargets(t *testing.T) {
	var known []string
	for _, names := range words(makeTarget, read(t, "Makefile")) {
		known = append(known, strings.Fields(names)...)
	}
	for _, page := range []string{"README.md", "CONTRIBUTING.md", "docs/recipes.md"} {
		for _, name := range words(makeUse, read(t, page)) {
			if !slices.Contains(known, name) {
				t.Errorf("%s: the Makefile has no target %s", page, name)
			}
		}
	}
}

// The README's configurations are those of the editors' pages, which the end-to-end tests run.
func TestReadmeConfigurations(t *testing.T) {
	for page, language := range map[string]string{
		"editors/neovim.md": "lua", "editors/vscode.md": "sh",
	} {
		before, _, found := strings.Cut(read(t, "README.md"), "]("+page+")") // the block is in front of the link
		_, block, ok := strings.Cut(before[strings.LastIndex(before, "<details>"):], "\n```"+language+"\n")
		block, _, closed := strings.Cut(block, "\n```\n")
		if !found || !ok || !closed {
			t.Errorf("README.md has no block in %s for %s", language, page)
		} else if !strings.Contains(read(t, page), "\n```"+language+"\n"+block+"\n```\n") {
			t.Errorf("README.md has another configuration than %s", page)
		}
	}
}

var (
	named    = regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9]*)`")
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	standIn  = regexp.MustCompile(`NAME|METHOD|MODEL`) // what a recipe adds, or a person
	place    = regexp.MustCompile("`((?:agent|cmd|docs|editors|internal|lsp|prompts|tools)/[A-Za-z0-9_./-]+)`")
)

// Every test and every file that the map names exists.
func TestMapNamesWhatExists(t *testing.T) {
	tests := map[string]bool{}
	walk(t, func(name string) {
		if strings.HasSuffix(name, "_test.go") {
			for _, function := range words(testFunc, read(t, name)) {
				tests[function] = true
			}
		}
	})
	for _, page := range []string{"docs/architecture.md", "docs/invariants.md", "docs/recipes.md", "docs/security.md", "CONTRIBUTING.md"} {
		text := read(t, page)
		for _, name := range words(named, text) {
			if !tests[name] {
				t.Errorf("%s: there is no test %s", page, name)
			}
		}
		for _, name := range words(place, text) {
			if standIn.MatchString(name) {
				continue
			}
			if _, err := os.Stat(top(name)); err != nil {
				t.Errorf("%s: there is no %s", page, name)
			}
		}
	}
}

var (
	tableNumber = regexp.MustCompile(`(?m)^\| ([SRF]\d\d[a-z]?) \|`)
	testNumber  = regexp.MustCompile(`(?m)^\s*//.*?\b([SRF]\d\d[a-z]?)\b`)
)

// Every attack that the page of tests counts has tests that carry its number, and the page lists every number.
func TestAttacksHaveTests(t *testing.T) {
	carried := map[string]bool{}
	walk(t, func(name string) {
		if strings.HasSuffix(name, "_test.go") {
			for _, number := range words(testNumber, read(t, name)) {
				carried[number] = true
			}
		}
	})
	listed := words(tableNumber, read(t, "docs/tests.md"))
	for _, number := range listed {
		if !carried[number] {
			t.Errorf("docs/tests.md: no test carries %s", number)
		}
	}
	for number := range carried {
		if !slices.Contains(listed, number) {
			t.Errorf("docs/tests.md does not list %s", number)
		}
	}
}

// Every package has a row on its page, which comes from the packages' comments.
func TestEveryPackageIsOnItsPage(t *testing.T) {
	page, seen := read(t, "docs/packages.md"), map[string]bool{}
	walk(t, func(name string) {
		dir := filepath.ToSlash(filepath.Dir(name))
		if strings.HasSuffix(name, ".go") && !seen[dir] && !strings.Contains(page, "\n| `"+dir+"` | ") {
			seen[dir] = true
			t.Errorf("docs/packages.md has no %s", dir)
		}
	})
}

var (
	promise   = regexp.MustCompile(`(?m)^## (\d+)\. `)
	invariant = regexp.MustCompile(`(?m)^(\d+)\. \*\*`)
	proven    = regexp.MustCompile(`(?m)^## ((?:Promise|Invariant) \d+)$`)
)

// Every promise and every invariant has tests that name it, and none of them names another one.
func TestPromisesAndInvariantsHaveTests(t *testing.T) {
	var stated []string
	for _, number := range words(promise, read(t, "docs/security.md")) {
		stated = append(stated, "Promise "+number)
	}
	for _, number := range words(invariant, read(t, "docs/invariants.md")) {
		stated = append(stated, "Invariant "+number)
	}
	if got := words(proven, read(t, "docs/tests.md")); !slices.Equal(got, stated) || len(stated) < 30 {
		t.Errorf("docs/tests.md has tests of %q, and the pages state %q", got, stated)
	}
}

// mostWords is how many words the pages that people write may have together: 25,000, and at most 1,500 for each page
// added since then (servers.md, large-setups.md, offline.md, tutorial.md, guides.md, comparison.md, history.md,
// copies.md, code-mode.md). It only goes down.
const mostWords = 31_694

// The pages stay short. Generated pages and rows of measurements do not count.
func TestPagesAreShort(t *testing.T) {
	total, all := 0, pages(t)
	for _, page := range slices.Sorted(maps.Keys(all)) {
		text := all[page]
		isPage := page == "README.md" || strings.HasPrefix(page, "docs/") || filepath.Dir(page) == "editors"
		if !isPage || strings.Contains(text[:min(len(text), 300)], "Generated by") || page == "docs/cli.md" {
			continue
		}
		n := 0
		for line := range strings.Lines(text) {
			if generated := page == "docs/small-models.md" || page == "docs/tool-calls.md" || page == "docs/editors.md" || page == "docs/history.md"; !generated || !strings.HasPrefix(line, "| ") {
				n += len(strings.Fields(line))
			}
		}
		t.Logf("%6d words in %s", n, page)
		total += n
	}
	t.Logf("%6d words in all", total)
	if total > mostWords {
		t.Errorf("%d words, more than %d: say things once", total, mostWords)
	}
}

// The checks above must be able to say no.
func TestChecksRefuse(t *testing.T) {
	for _, target := range []string{"nothing.md", "../README.md#nothing", "../../etc/passwd", "/etc/passwd", "#nothing"} {
		if broken("docs/architecture.md", target) == "" {
			t.Errorf("the link %s passes", target)
		}
	}
	for pattern, text := range map[*regexp.Regexp]string{
		subcommand: "`assent nothing`", flagged: "--nothing", makeUse: "`make nothing`", named: "`TestNothing`",
		place: "`lsp/nothing.go`", makeTarget: "nothing: lint", use: `Use:   "nothing FILE"`,
	} {
		if got := words(pattern, text); len(got) != 1 || !strings.Contains(got[0], "othing") {
			t.Errorf("%v finds %q in %s", pattern, got, text)
		}
	}
}

// pages are the Markdown files of the repository, by path.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	walk(t, func(name string) {
		if strings.HasSuffix(name, ".md") && !strings.HasSuffix(name, ".chat.md") {
			found[name] = read(t, name)
		}
	})
	if len(found) < 10 {
		t.Fatalf("only %d pages were found", len(found))
	}
	return found
}

// walk visits the files of the repository, without what tools put there.
func walk(t *testing.T, visit func(name string)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", ".assent", "node_modules", "testdata", "dist", "bin", "shared"}, entry.Name()):
			return fs.SkipDir
		case !entry.IsDir():
			visit(name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func top(name string) string { return filepath.Join("..", filepath.FromSlash(name)) }

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(top(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func all(t *testing.T, pattern string) string {
	t.Helper()
	names, err := filepath.Glob(top(pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("no files at %s: %v", pattern, err)
	}
	var b strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
	}
	return b.String()
}

// words lists what a pattern's group matches, each once.
func words(pattern *regexp.Regexp, text string) []string {
	var found []string
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(found, m[1]) {
			found = append(found, m[1])
		}
	}
	return found
}

// withoutFences leaves code out: links in it are examples.
func withoutFences(text string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		mark := strings.TrimLeft(line, " ")
		ticks := mark[:len(mark)-len(strings.TrimLeft(mark, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		case fence != "" && len(ticks) >= len(fence) && strings.TrimSpace(mark) == ticks:
			fence = ""
		case fence == "":
			b.WriteString(line)
		}
	}
	return b.String()
}

// The Neovim plugin says all in say.lua, which fits it into a line: a longer message takes a key, and Neovim no text
// meanwhile.
func TestTheNeovimPluginSaysAtOnePlace(t *testing.T) {
	says := regexp.MustCompile(`vim\.notify|nvim_echo|nvim_(?:out|err)_write|\bprint\(|echom|echoerr`)
	var found []string
	walk(t, func(name string) {
		if strings.HasPrefix(name, "editors/nvim/") && strings.HasSuffix(name, ".lua") && says.MatchString(read(t, name)) {
			found = append(found, name)
		}
	})
	if !slices.Equal(found, []string{"editors/nvim/lua/assent/say.lua"}) {
		t.Errorf("something is said in %q", found)
	}
}

// maxReadme is how many lines the README may have: what does not fit there has a page of its own.
const maxReadme = 150

func TestTheReadmeIsShort(t *testing.T) {
	if lines := strings.Count(read(t, "README.md"), "\n"); lines > maxReadme {
		t.Errorf("README.md has %d lines, and may have %d", lines, maxReadme)
	}
}
