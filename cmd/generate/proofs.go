package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	// carried finds, in the comment of a test or a scenario, what it checks: "Promise 4. Invariant 3, 10.".
	carried = regexp.MustCompile(`(Promise|Invariant) (\d+(?:, \d+)*)\.`)
	// numbered finds the numbers of attacks there.
	numbered = regexp.MustCompile(`\b[SRF]\d\d[a-z]?\b`)
	// commented finds the tests of a file, each with its comment.
	commented = regexp.MustCompile(`(?m)((?:^//.*\n)+)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
)

// proof is a promise or an invariant by its number, such as "Promise 4".
type proof struct {
	kind   string
	number int
}

const testsIntro = `The tests of each promise in [security.md](security.md) and each invariant in
[invariants.md](invariants.md). A test names them in its comment ("Promise 4. Invariant 10."), a scenario in its first
lines. The last part has the [attacks](#attacks) that tests try.
`

// testsPage is docs/tests.md: the tests of each promise and each invariant, by the numbers in their comments.
func testsPage(root string) ([]byte, error) {
	tests, tried, err := proofs(root)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("# Tests\n\n" + notice)
	b.WriteString(testsIntro)
	order := func(a, b proof) int { return cmp.Or(-strings.Compare(a.kind, b.kind), a.number-b.number) }
	for _, p := range slices.SortedFunc(maps.Keys(tests), order) {
		fmt.Fprintf(&b, "\n## %s %d\n\n", p.kind, p.number)
		files := tests[p]
		for _, file := range slices.Sorted(maps.Keys(files)) {
			fmt.Fprintf(&b, "- `%s`", file)
			if len(files[file]) > 0 {
				fmt.Fprintf(&b, ": `%s`", strings.Join(files[file], "`, `"))
			}
			b.WriteString("\n")
		}
	}
	b.WriteString("\n## Attacks\n\nInputs are distinct and hostile unless noted.\n\n" +
		"| | what is tried | inputs | tests |\n|---|---|---|---|\n")
	for _, a := range attacks {
		names := ""
		if len(tried[a.number]) > 0 {
			names = "`" + strings.Join(tried[a.number], "`, `") + "`"
		}
		delete(tried, a.number) // one that has several rows
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", a.number, a.tried, a.inputs, names)
	}
	for number, tests := range tried {
		return nil, fmt.Errorf("%s names an attack %s that is not listed", tests[0], number)
	}
	return b.Bytes(), nil
}

// proofs lists the tests of each promise and each invariant by their files, where a scenario is a file without a name,
// and the names of the tests of each attack.
func proofs(root string) (found map[proof]map[string][]string, tried map[string][]string, err error) {
	found, tried = map[proof]map[string][]string{}, map[string][]string{}
	add := func(comment, file string, names ...string) error {
		for _, m := range carried.FindAllStringSubmatch(comment, -1) {
			for number := range strings.SplitSeq(m[2], ", ") {
				n, err := strconv.Atoi(number)
				if err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
				p := proof{m[1], n}
				if found[p] == nil {
					found[p] = map[string][]string{}
				}
				found[p][file] = append(found[p][file], names...)
			}
		}
		return nil
	}
	err = goFiles(root, func(name string) error {
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		for _, m := range commented.FindAllStringSubmatch(string(text), -1) {
			if err := add(m[1], name, m[2]); err != nil {
				return err
			}
			for _, number := range numbered.FindAllString(m[1], -1) {
				if !slices.Contains(tried[number], m[2]) {
					tried[number] = append(tried[number], m[2])
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	err = sourceFiles(root, ".txtar", func(name string) error {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		comment, _, _ := strings.Cut(string(text), "\n-- ")
		return add(comment+"\n", name)
	})
	return found, tried, err
}
