// Package sandbox confines commands: what they write stays in the workspace and in private folders, what is protected stays as it
// is, secrets and the rest of the user's home are hidden, and there is no network.
//
// On Linux three things do it together. Namespaces give a command a view of its own of the file system, processes and network;
// bubblewrap makes them where it is installed, else a process of this program does. Landlock lets the command make, move and remove
// nothing in the workspace by itself. A filter of system calls (seccomp) hands such calls to a process beside the command, the broker,
// which does what they ask unless the name is protected: so what is missing cannot be made, and nothing is put in its place on the disk.
//
// A sandbox counts only once a self-test has tried to break out of it: see State. On other systems there is none.
package sandbox

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
)

// Options say what a sandbox is about.
type Options struct {
	Helper []string        // the arguments with which this program calls Help
	Root   string          // the workspace: absolute, links followed
	Hidden func() []string // paths that rules deny, absolute or relative to the root: hidden from commands; nil: none
	Cache  string          // a folder of the user for what commands keep; empty: below the user's cache folder
	Off    bool            // the user wants none
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
	walked  walked
}

// New makes a sandbox. It starts nothing.
func New(o Options) *Sandbox { return &Sandbox{options: o} }

// State says what there is. The first call runs the self-test, which takes a moment; a call that is cancelled leaves it to the next.
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

// Wrapped is a command line that runs another one in the sandbox.
type Wrapped struct {
	Argv, Env []string
	// Masked are the files and folders, relative to the root, that the command finds empty.
	Masked []string
	// Close removes what the command left in the folders that were its own. It is called when nothing of the command runs any more.
	Close func()
}

// Wrap returns the command line that runs argv in the sandbox, in a folder of the workspace. argv[0] is an absolute path, or
// "/proc/self/exe" for this program. The error is ErrUnproven, or a sentence that says what keeps this command out of the sandbox.
func (s *Sandbox) Wrap(ctx context.Context, argv, env []string, dir string) (Wrapped, error) {
	if !s.State(ctx).Proven {
		return Wrapped{}, ErrUnproven
	}
	return s.wrap(s.kind, argv, env, dir)
}

// lookup is the value of a variable in an environment ("NAME=value"), or empty.
func lookup(env []string, name string) string {
	for _, v := range slices.Backward(env) {
		if len(v) > len(name) && v[len(name)] == '=' && v[:len(name)] == name {
			return v[len(name)+1:]
		}
	}
	return ""
}

// home is the user's home folder, or empty.
func home() string {
	dir, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return dir
}
