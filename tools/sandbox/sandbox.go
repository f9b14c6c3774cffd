// Package sandbox confines commands: what they write in the workspace stays in a private folder until somebody applies
// it, secrets and the user's home are not there, and there is no network.
//
// On Linux three things do it together. Namespaces give a command a view of its own of the file system, processes and
// network: the workspace in it is an overlay, whose lower layers are the workspace itself, only read, and a layer that
// takes secret names away. Landlock lets the command write only there and in its own folders. A filter of system calls
// (seccomp) refuses what reaches far into the kernel. Package changes says what became of the workspace in the view,
// and applies it.
//
// A sandbox counts only once a self-test has tried to break out of it: see State. On other systems there is none.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/sandbox/layers"
	"github.com/assent-ls/assent/tools/workspace"
)

// Options say what a sandbox is about.
type Options struct {
	Helper []string        // the arguments with which this program calls Help
	Root   string          // the workspace: absolute, links followed
	Hidden func() []string // paths that rules deny, absolute or relative to the root: hidden from commands; nil: none
	// Patterns are what rules deny, as patterns of workspace.AskedPatterns: commands that only read see nothing of such
	// files in git's objects. nil: none.
	Patterns func() []string
	Cache    string // a folder of the user for what commands keep; empty: below the user's cache folder
	Memory   uint64 // bytes that the processes of a command may have together; 0: half of the machine's memory
	Disk     uint64 // bytes that a command may write in the workspace; 0: any number
	// KeepBytes and KeepFor bound what is kept of what commands replaced or removed.
	KeepBytes uint64
	KeepFor   time.Duration
	Off       bool // the user wants none
}

// State says whether commands are confined.
type State struct {
	Proven   bool     // a self-test has shown it
	Kind     string   // "bubblewrap", "namespaces", or empty where there is none
	Sentence string   // for people
	Details  []string // what was tried and what came of it
}

// ErrUnproven says that there is no sandbox whose self-test has passed.
var ErrUnproven = errors.New("no sandbox is proven here")

// Sandbox confines the commands of one workspace. It may be used concurrently.
type Sandbox struct {
	options Options
	mu      sync.Mutex
	tested  *State
	kind    kind
	finder  finder
}

// New makes a sandbox. It starts nothing.
func New(o Options) *Sandbox { return &Sandbox{options: o} }

// State says what there is. The first call runs the self-test, which takes a moment; a call that is cancelled leaves it
// to the next.
func (s *Sandbox) State(ctx context.Context) State {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tested == nil {
		state, kind := s.examine(ctx)
		if ctx.Err() != nil {
			return State{Sentence: "Commands are not confined: the sandbox could not be tried in time."}
		}
		s.tested, s.kind = &state, kind
	}
	return *s.tested
}

// Known is what State found out, if it did. It does not wait for a self-test that goes on.
func (s *Sandbox) Known() (State, bool) {
	if !s.mu.TryLock() {
		return State{}, false
	}
	defer s.mu.Unlock()
	if s.tested == nil {
		return State{}, false
	}
	return *s.tested, true
}

// Command is a program to run in the sandbox.
type Command struct {
	Argv []string // Argv[0] is an absolute path, or "/proc/self/exe" for this program
	Env  []string
	Dir  string // a folder of the workspace
	// nobody approved it, and it is to read: it does not see what files hold that a person is asked about before they
	// are read
	Reads bool
	// Network serves the proxy of the command, which listens in a network that only the command has, until the listener
	// is closed. The command sees as little as one that reads. nil: it has no network.
	Network func(net.Listener)
	Chat    Chat // whose layer it sees; the zero value: none
	// Draft is what else it finds changed in the workspace, as far as ShowsDrafted says. Layer has what the command
	// changes then, and is compared with the disk all the same.
	Draft []workspace.DraftChange
}

// ShowsDrafted reports whether commands see what a draft has of a path: not what they are kept from on the disk.
func ShowsDrafted(rel string) bool {
	return !workspace.Asked(rel) && !slices.Contains(strings.Split(workspace.FoldPath(rel), "/"), ".git")
}

// Chat is a chat whose commands see what earlier ones built, see package layers.
type Chat struct {
	Name    string                             // names it; empty: there is none
	Keeps   bool                               // what the command builds may go into the layer
	Ignored func(rel string, folder bool) bool // whether git ignores a path, and it may be in the layer
}

// Readable is what a command with a network can read of the workspace.
type Readable struct {
	Files int  // regular files that it sees whole, without those in folders named .git
	More  bool // there are more
	Git   bool // there is a folder named .git
	// what is not there, and of what files it sees no contents, or only a part; relative to the root
	Hidden, Covered []string
}

// Wrapped is a command line that runs another one in the sandbox, see Inside.
type Wrapped struct {
	Argv, Env []string
	How       *syscall.SysProcAttr // how its process is to be started; nil: as any other
	// Layer is what the command writes in the workspace, to be read when nothing of the command runs any more.
	Layer *changes.Layer
	// Chat is the layer of its chat, between the workspace and Layer; nil: it has none. Notes are sentences about what
	// the command does not see of it.
	Chat  *layers.Chat
	Notes []string
	// Covered are the files whose contents the command does not see, relative to the root.
	Covered []string
	// Watch returns why the command must be stopped, in a sentence: somebody made a secret meanwhile, which the command
	// may see, or it wrote too much. It looks twice a second at most, until ctx ends; then it returns nothing.
	Watch func(ctx context.Context) (why string)
	// Exceeded says, to go on after "stopped:", that the kernel killed a process of the command, which had too much
	// memory; empty: it did not.
	Exceeded func() string
	// Foreign lists a few files that the command could only read, see [Sandbox.Foreign].
	Foreign func(most int) []string
	// Close removes what the command left. It is called last.
	Close func()
}

// Wrap returns the command line that runs a command in the sandbox. The error is ErrUnproven, or a sentence that says
// what keeps this command out of the sandbox.
func (s *Sandbox) Wrap(ctx context.Context, c Command) (Wrapped, error) {
	if !s.State(ctx).Proven {
		return Wrapped{}, ErrUnproven
	}
	return s.wrap(s.kind, c)
}

// top is the folder of the user's cache that sandboxes use.
func (s *Sandbox) top() (string, error) {
	if s.options.Cache != "" {
		return s.options.Cache, nil
	}
	user, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no folder for what commands keep: %w", err)
	}
	return filepath.Join(user, "assent", "sandbox"), nil
}

const layersName = "layers"

// Layers are the layers of chats, of all workspaces.
func (s *Sandbox) Layers() (layers.Store, error) {
	top, err := s.top()
	if err != nil {
		return layers.Store{}, err
	}
	return layers.Store{Folder: filepath.Join(top, layersName)}, nil
}

// Command prepares the command line to be run without a keeper.
func (w Wrapped) Command(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.Argv[0], w.Argv[1:]...)
	cmd.Env, cmd.SysProcAttr = w.Env, w.How
	return cmd
}

// home is the user's home folder, or empty.
func home() string {
	dir, _ := os.UserHomeDir()
	return dir
}
