package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/tools/command"
)

// Errors of Find.
var (
	ErrNotFound = errors.New("command not found")
	ErrInside   = errors.New("it would be a program of the workspace, which is only run by its path")
)

// Find finds the program that the first word of a part names. Names without a slash are looked up in the absolute
// folders of PATH; the error is ErrInside if the first program of that name belongs to the workspace, which is at root.
func Find(name, path, root string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		if !filepath.IsAbs(dir) || err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			continue
		}
		if inside(file, root) {
			return "", ErrInside
		}
		return file, nil
	}
	return "", ErrNotFound
}

// Installed is Find by the PATH of Assent, with an error that names the program.
func Installed(name, root string) (string, error) {
	file, err := Find(name, os.Getenv("PATH"), root)
	switch {
	case errors.Is(err, ErrInside):
		return "", fmt.Errorf("%q would be a program of the workspace, which is only run by its path", name)
	case err != nil:
		return "", fmt.Errorf("the program %q is not installed", name)
	}
	return file, nil
}

// inside reports whether a file belongs to a folder, by its name or by what its links lead to.
func inside(file, root string) bool {
	for _, f := range []string{file, resolved(filepath.Dir(file)), resolved(file)} {
		for _, r := range []string{root, resolved(root)} {
			if rel, err := filepath.Rel(r, f); err == nil && filepath.IsLocal(rel) {
				return true
			}
		}
	}
	return false
}

func resolved(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}

// streams are the input, the output and the errors of a program.
type streams [3]*os.File

// given are the streams of this process.
func given() streams { return streams{os.Stdin, os.Stdout, os.Stderr} }

// redirect applies redirections in their order. The files are those that it opened, also if it fails.
func (s *streams) redirect(redirects []command.Redirect) (opened []*os.File, err error) {
	for _, r := range redirects {
		if r.Op == ">&" {
			s[r.From] = s[r.To]
			continue
		}
		flags := map[string]int{
			"<": os.O_RDONLY, ">": os.O_WRONLY | os.O_CREATE | os.O_TRUNC,
			">>": os.O_WRONLY | os.O_CREATE | os.O_APPEND,
		}[r.Op]
		f, err := os.OpenFile(filepath.FromSlash(r.Path), flags, 0o666) //nolint:gosec // a shell makes files so: the user's umask decides
		if err != nil {
			return opened, err
		}
		opened, s[r.From] = append(opened, f), f
	}
	return opened, nil
}

// begin starts the program of a part beside this process. Without one the status says why.
func (p *programs) begin(root string, part command.Part, s streams) (process *os.Process, status int) {
	opened, err := s.redirect(part.Redirects)
	defer func() {
		for _, f := range opened {
			_ = f.Close()
		}
	}()
	if err != nil {
		complain(s[2], err)
		return nil, 1
	}
	file, err := Find(part.Argv[0], os.Getenv("PATH"), root)
	if err == nil {
		process, err = p.start(file, part, s)
	}
	switch {
	case errors.Is(err, errStopped):
		return nil, statusStopped
	case err != nil:
		return nil, s.notStarted(part.Argv[0], err)
	}
	return process, 0
}

// notStarted tells why a program did not start, and returns the status for it.
func (s streams) notStarted(name string, err error) (status int) {
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNotFound
	}
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathError.Err
	}
	complain(s[2], fmt.Errorf("%s: %w", name, err))
	if errors.Is(err, ErrNotFound) {
		return 127
	}
	return 126
}

// complain writes to where the errors of a program go.
func complain(to *os.File, err error) { fmt.Fprintf(to, "assent: %v\n", err) }
