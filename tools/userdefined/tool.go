package userdefined

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/arguments"
	"github.com/assent-ls/assent/tools/command/runner"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/shell"
)

// maxNamedFiles is how many bytes the files that a command names may have: they are read before each question.
const maxNamedFiles = 1 << 30

// tool is one user-defined tool, as its file was when the run began.
type tool struct {
	definition
	source *Source
	file   string // for people
	folder string // programs that begin with ./ lie here
	origin tools.Origin
	data   []byte // of the file
	read   func(context.Context) ([]byte, error)
	spec   tools.Spec
}

// Spec implements tools.Tool.
func (t *tool) Spec() tools.Spec { return t.spec }

// Plan implements tools.Tool. The file must still be what it was, and trusted; the programs and files of the workspace
// that the command names are bound with their content.
func (t *tool) Plan(ctx context.Context, call tools.Call) (tools.Plan, error) {
	now, err := t.read(ctx)
	if err != nil {
		return tools.Plan{}, err
	}
	if !bytes.Equal(now, t.data) {
		return tools.Plan{}, fmt.Errorf(
			"%s has changed: the tool is there again, as it is now, from the next message on", t.file,
		)
	}
	args := call.Arguments
	if len(args) == 0 {
		args = []byte("{}")
	}
	if err := arguments.CheckArguments(t.Parameters, args); err != nil {
		return tools.Plan{}, err
	}
	program, err := t.program()
	if err != nil {
		return tools.Plan{}, err
	}
	root := t.source.options.Workspace.Root()
	argv := append([]string{program}, t.Command[1:]...)
	shown := strings.Join(argv, " ")
	input := []byte(tools.Canonical(args))
	outside := call.Outside || t.outside(program)
	place, confined := t.source.programs.Place(ctx, outside)
	plan := tools.Plan{
		Target: shown + " " + string(input),
		Preview: fmt.Sprintf(
			"$ %s\n\nin %s\n\nThe program reads from its standard input:\n%s\n\n%s", shown, root, input, place,
		),
		Confined: confined,
	}
	plan.Preview = strings.TrimSpace(plan.Preview) + "\n"
	left := int64(maxNamedFiles)
	binding := []string{t.file, string(t.data), program, root, place}
	for _, file := range argv {
		inside, sum, size, err := t.inside(ctx, file, left)
		if err != nil {
			return tools.Plan{}, err
		}
		left -= size
		if inside != "" {
			plan.Protected = fmt.Sprintf(
				"It runs or reads %q, which lies in the workspace and may have been changed.", inside,
			)
		}
		binding = append(binding, file, sum)
	}
	plan.Binding = policy.Bind(binding...)
	if unsaved := t.source.options.Workspace.Unsaved(); len(unsaved) > 0 {
		plan.Waits = fmt.Sprintf("Unsaved changes by Assent in %s: save them first.", strings.Join(unsaved, ", "))
	}
	plan.Run = func(ctx context.Context, report tools.Reporter) tools.Result {
		command := shell.Command{Argv: argv, Input: input, Dir: root, Timeout: t.timeout(), Live: report.Output}
		if command.Timeout == 0 && t.source.options.Timeout != nil {
			command.Timeout = t.source.options.Timeout()
		}
		return t.source.programs.Run(ctx, call, report, outside, command)
	}
	return plan, nil
}

// outside reports whether the program runs outside the sandbox: its definition says so, or it lies in the user's own
// folder, which the sandbox hides.
func (t *tool) outside(program string) bool {
	rel, err := filepath.Rel(t.folder, program)
	own := t.origin == tools.FromUser && err == nil && filepath.IsLocal(rel)
	return own || t.Sandbox != nil && !*t.Sandbox
}

// program is the absolute path of the tool's program: one below ./ lies in the folder of the tool's origin, other names
// are looked up in the absolute folders of PATH, and never in the workspace.
func (t *tool) program() (string, error) {
	name := t.Command[0]
	if filepath.IsAbs(name) {
		return name, nil
	}
	if strings.ContainsRune(name, '/') {
		return filepath.Join(t.folder, filepath.FromSlash(name)), nil
	}
	return runner.Installed(name, t.source.options.Workspace.Root())
}

// inside says which file of the workspace a word of the command names, by its name or by what its links lead to, and
// what the file holds: at most so many bytes; empty: none. Programs start in the workspace, so a relative name is one
// there.
func (t *tool) inside(ctx context.Context, argument string, most int64) (rel, sum string, size int64, err error) {
	root := t.source.options.Workspace.Root()
	file := argument
	if !filepath.IsAbs(file) {
		file = filepath.Join(root, filepath.FromSlash(file))
	}
	sum, size, err = diskfile.Sum(ctx, file, most)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", "", 0, nil
	case ctx.Err() != nil:
		return "", "", 0, ctx.Err()
	case errors.Is(err, diskfile.ErrTooLarge):
		return "", "", 0, fmt.Errorf(
			"%q, which the command names, is too large to be sure that what runs is what you approve: "+
				"the files that it names may have %d MB in all",
			argument, maxNamedFiles>>20,
		)
	case err != nil:
		sum = err.Error() // a folder or a device has no content, and a word need not be a file's name
	}
	names := []string{file}
	if to, err := filepath.EvalSymlinks(file); err == nil {
		names = append(names, to)
	}
	for _, name := range names {
		if rel, err := filepath.Rel(root, name); err == nil && filepath.IsLocal(rel) {
			return rel, sum, size, nil
		}
	}
	return "", sum, size, nil
}
