package openai_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Each quirk of the table has a test, which exists.
func TestQuirksHaveTests(t *testing.T) {
	table, err := os.ReadFile("quirks.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(t `).FindAllStringSubmatch(string(text), -1) {
			tests[m[1]] = true
		}
	}
	row := 0
	for line := range strings.Lines(string(table)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 7 {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(cells[1]))
		if err != nil {
			continue // the head
		}
		if row++; n != row {
			t.Errorf("row %d has the number %d", row, n)
		}
		named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(cells[5], -1)
		if len(named) == 0 {
			t.Errorf("quirk %d has no test", n)
		}
		for _, name := range named {
			if !tests[name[1]] {
				t.Errorf("quirk %d names %s, which does not exist", n, name[1])
			}
		}
	}
	if row != 28 {
		t.Errorf("%d quirks", row)
	}
}
