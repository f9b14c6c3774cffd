package runner

import (
	"os"
	"path/filepath"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/mcp/mcptest"
	"github.com/assent-ls/assent/tools/python"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/trust"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// Programs are what starts this program itself: the main program must obey the arguments.
type Programs struct {
	Shell   shell.Shell
	Confine string // the first argument by which it is a process of the sandbox
	Server  string // the first argument by which it is one of the five servers of mcptest, which the second names
	// gives the interpreter for programs of models
	Python func() (python.Interpreter, error)
}

// Place is where a source of tools is used.
type Place struct {
	Workspace *workspace.Workspace
	State     *userstate.State
	Dir       string // for files of the source's own
	Programs  Programs
}

// Served is the source of the five servers' tools, and the file in which they put down what they were asked.
func Served(p Place) (source tools.Source, calls string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	calls = filepath.Join(p.Dir, "calls.jsonl")
	keeps := map[string]string{mcptest.CallsFile: calls}
	declared, err := mcptest.Declare(self, p.Programs.Server, keeps, mcptest.Names()...)
	if err != nil {
		return nil, "", err
	}
	return mcp.New(mcp.Options{
		Launch: declared, Workspace: p.Workspace, Trust: trust.New(p.State), State: p.State, Shell: p.Programs.Shell,
		Taken: builtin.Reserved(), Version: "eval",
	}), calls, nil
}
