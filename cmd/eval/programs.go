package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"time"

	"github.com/assent-ls/assent/tools/shell"
)

// outside matches code that could act outside of its folder. Changed code with it is not run.
var outside = regexp.MustCompile(`\b(subprocess|shutil|socket|urllib|requests|eval|exec|__import__|child_process|os/exec|net/http|syscall|unlink|rmtree)\b|os\.(remove|system|Remove)|\brm\b`)

// passes requires that a program ends well in a copy of the outcome's files. It judges code that can be right in many
// ways.
func passes(program string, args ...string) check {
	return func(ctx context.Context, o outcome) error {
		for _, name := range differing(o.before, o.after) {
			if outside.MatchString(o.after[name]) && !outside.MatchString(o.before[name]) {
				return fmt.Errorf(
					"%s was not run, because it may reach out of the workspace: %s", name, short(o.after[name]),
				)
			}
		}
		dir, err := os.MkdirTemp("", "outcome-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		if err := writeFiles(dir, o.after); err != nil {
			return err
		}
		if out, err := runKept(ctx, dir, time.Minute, append([]string{program}, args...)); err != nil {
			return fmt.Errorf("%s %v: %w: %s", program, args, err, short(out))
		}
		return nil
	}
}

// beside puts a further file into the outcome, as a program that is run by a check needs it.
func beside(name, text string, c check) check {
	return func(ctx context.Context, o outcome) error {
		after, err := changed(o.after, write(name, text))
		if err != nil {
			return err
		}
		o.after = after
		return c(ctx, o)
	}
}

// python runs a few lines in the root of the outcome's files.
func python(code string) check { return passes("python3", "-c", code) }

// runKept runs a program that a model may have written, and ends it with all that it started: some start themselves
// without end.
func runKept(ctx context.Context, dir string, limit time.Duration, argv []string) (output string, err error) {
	env, err := exec.LookPath("env")
	if err != nil {
		return "", err
	}
	o, err := shell.New(keepWord, lineWord).Run(ctx, shell.Command{
		Argv: slices.Concat(
			[]string{env, "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=."},
			argv,
		),
		Dir: dir, Timeout: limit,
	})
	switch {
	case err != nil:
		return "", err
	case o.TimedOut, o.Crowded, o.Status != 0:
		err = fmt.Errorf("status %d, out of time %t, too many processes %t", o.Status, o.TimedOut, o.Crowded)
	}
	return o.Output.Head + o.Output.Tail, err
}
