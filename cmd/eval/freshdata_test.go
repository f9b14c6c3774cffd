package main

import (
	"go/build"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// freshRows returns the rows of testdata/fresh/name without the header line: three columns each, none of them empty,
// and no message twice, however it is spaced or capitalized. The message is in the given column.
func freshRows(t *testing.T, name string, message int) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "fresh", name))
	if err != nil {
		t.Fatal(err)
	}
	header, body, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), "\n")
	if !strings.HasPrefix(header, "# ") || strings.Count(header, "\t") != 2 {
		t.Errorf("%s does not begin with a line that explains its three columns, but with %q", name, header)
	}
	var rows [][]string
	seen := map[string]bool{}
	for line := range strings.SplitSeq(body, "\n") {
		row := strings.Split(line, "\t")
		untidy := func(s string) bool { return s == "" || s != strings.TrimSpace(s) }
		if len(row) != 3 || slices.ContainsFunc(row, untidy) {
			t.Fatalf("%s: want three columns without spaces around them, not %q", name, line)
		}
		key := strings.ToLower(strings.Join(strings.Fields(row[message]), " "))
		if seen[key] {
			t.Errorf("%s has %q twice", name, row[message])
		}
		seen[key] = true
		rows = append(rows, row)
	}
	return rows
}

func TestFreshMessagesAreSpreadOverLanguagesAndLabels(t *testing.T) {
	// How many messages each language has at least.
	languages := map[string]int{"en": 90, "de": 40, "fr": 40, "es": 40, "zh": 40, "ja": 40, "ru": 40}
	percent := map[string]int{"change": 40, "answer": 25, "run": 10, "talk": 15, "forbid": 10}
	total, count := map[string]int{}, map[[2]string]int{}
	for _, row := range freshRows(t, "messages.tsv", 2) {
		language, label := row[0], row[1]
		if languages[language] == 0 || percent[label] == 0 {
			t.Errorf("unknown language or label: %q", row)
		}
		total[language]++
		count[[2]string{language, label}]++
	}
	for language, fewest := range languages {
		if total[language] < fewest {
			t.Errorf("%s has %d messages, want at least %d", language, total[language], fewest)
			continue
		}
		for label, want := range percent {
			if got := 100 * count[[2]string{language, label}] / total[language]; got < want-3 || got > want+3 {
				t.Errorf("%d %% of the messages in %s are %s, want about %d %%", got, language, label, want)
			}
		}
	}
}

func TestFreshLargeSearchesNameFilesOfTheStandardLibrary(t *testing.T) {
	count := map[string]int{}
	rows := freshRows(t, "largesearch.tsv", 1)
	for _, row := range rows {
		count[row[0]]++
	}
	if count["question"] != 20 || count["change"] != 10 || len(rows) != 30 {
		t.Errorf("want 20 questions and 10 changes, not %v", count)
	}
	if !strings.HasPrefix(runtime.Version(), "go1.26") {
		t.Skipf("NOT TESTED: the files are those of Go 1.26, not of %s", runtime.Version())
	}
	for _, row := range rows {
		for name := range strings.SplitSeq(row[2], "|") {
			path := filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(name))
			if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
				t.Errorf("%q: there is no file %s", row[1], name)
			}
		}
	}
}
