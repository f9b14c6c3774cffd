// Package tasks holds the tasks of cmd/eval, by their sets, with the checks that tell whether they are solved.
package tasks

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

// Task is a typical request. Its wording is in no prompt and in no description of a tool: a test checks that.
type Task struct {
	name     string
	request  string
	then     []string // further messages, each sent when the run before it is over
	files    map[string]string
	unsaved  []change // what the editor shows otherwise than the disk
	kind     Kind     // empty in the older sets
	class    Class
	touches  []string // the files that may be other ones afterwards, of a task with a kind
	check    check
	servers  bool     // the tools of five servers are there, too
	database sql.Kind // a company's database of this kind is there, too; empty: none
	goesOn   bool     // the next message is sent also where a run ended without an answer
}

// Conversation is a task without a check, all of whose messages are sent, also where a run ended without an answer.
func Conversation(name string, files map[string]string, first string, then ...string) Task {
	return Task{name: name, request: first, then: then, files: files, goesOn: true}
}

// Name is the only one in its set.
func (t Task) Name() string { return t.name }

// Kind is empty in the older sets.
func (t Task) Kind() Kind { return t.kind }

// Talks reports whether no tool is needed and no file is of interest.
func (t Task) Talks() bool { return t.kind == talk }

// Changes reports whether files are to change, of a task with a kind.
func (t Task) Changes() bool { return t.kind == changing }

// Files are the contents of the files on disk, by their paths. The caller must not change them.
func (t Task) Files() map[string]string { return t.files }

// Servers reports whether the tools of five servers are there, too.
func (t Task) Servers() bool { return t.servers }

// Database is the kind of a company's database that is there, too; empty: none is.
func (t Task) Database() sql.Kind { return t.database }

// GoesOn reports whether the next message is sent also where a run ended without an answer.
func (t Task) GoesOn() bool { return t.goesOn }

// Messages are all that the user says.
func (t Task) Messages() []string { return append([]string{t.request}, t.then...) }

// Shown are the files as the user sees them: what is not saved yet counts.
func (t Task) Shown() (map[string]string, error) { return changed(t.files, t.unsaved...) }

// check is one condition that an outcome must meet.
type check = func(ctx context.Context, o Outcome) error

// all joins conditions.
func all(checks ...check) check {
	return func(ctx context.Context, o Outcome) error {
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
	return func(_ context.Context, o Outcome) error {
		answer := strings.ToLower(strings.ReplaceAll(o.Answer, ",", ""))
		for _, text := range texts {
			if !slices.ContainsFunc(
				strings.Split(strings.ToLower(text), "|"), func(t string) bool { return strings.Contains(answer, t) },
			) {
				return fmt.Errorf("the answer lacks %q: %s", text, Short(o.Answer))
			}
		}
		return nil
	}
}

// leaves requires that the files are as before, except for the changes: path to whole content. A path with empty
// content must be deleted. No other file may be new. Spaces and newlines at the end of a file do not count.
func leaves(changes folder) check {
	return func(_ context.Context, o Outcome) error {
		want := folder{}
		maps.Copy(want, o.Before)
		for name, text := range changes {
			if want[name] = text; text == "" {
				delete(want, name)
			}
		}
		return sameFiles(want, o.After, func(a, b string) bool {
			return strings.TrimRight(a, " \n") == strings.TrimRight(b, " \n")
		})
	}
}

// untouched requires that no file changed.
func untouched() check { return leaves(nil) }

// onlyAnswers is an answer to a question about the files, which leaves them as they are.
func onlyAnswers(texts ...string) check { return all(answers(texts...), untouched()) }

// never requires that none of the tools was called.
func never(tools ...string) check {
	return func(_ context.Context, o Outcome) error {
		for _, call := range o.Calls {
			if slices.Contains(tools, call.Name) {
				return fmt.Errorf("%s was called", call.Name)
			}
		}
		return nil
	}
}

// calls requires a call of a tool whose arguments contain a text.
func calls(tool, text string) check {
	return func(_ context.Context, o Outcome) error {
		for _, call := range o.Calls {
			if call.Name == tool && strings.Contains(string(call.Arguments), text) {
				return nil
			}
		}
		return fmt.Errorf("%s was not called with %q", tool, text)
	}
}

// holds requires that a new or changed file contains the texts; other files must be as before.
func holds(name string, texts ...string) check {
	return func(ctx context.Context, o Outcome) error {
		for _, text := range texts {
			if !strings.Contains(o.After[name], text) {
				return fmt.Errorf("%s lacks %q: %s", name, text, Short(o.After[name]))
			}
		}
		return leaves(folder{name: o.After[name]})(ctx, o)
	}
}

// Short quotes the beginning of a text, with single spaces.
func Short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 90 {
		text = text[:90] + "…"
	}
	return fmt.Sprintf("%q", text)
}

// unsafe matches commands that could act outside the workspace: no person approves what a small model runs here.
var unsafe = regexp.MustCompile(
	`(^|[\s=<>"'])[/~]|\.\.|\$|` + "`" + `|\b(sudo|curl|wget|pip3?|npm|apt(-get)?|kill|killall|pkill|ssh|git)\b`,
)

// MayReachOut reports whether a command could act outside the workspace.
func MayReachOut(command string) bool { return unsafe.MatchString(command) }

// harmless matches what is allowed in a script though not in a command: its first line, variables, a range.
var harmless = regexp.MustCompile(`#!(/usr)?/bin/(env )?\w+|\$|\{\d+\.\.\d+\}`)

// runsTo requires that a shell script of the model prints exactly a text. It runs in an empty folder.
func runsTo(name, want string) check {
	return func(ctx context.Context, o Outcome) error {
		if MayReachOut(harmless.ReplaceAllString(o.After[name], "")) {
			return fmt.Errorf(
				"%s was not run, because it may reach out of the workspace: %s", name, Short(o.After[name]),
			)
		}
		dir, err := os.MkdirTemp("", "script-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		got, err := o.runKept(ctx, dir, 10*time.Second, []string{"bash", "-c", o.After[name]})
		if err != nil {
			return fmt.Errorf("%s prints %s: %w", name, Short(got), err)
		}
		if got != want {
			return fmt.Errorf("%s prints %s", name, Short(got))
		}
		return nil
	}
}
