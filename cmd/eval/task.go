package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools/sql"
)

// task is a typical request. Its wording is in no prompt and in no description of a tool: a test checks that.
type task struct {
	name     string
	request  string
	then     []string // further messages, each sent when the run before it is over
	files    map[string]string
	unsaved  []change // what the editor shows otherwise than the disk
	kind     kind     // empty in the older sets
	class    class
	touches  []string // the files that may be other ones afterwards, of a task with a kind
	check    check
	servers  bool     // the tools of five servers are there, too
	database sql.Kind // a company's database of this kind is there, too; empty: none
	goesOn   bool     // the next message is sent also where a run ended without an answer
}

// messages are all that the user says.
func (t task) messages() []string { return append([]string{t.request}, t.then...) }

// shown are the files as the user sees them: what is not saved yet counts.
func (t task) shown() (map[string]string, error) { return changed(t.files, t.unsaved...) }

// check is one condition that an outcome must meet.
type check = func(ctx context.Context, o outcome) error

// all joins conditions.
func all(checks ...check) check {
	return func(ctx context.Context, o outcome) error {
		for _, c := range checks {
			if err := c(ctx, o); err != nil {
				return err
			}
		}
		return nil
	}
}

// answers requires that the last text of the model contains each of the texts, in any case; "|" separates alternatives.
func answers(texts ...string) check {
	return func(_ context.Context, o outcome) error {
		answer := strings.ToLower(strings.ReplaceAll(o.answer, ",", ""))
		for _, text := range texts {
			if !slices.ContainsFunc(
				strings.Split(strings.ToLower(text), "|"), func(t string) bool { return strings.Contains(answer, t) },
			) {
				return fmt.Errorf("the answer lacks %q: %s", text, short(o.answer))
			}
		}
		return nil
	}
}

// leaves requires that the files are as before, except for the changes: path to whole content. A path with empty
// content must be deleted. No other file may be new. Spaces and newlines at the end of a file do not count.
func leaves(changes map[string]string) check {
	return func(_ context.Context, o outcome) error {
		want := maps.Clone(o.before)
		if want == nil {
			want = map[string]string{}
		}
		maps.Copy(want, changes)
		maps.DeleteFunc(
			want, func(name, text string) bool { _, changed := changes[name]; return changed && text == "" },
		)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			got, there := o.after[name]
			switch {
			case !there:
				return fmt.Errorf("%s is missing", name)
			case strings.TrimRight(got, " \n") != strings.TrimRight(want[name], " \n"):
				return fmt.Errorf("%s is %s", name, short(got))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(o.after)) {
			if _, expected := want[name]; !expected {
				return fmt.Errorf("%s appeared", name)
			}
		}
		return nil
	}
}

// untouched requires that no file changed.
func untouched() check { return leaves(nil) }

// never requires that none of the tools was called.
func never(tools ...string) check {
	return func(_ context.Context, o outcome) error {
		for _, call := range o.calls {
			if slices.Contains(tools, call.Name) {
				return fmt.Errorf("%s was called", call.Name)
			}
		}
		return nil
	}
}

// calls requires a call of a tool whose arguments contain a text.
func calls(tool, text string) check {
	return func(_ context.Context, o outcome) error {
		for _, call := range o.calls {
			if call.Name == tool && strings.Contains(string(call.Arguments), text) {
				return nil
			}
		}
		return fmt.Errorf("%s was not called with %q", tool, text)
	}
}

// holds requires that a new or changed file contains the texts; other files must be as before.
func holds(name string, texts ...string) check {
	return func(ctx context.Context, o outcome) error {
		for _, text := range texts {
			if !strings.Contains(o.after[name], text) {
				return fmt.Errorf("%s lacks %q: %s", name, text, short(o.after[name]))
			}
		}
		return leaves(map[string]string{name: o.after[name]})(ctx, o)
	}
}

func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 90 {
		text = text[:90] + "…"
	}
	return fmt.Sprintf("%q", text)
}

// harmless matches what is allowed in a script though not in a command: its first line, variables, a range.
var harmless = regexp.MustCompile(`#!(/usr)?/bin/(env )?\w+|\$|\{\d+\.\.\d+\}`)

// runsTo requires that a shell script of the model prints exactly a text. It runs in an empty folder.
func runsTo(name, want string) check {
	return func(ctx context.Context, o outcome) error {
		if unsafe.MatchString(harmless.ReplaceAllString(o.after[name], "")) {
			return fmt.Errorf(
				"%s was not run, because it may reach out of the workspace: %s", name, short(o.after[name]),
			)
		}
		dir, err := os.MkdirTemp("", "script-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		got, err := runKept(ctx, dir, 10*time.Second, []string{"bash", "-c", o.after[name]})
		if err != nil {
			return fmt.Errorf("%s prints %s: %w", name, short(got), err)
		}
		if got != want {
			return fmt.Errorf("%s prints %s", name, short(got))
		}
		return nil
	}
}
