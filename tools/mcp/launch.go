package mcp

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/command/runner"
	"github.com/assent-ls/assent/tools/mcp/login"
)

// passedOn are the variables that every server gets. It gets nothing else but what its declaration names.
var passedOn = []string{"HOME", "LANG", "TERM"}

// served is the variable by which an Assent that is itself a server knows it: one that declares itself would start
// itself without end.
const served = "ASSENT_MCP_SERVER"

// launch is how a server is reached, with nothing left to resolve.
type launch struct {
	argv    []string
	env     []string
	dir     string
	url     string
	headers map[string]string
	client  login.Client   // for the login at a server elsewhere
	account *login.Account // that login; nil: there can be none
	secrets resolver       // knows what must not be shown
}

// program finds the program that a declaration names, without reading a secret: in the absolute folders of PATH and
// never in the workspace, or by its path.
func (d Declaration) program(folder string) (string, error) {
	r := resolver{folder: folder}
	name, err := r.text("command", d.Command, false)
	if err != nil {
		return "", err
	}
	if strings.ContainsRune(name, '/') {
		if !filepath.IsAbs(name) {
			if d.Ours {
				return "", fmt.Errorf("command %q must be a name on PATH or an absolute path", d.Command)
			}
			name = filepath.Join(folder, name)
		}
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			return "", fmt.Errorf("there is no program %q", name)
		}
		return name, nil
	}
	return runner.Installed(name, folder)
}

// start is the folder in which the program of a server starts. A server of the user's own starts in their home, unless
// they name another folder: some programs run what lies in the folder that they start in, and the workspace may be
// anybody's.
func (d Declaration) start(folder string) (string, error) {
	r := resolver{folder: folder}
	dir, err := r.text("cwd", d.Folder, false)
	switch {
	case err != nil:
		return "", err
	case dir == "" && d.Ours:
		return os.UserHomeDir()
	case dir == "":
		return folder, nil
	case filepath.IsAbs(dir):
		return dir, nil
	case d.Ours:
		return "", fmt.Errorf("cwd %q must be absolute, or begin with ${workspaceFolder}", d.Folder)
	}
	return filepath.Join(folder, dir), nil
}

// resolve looks up the program and the secrets of a server. Only a declaration that counts gets here.
func (d Declaration) resolve(folder string) (l launch, err error) {
	l.secrets.folder = folder
	if d.Kind != Stdio {
		l.url = d.URL
		if l.client, err = d.client(&l.secrets); err != nil {
			return l, err
		}
		l.headers, err = l.secrets.values("header", d.Headers)
		return l, err
	}
	program, err := d.program(folder)
	if err != nil {
		return l, err
	}
	if l.dir, err = d.start(folder); err != nil {
		return l, err
	}
	l.argv = []string{program}
	for i, arg := range d.Args {
		text, err := l.secrets.text(fmt.Sprintf("argument %d", i+1), arg, true)
		if err != nil {
			return l, err
		}
		l.argv = append(l.argv, text)
	}
	declared, err := l.secrets.values("env", d.Env)
	l.env = environment(declared)
	return l, err
}

// environment is all that a server gets of this program's environment, and what its declaration gives it.
func environment(declared map[string]string) []string {
	out := []string{served + "=yes"}
	path := "/usr/local/bin:/usr/bin:/bin"
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		if name == "PATH" {
			path = absoluteOnly(value)
		}
		if _, ours := declared[name]; !ours && slices.Contains(passedOn, name) {
			out = append(out, v)
		}
	}
	if _, ours := declared["PATH"]; !ours {
		out = append(out, "PATH="+path)
	}
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		out = append(out, name+"="+declared[name])
	}
	return out
}

// absoluteOnly leaves out the folders of PATH that would mean others elsewhere.
func absoluteOnly(path string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(path), func(dir string) bool { return !filepath.IsAbs(dir) })
	return strings.Join(dirs, string(filepath.ListSeparator))
}
