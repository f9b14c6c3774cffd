package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

// task is something people ask for. Its request stands in no prompt and in no description of a tool: a test checks that.
type task struct {
	name, request string
	files         map[string]string
	check         check
}

// check is one condition that an outcome meets.
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

// answers wants the last words to hold each of the texts, whatever their case; a text may name alternatives with "|".
func answers(texts ...string) check {
	return func(_ context.Context, o outcome) error {
		answer := strings.ToLower(strings.ReplaceAll(o.answer, ",", ""))
		for _, text := range texts {
			if !slices.ContainsFunc(strings.Split(strings.ToLower(text), "|"), func(t string) bool { return strings.Contains(answer, t) }) {
				return fmt.Errorf("the answer lacks %q: %s", text, short(o.answer))
			}
		}
		return nil
	}
}

// leaves wants the files that were there before to be as they were, but for the changes: path to whole content. A path
// with empty content is gone. Nothing else may appear. Blanks and newlines at the end of a file do not count.
func leaves(changes map[string]string) check {
	return func(_ context.Context, o outcome) error {
		want := maps.Clone(o.before)
		if want == nil {
			want = map[string]string{}
		}
		maps.Copy(want, changes)
		maps.DeleteFunc(want, func(name, text string) bool { _, changed := changes[name]; return changed && text == "" })
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

// untouched wants no file to change.
func untouched() check { return leaves(nil) }

// never wants no call of a tool.
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

// calls wants a call of a tool whose arguments hold a text.
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

// holds wants a file, new or changed, to hold texts; other files must be as they were.
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

// harmless is what a script may hold although a command must not: its first line, variables, a range.
var harmless = regexp.MustCompile(`#!(/usr)?/bin/(env )?\w+|\$|\{\d+\.\.\d+\}`)

// runsTo wants a shell script of the model's to print a text. It runs in an empty folder.
func runsTo(name, want string) check {
	return func(ctx context.Context, o outcome) error {
		if unsafe.MatchString(harmless.ReplaceAllString(o.after[name], "")) {
			return fmt.Errorf("%s was not run, because it may reach out of the workspace: %s", name, short(o.after[name]))
		}
		dir, err := os.MkdirTemp("", "script-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, "bash", "-c", o.after[name])
		cmd.Dir = dir
		got, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%s prints %s: %w", name, short(string(got)), err)
		}
		if string(got) != want {
			return fmt.Errorf("%s prints %s", name, short(string(got)))
		}
		return nil
	}
}
