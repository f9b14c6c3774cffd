package tasks

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestThereAreNinetyTasks(t *testing.T) {
	all := projectTasks()
	seen := map[string]bool{}
	count := map[string]int{}
	for _, task := range all {
		if seen[task.name] {
			t.Errorf("two tasks are called %s", task.name)
		}
		seen[task.name] = true
		project, _, _ := strings.Cut(task.name, "-")
		count[project+" "+string(task.kind)]++
		if (task.kind == changing) != (len(task.touches) > 0) {
			t.Errorf("%s: a %s task touches %q", task.name, task.kind, task.touches)
		}
		for _, c := range task.Classes() {
			count[string(c)]++
		}
	}
	if len(all) != 90 {
		t.Errorf("there are %d tasks", len(all))
	}
	for _, p := range projects() {
		if n := len(p.files()); n < 8 || n > 25 {
			t.Errorf("%s has %d files", p.name, n)
		}
		for _, k := range Kinds() {
			if n := count[p.name+" "+string(k)]; n != 5 {
				t.Errorf("%s has %d tasks of the kind %s", p.name, n, k)
			}
		}
	}
	for c, least := range map[Class]int{
		besideFiles: 20, notLooked: 5, announced: 5, ambiguous: 4, wrongPlace: 5, testNotCode: 4, calculator: 4, guessedFolder: 5, ownFolder: 4, deleteMove: 5,
		several: 12, unsaved: 8,
	} {
		if n := count[string(c)]; n < least {
			t.Errorf("%d tasks are of the class %q, want %d", n, c, least)
		}
	}
}

// TestTheSetMore is of the same make as the ninety, and shares no name with them.
func TestTheSetMore(t *testing.T) {
	seen := map[string]bool{}
	for _, task := range projectTasks() {
		seen[task.name] = true
	}
	for _, p := range moreProjects() {
		if n := len(p.files()); n < 12 || n > 18 {
			t.Errorf("%s has %d files", p.name, n)
		}
		count := map[string]int{}
		for _, task := range tasksOf([]project{p}) {
			if seen[task.name] {
				t.Errorf("two tasks are called %s", task.name)
			}
			seen[task.name] = true
			if (task.kind == changing) != (len(task.touches) > 0) {
				t.Errorf("%s: a %s task touches %q", task.name, task.kind, task.touches)
			}
			count[string(task.kind)]++
			for _, c := range task.Classes() {
				count[string(c)]++
			}
		}
		for _, k := range Kinds() {
			if n := count[string(k)]; n != 4 {
				t.Errorf("%s has %d tasks of the kind %s", p.name, n, k)
			}
		}
		if count[string(several)] != 2 || count[string(unsaved)] < 1 || count[string(unsaved)] > 2 {
			t.Errorf("%s has %d tasks of several turns and %d with unsaved text", p.name, count[string(several)], count[string(unsaved)])
		}
	}
	if tasks, ok, err := Set(MoreSet); err != nil || !ok || len(tasks) != 12*len(moreProjects()) {
		t.Errorf("%d tasks, %v", len(tasks), err)
	}
}

// TestTheSplitIsTheDraw draws the thirty tasks again, ten of each kind, by a fixed seed: nobody chose them. A task that
// is added later is drawn into neither set, and needs a set and a draw of its own.
func TestTheSplitIsTheDraw(t *testing.T) {
	work, kept := split()
	var drawn []string
	dice := rand.New(rand.NewPCG(11, 60)) //nolint:gosec // it must come out the same each time
	for _, k := range Kinds() {
		var names []string
		for _, task := range projectTasks() {
			if task.kind == k {
				names = append(names, task.name)
			}
		}
		slices.Sort(names)
		dice.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		drawn = append(drawn, names[:10]...)
	}
	slices.Sort(drawn)
	if !slices.Equal(drawn, kept) {
		t.Errorf("drawn are\nkept %s", strings.Join(drawn, "\nkept "))
	}
	for _, task := range projectTasks() {
		if slices.Contains(work, task.name) == slices.Contains(kept, task.name) {
			t.Errorf("%s is in neither set or in both", task.name)
			t.Logf("work %s", task.name)
		}
	}
	for name, size := range map[string]int{WorkSet: 20, KeptSet: 10} {
		tasks, ok, err := Set(name)
		count := map[Kind]int{}
		for _, task := range tasks {
			count[task.kind]++
		}
		if err != nil || !ok || len(tasks) != 3*size || count[talk] != size || count[reading] != size || count[changing] != size {
			t.Errorf("%s: %d tasks, %v, %v", name, len(tasks), count, err)
		}
	}
	if len(work) != 60 || len(kept) != 30 {
		t.Errorf("%d and %d names", len(work), len(kept))
	}
}
