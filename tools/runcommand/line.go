package runcommand

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/command/runner"
	"github.com/assent-ls/assent/tools/workspace"
)

// understand reads a command line that runs in the root of a workspace, with the files of its redirections: those that
// it writes, then those that it reads. The error says why it is not understood: then no rule can judge it.
func understand(ws *workspace.Workspace, text string) (*command.Line, []workspace.Path, error) {
	line, err := command.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	if line.Dir != "" {
		dir, err := ws.Resolve(inRoot(ws, line.Dir))
		if err != nil || !dir.Dir {
			return nil, nil, fmt.Errorf(
				"%w: it goes to %q, which is no folder of the workspace", command.ErrNotUnderstood, line.Dir,
			)
		}
		line.Dir = dir.Rel
	}
	for i, part := range line.Parts {
		program, err := runner.Find(part.Argv[0], os.Getenv("PATH"), ws.Root())
		if errors.Is(err, runner.ErrInside) {
			return nil, nil, fmt.Errorf("%w: %s: %w", command.ErrNotUnderstood, part.Argv[0], err)
		}
		line.Parts[i].Chosen = err == nil && runner.Chosen(part.Argv[0], program)
	}
	var files []workspace.Path
	for _, name := range append(line.Written(), line.Read()...) {
		p, err := ws.Resolve(inRoot(ws, name))
		if err != nil || p.Dir {
			return nil, nil, fmt.Errorf(
				"%w: it redirects to %q, which is no file of the workspace", command.ErrNotUnderstood, name,
			)
		}
		files = append(files, p)
	}
	return &line, files, nil
}

// writable says why a line cannot write files of its redirections, by the rules of edits; nil if it can. Those that it
// writes come first.
func writable(ws *workspace.Workspace, line *command.Line, files []workspace.Path) error {
	if line == nil {
		return nil
	}
	for _, p := range files[:len(line.Written())] {
		if err := ws.Writable(p); err != nil {
			return err
		}
	}
	return nil
}

// named says why a line that only reads needs a question: it names a file that a person is asked about before it is
// read. Empty: it names none.
func named(ws *workspace.Workspace, line *command.Line) string {
	for _, name := range line.Shown() {
		p, err := ws.Resolve(inRoot(ws, name))
		if err == nil && p.Protected != "" && (p.Exists || workspace.Asked(p.Rel)) { // git may have what is not there
			return p.Protected
		}
	}
	return ""
}

// linked says where files that are links lead, each on a line.
func linked(ws *workspace.Workspace, files []workspace.Path) string {
	var b strings.Builder
	for _, p := range files {
		if p.Asked != p.Abs {
			fmt.Fprintf(&b, "%s leads to %s\n", strings.TrimPrefix(p.Asked, ws.Root()+string(os.PathSeparator)), p.Rel)
		}
	}
	return b.String()
}

// where says whether a line was understood, and which folder it goes to.
func where(line *command.Line) string {
	if line == nil {
		return "in a shell"
	}
	return "in " + line.Dir
}

// inRoot is a path as the kernel finds it from the root of a workspace.
func inRoot(ws *workspace.Workspace, name string) string {
	if path.IsAbs(name) {
		return name
	}
	return ws.Root() + "/" + name
}
