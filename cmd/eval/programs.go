package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"time"
)

// outside matches code that could act outside of its folder. Changed code with it is not run.
var outside = regexp.MustCompile(`\b(subprocess|shutil|socket|urllib|requests|eval|exec|__import__|child_process|os/exec|net/http|syscall|unlink|rmtree)\b|os\.(remove|system|Remove)|\brm\b`)

// passes requires that a program ends well in a copy of the outcome's files. It judges code that can be right in many ways.
func passes(program string, args ...string) check {
	return func(ctx context.Context, o outcome) error {
		for _, name := range differing(o.before, o.after) {
			if outside.MatchString(o.after[name]) && !outside.MatchString(o.before[name]) {
				return fmt.Errorf("%s was not run, because it may reach out of the workspace: %s", name, short(o.after[name]))
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
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=.")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s %v: %w: %s", program, args, err, short(string(out)))
		}
		return nil
	}
}

// python runs a few lines in the root of the outcome's files.
func python(code string) check { return passes("python3", "-c", code) }
