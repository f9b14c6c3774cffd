// Package builtin has the tools that every workspace has. Each tool is a file with its description beside it.
package builtin

import (
	"slices"
	"time"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/background"
	"github.com/assent-ls/assent/tools/egress/proxy"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/workspace"
)

// Options of Builtin.
type Options struct {
	Tries          func() bool          // see runcommand.Options; nil: it never is
	CommandTimeout func() time.Duration // called when a command starts; nil, or 0: two minutes
	Shell          shell.Shell          // runs commands
	Sandbox        runcommand.Sandbox   // confines commands; nil: there is none
	Out            *proxy.Out           // see runcommand.Options
	Now            func() time.Time     // nil: time.Now
}

// Reserved are the names of all built-in tools, with or without a workspace, and of those that only some chats have.
func Reserved() []string {
	names := []string{background.Start, background.Output, runcommand.KeepBuiltName}
	for _, t := range Tools(new(workspace.Workspace), Options{}) {
		names = append(names, t.Spec().Name)
	}
	return names
}

// Files are those of the built-in tools that do nothing but read and change the files of a workspace.
func Files(ws *workspace.Workspace) []tools.Tool {
	return slices.DeleteFunc(Tools(ws, Options{}), func(t tools.Tool) bool {
		e := t.Spec().Effect
		return !e.Confined() || e.Pure() || e.ByPerson()
	})
}

// Tools lists the built-in tools. Without a workspace (nil) there are only those that need none.
func Tools(ws *workspace.Workspace, o Options) []tools.Tool {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.CommandTimeout == nil {
		o.CommandTimeout = func() time.Duration { return 0 }
	}
	var list []tools.Tool
	if ws != nil {
		list = append(list,
			ReadFile(ws),
			ListDirectory(ws),
			SearchFiles(ws),
			FindFiles(ws),
			WriteFile(ws),
			EditFile(ws),
			runcommand.New(ws, runcommand.Options{
				Shell: o.Shell, Sandbox: o.Sandbox, Timeout: o.CommandTimeout, Tries: o.Tries, Out: o.Out,
			}),
		)
	}
	list = append(list, GetTime(o.Now), Calculator(), tools.ToolSearch(), AskUser(), Todo())
	if ws != nil {
		list = append(list, InsertText(ws), EditFiles(ws), DeleteFile(ws), MoveFile(ws), ReplaceEverywhere(ws))
		if layered, ok := o.Sandbox.(runcommand.Layered); ok {
			list = append(list, runcommand.KeepBuilt(ws, layered))
		}
	}
	return list
}
