package tasks

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools/shell"
)

// outside matches code that could act outside of its folder. Changed code with it is not run.
var outside = regexp.MustCompile(`\b(subprocess|shutil|socket|urllib|requests|eval|exec|__import__|child_process|os/exec|net/http|syscall|unlink|rmtree)\b|os\.(remove|system|Remove)|\brm\b`)

// passes requires that a program ends well in a copy of the outcome's files. It judges code that can be right in many
// ways.
func passes(program string, args ...string) check {
	return func(ctx context.Context, o Outcome) error {
		for _, name := range differing(o.Before, o.After) {
			if outside.MatchString(o.After[name]) && !outside.MatchString(o.Before[name]) {
				return fmt.Errorf(
					"%s was not run, because it may reach out of the workspace: %s", name, Short(o.After[name]),
				)
			}
		}
		dir, err := os.MkdirTemp("", "outcome-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		if err := WriteFiles(dir, o.After); err != nil {
			return err
		}
		if out, err := o.runKept(ctx, dir, time.Minute, append([]string{program}, args...)); err != nil {
			return fmt.Errorf("%s %v: %w: %s", program, args, err, Short(out))
		}
		return nil
	}
}

// beside puts a further file into the outcome, as a program that is run by a check needs it.
func beside(name, text string, c check) check {
	return func(ctx context.Context, o Outcome) error {
		after, err := changed(o.After, write(name, text))
		if err != nil {
			return err
		}
		o.After = after
		return c(ctx, o)
	}
}

// python runs a few lines in the root of the outcome's files.
func python(code string) check { return passes("python3", "-c", code) }

// WriteFiles puts files into a folder, each with the folders that it needs; scripts of a shell can be run.
func WriteFiles(root string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		mode := fs.FileMode(0o600)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o700
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			return err
		}
	}
	return nil
}

// runKept runs a program that a model may have written, and ends it with all that it started: some start themselves
// without end.
func (o Outcome) runKept(ctx context.Context, dir string, limit time.Duration, argv []string) (output string, err error) {
	env, err := exec.LookPath("env")
	if err != nil {
		return "", err
	}
	ran, err := o.programs.Run(ctx, shell.Command{
		Argv: slices.Concat(
			[]string{env, "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=."},
			argv,
		),
		Dir: dir, Timeout: limit,
	})
	switch {
	case err != nil:
		return "", err
	case ran.TimedOut, ran.Crowded, ran.Status != 0:
		err = fmt.Errorf("status %d, out of time %t, too many processes %t", ran.Status, ran.TimedOut, ran.Crowded)
	}
	return ran.Output.Head + ran.Output.Tail, err
}
