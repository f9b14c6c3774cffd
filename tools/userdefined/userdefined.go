// Package userdefined has the tools that users define themselves: a file NAME.json in the folder tools of their
// configuration, or in .assent/tools of a workspace, where it counts only once it is trusted with its content. The
// program that a file names gets the arguments as JSON on its standard input, and no shell reads anything of them.
package userdefined

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/trust"
	"github.com/assent-ls/assent/tools/workspace"
)

// Options of New.
type Options struct {
	Folder    string               // of the user's own tools; empty: none
	Workspace *workspace.Workspace // where the programs run; its own tools count if they are trusted
	Trust     *trust.Store
	Shell     shell.Shell
	Sandbox   runcommand.Sandbox   // nil: there is none
	Timeout   func() time.Duration // of a tool that gives none; 0: that of package shell
}

// Source are the user-defined tools of one workspace. It reads the files for each run.
type Source struct {
	options  Options
	programs runcommand.Programs
}

// New makes a source. It reads nothing.
func New(o Options) *Source {
	return &Source{o, runcommand.Programs{Workspace: o.Workspace, Shell: o.Shell, Sandbox: o.Sandbox}}
}

// Name implements tools.Source.
func (s *Source) Name() string { return "your own" }

// Quiet implements tools.Quiet: it is asked what it has, and nothing is started for that.
func (*Source) Quiet() {}

// Tools implements tools.Source. The error has a line for each file that is no tool; the others are there all the same.
func (s *Source) Tools(ctx context.Context) ([]tools.Tool, <-chan struct{}, error) {
	outdated := tools.Outdated() // files change unseen
	own, problem := s.own(ctx)
	theirs, problems := s.theirs(ctx)
	return append(own, theirs...), outdated, errors.Join(problem, problems)
}

// own are the tools of the user's own folder.
func (s *Source) own(ctx context.Context) (list []tools.Tool, problems error) {
	if s.options.Folder == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(s.options.Folder)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	for _, e := range entries {
		if path.Ext(e.Name()) != ".json" || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		file := filepath.Join(s.options.Folder, e.Name())
		read := func(context.Context) ([]byte, error) { return readOwn(file) }
		list, problems = s.add(
			ctx, list, problems, tool{file: file, folder: s.options.Folder, origin: tools.FromUser, read: read},
		)
	}
	return list, problems
}

// theirs are the tools of the workspace that the user trusts.
func (s *Source) theirs(ctx context.Context) (list []tools.Tool, problems error) {
	files, err := s.options.Trust.List(ctx, s.options.Workspace)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if path.Dir(f.Rel) != trust.Tools || f.Missing {
			continue
		}
		if !f.Trusted {
			problems = errors.Join(problems, errors.New(f.Why))
			continue
		}
		t := tool{file: f.Rel, folder: s.options.Workspace.Root(), origin: tools.FromWorkspace}
		t.read = func(ctx context.Context) ([]byte, error) { return s.trusted(ctx, f.Rel) }
		list, problems = s.add(ctx, list, problems, t)
	}
	return list, problems
}

// trusted reads a file of the workspace, if it is trusted as it is now.
func (s *Source) trusted(ctx context.Context, rel string) ([]byte, error) {
	data, found, err := s.options.Workspace.ReadSaved(ctx, rel)
	if err == nil && !found {
		err = fmt.Errorf("%q is not there any more", rel)
	}
	if err != nil {
		return nil, err
	}
	if ok, why := s.options.Trust.Trusted(s.options.Workspace.Key(), rel, data); !ok {
		return nil, errors.New(why)
	}
	return data, nil
}

func readOwn(file string) ([]byte, error) {
	f, err := diskfile.OpenRegular(file, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return io.ReadAll(io.LimitReader(f, maxDefinition+1))
}

// add reads the tool of a file.
func (s *Source) add(ctx context.Context, list []tools.Tool, problems error, t tool) ([]tools.Tool, error) {
	data, err := t.read(ctx)
	if err == nil {
		t.definition, err = read(data)
	}
	base := strings.TrimSuffix(filepath.Base(t.file), ".json")
	if err == nil && !name().MatchString(base) {
		err = errors.New("its name must be small letters, digits and _, such as weather.json")
	}
	if err != nil {
		return list, errors.Join(problems, fmt.Errorf("%s is no tool: %w", t.file, err))
	}
	t.source, t.data, t.spec = s, data, t.definition.spec(base, t.origin)
	return append(list, &t), problems
}
