package tasks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// says requires that the last text of the model matches each pattern, in any case and with single spaces; commas within
// numbers do not count.
func says(patterns ...string) check {
	return func(_ context.Context, o Outcome) error {
		answer := plainAnswer(o.Answer)
		for _, p := range patterns {
			if !regexp.MustCompile("(?i)" + p).MatchString(answer) {
				return fmt.Errorf("the answer does not match %q: %s", p, Short(o.Answer))
			}
		}
		return nil
	}
}

// saysNot requires that the last text of the model matches none of the patterns.
func saysNot(patterns ...string) check {
	return func(_ context.Context, o Outcome) error {
		answer := plainAnswer(o.Answer)
		for _, p := range patterns {
			if regexp.MustCompile("(?i)" + p).MatchString(answer) {
				return fmt.Errorf("the answer matches %q: %s", p, Short(o.Answer))
			}
		}
		return nil
	}
}

var thousands = regexp.MustCompile(`(\d),(\d{3})`)

// plainAnswer is an answer without Markdown's marks of emphasis and code.
func plainAnswer(text string) string {
	text = strings.NewReplacer("**", "", "`", "", "’", "'").Replace(text)
	return strings.Join(strings.Fields(thousands.ReplaceAllString(text, "$1$2")), " ")
}

// turn checks what was after one of the messages, counted from 1.
func turn(n int, c check) check {
	return func(ctx context.Context, o Outcome) error {
		if n > len(o.Turns) {
			return fmt.Errorf("message %d was not sent", n)
		}
		at := o.Turns[n-1]
		o.Answer, o.Calls, o.After = at.Answer, at.Calls, at.After
		if err := c(ctx, o); err != nil {
			return fmt.Errorf("after message %d: %w", n, err)
		}
		return nil
	}
}

// either requires one of several conditions.
func either(checks ...check) check {
	return func(ctx context.Context, o Outcome) error {
		var problems []error
		for _, c := range checks {
			err := c(ctx, o)
			if err == nil {
				return nil
			}
			problems = append(problems, err)
		}
		return errors.Join(problems...)
	}
}

// becomes requires that the files are those before with the changes; trailing spaces and blank lines do not count.
func becomes(changes ...change) check {
	return func(_ context.Context, o Outcome) error {
		want, err := changed(o.Before, changes...)
		if err != nil {
			return err
		}
		return sameFiles(want, o.After, sameLines)
	}
}

// sameLines compares texts by their lines.
func sameLines(a, b string) bool { return slices.Equal(textLines(a), textLines(b)) }

// sameFiles compares files, and their texts in a way.
func sameFiles(want, got folder, same func(a, b string) bool) error {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		text, there := got[name]
		if !there {
			return fmt.Errorf("%s is missing", name)
		}
		if !same(text, want[name]) {
			return fmt.Errorf("%s is %s", name, Short(text))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, expected := want[name]; !expected {
			return fmt.Errorf("%s appeared", name)
		}
	}
	return nil
}

// textLines are the lines of a text that are not blank, without spaces at their ends.
func textLines(text string) []string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimRight(line, " \t\r"); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// swaps compares a file's lines before and after: those that are gone match the patterns of gone one by one, in order,
// and those that came match those of came. Blank lines do not count; where they are is for place to say.
func swaps(name string, gone, came []string) check {
	return func(_ context.Context, o Outcome) error {
		before, after := textLines(o.Before[name]), textLines(o.After[name])
		if err := match(name+" lost", without(before, after), gone); err != nil {
			return err
		}
		return match(name+" got", without(after, before), came)
	}
}

// without are the lines of a that b does not have as often.
func without(a, b []string) []string {
	count := map[string]int{}
	for _, line := range b {
		count[line]++
	}
	var out []string
	for _, line := range a {
		if count[line]--; count[line] < 0 {
			out = append(out, line)
		}
	}
	return out
}

func match(what string, got, patterns []string) error {
	if len(got) != len(patterns) {
		return fmt.Errorf(
			"%s %d lines instead of %d: %s", what, len(got), len(patterns), Short(strings.Join(got, " | ")),
		)
	}
	for i, p := range patterns {
		if !regexp.MustCompile("^(?:" + p + ")$").MatchString(got[i]) {
			return fmt.Errorf("%s %s", what, Short(got[i]))
		}
	}
	return nil
}

// place requires that lines that match the patterns are in a file in this order.
func place(name string, patterns ...string) check {
	return func(_ context.Context, o Outcome) error {
		rest := textLines(o.After[name])
		for _, p := range patterns {
			i := slices.IndexFunc(rest, regexp.MustCompile(p).MatchString)
			if i < 0 {
				return fmt.Errorf("%s has no %q where it belongs: %s", name, p, Short(o.After[name]))
			}
			rest = rest[i+1:]
		}
		return nil
	}
}

// file requires that the whole text of a file matches each pattern.
func file(name string, patterns ...string) check {
	return func(_ context.Context, o Outcome) error {
		text, there := o.After[name]
		if !there {
			return fmt.Errorf("%s is missing", name)
		}
		for _, p := range patterns {
			if !regexp.MustCompile(p).MatchString(text) {
				return fmt.Errorf("%s does not match %q: %s", name, p, Short(text))
			}
		}
		return nil
	}
}

// fileNot requires that the text of a file matches none of the patterns.
func fileNot(name string, patterns ...string) check {
	return func(_ context.Context, o Outcome) error {
		for _, p := range patterns {
			if regexp.MustCompile(p).MatchString(o.After[name]) {
				return fmt.Errorf("%s matches %q: %s", name, p, Short(o.After[name]))
			}
		}
		return nil
	}
}

// keeps requires that all lines of a file are still there, in their order: the file may have got more.
func keeps(name string) check {
	return func(_ context.Context, o Outcome) error {
		rest := textLines(o.After[name])
		for _, line := range textLines(o.Before[name]) {
			i := slices.Index(rest, line)
			if i < 0 {
				return fmt.Errorf("%s lost %s", name, Short(line))
			}
			rest = rest[i+1:]
		}
		return nil
	}
}
