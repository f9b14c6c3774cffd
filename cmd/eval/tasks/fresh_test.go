package tasks

import (
	"slices"
	"testing"
	"unicode"
)

// TestTheFreshTasks are five of each kind for each project, half of them in English, and share no name with others.
func TestTheFreshTasks(t *testing.T) {
	seen := map[string]bool{}
	for _, task := range slices.Concat(projectTasks(), moreTasks()) {
		seen[task.name] = true
	}
	turns := 0
	for _, p := range freshProjects() {
		if n := len(p.files()); n < 12 || n > 20 {
			t.Errorf("%s has %d files", p.name, n)
		}
		count := map[Kind]int{}
		for _, task := range tasksOf([]project{p}) {
			if seen[task.name] {
				t.Errorf("two tasks are called %s", task.name)
			}
			seen[task.name] = true
			count[task.kind]++
			turns += len(task.then)
			if (task.kind == changing) != (len(task.touches) > 0) {
				t.Errorf("%s: a %s task touches %q", task.name, task.kind, task.touches)
			}
		}
		for _, k := range Kinds() {
			if count[k] != 5 {
				t.Errorf("%s has %d tasks of the kind %s", p.name, count[k], k)
			}
		}
	}
	if turns < 6 {
		t.Errorf("%d second messages", turns)
	}
	scripts := map[string]int{}
	for _, task := range freshTasks() {
		scripts[script(task.request)]++
		for _, c := range task.Classes() {
			if c != ordinary && c != several {
				t.Errorf("%s is of the class %q", task.name, c)
			}
		}
	}
	if scripts["Cyrillic"] != 5 || scripts["Han"] != 5 || scripts["Kana"] != 5 || scripts["Latin"] != 45 {
		t.Errorf("tasks by script: %v", scripts)
	}
}

// script is the one that tells the language of a message: Japanese has kana among its characters.
func script(text string) string {
	for _, s := range []struct {
		name   string
		tables []*unicode.RangeTable
	}{
		{"Kana", []*unicode.RangeTable{unicode.Hiragana, unicode.Katakana}},
		{"Han", []*unicode.RangeTable{unicode.Han}},
		{"Cyrillic", []*unicode.RangeTable{unicode.Cyrillic}},
	} {
		if slices.ContainsFunc([]rune(text), func(r rune) bool { return unicode.In(r, s.tables...) }) {
			return s.name
		}
	}
	return "Latin"
}

// TestTheFreshSplit is of thirty and thirty, and is the same each time.
func TestTheFreshSplit(t *testing.T) {
	work, _, err := Set(FreshWorkSet)
	if err != nil {
		t.Fatal(err)
	}
	kept, _, err := Set(FreshKeptSet)
	if err != nil {
		t.Fatal(err)
	}
	if len(work) != 30 || len(kept) != 30 {
		t.Errorf("%d and %d tasks", len(work), len(kept))
	}
	for _, one := range freshTasks() {
		is := func(other Task) bool { return other.name == one.name }
		if slices.ContainsFunc(work, is) == slices.ContainsFunc(kept, is) {
			t.Errorf("%s is in neither set or in both", one.name)
		}
	}
}
