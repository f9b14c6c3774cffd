package runner

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/session/chatfile"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// looks is how many calls of a run count: who has not found a file by then looks elsewhere.
const looks = 3

// Looked are the files that a model was shown for a message, as paths in the workspace.
type Looked struct {
	Attached []string
	Found    [][]string // in the result of each call, in its order
	Calls    []string   // with their arguments
}

// Look sends a message about a folder in which nothing may change, and stops after the first few calls.
func (r Runner) Look(ctx context.Context, root, message string) (found Looked, err error) {
	dir, err := os.MkdirTemp("", "state-")
	if err != nil {
		return found, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	state, err := userstate.OpenState(dir)
	if err != nil {
		return found, err
	}
	ws, err := workspace.Open(root, nil)
	if err != nil {
		return found, err
	}
	defer func() { _ = ws.Close() }()
	env := r.environment(ws, state, dir, nil)
	defer env.Tools.Close()
	path := filepath.Join(dir, "look.chat.md")
	if err := os.WriteFile(path, []byte("## You\n\n"+message+"\n"), 0o600); err != nil {
		return found, err
	}
	ctx, stop := context.WithTimeout(ctx, r.Limit)
	defer stop()
	s := session.New(ctx, chatfile.New(path, state.Recovered), env.Now)
	l := &looking{root: root, questions: make(chan event.Question, 64), enough: stop}
	s.Subscribe(l)
	if err := s.Send(ctx); err != nil {
		return found, err
	}
	_, err = answered(s, l.questions, func(event.Question) event.Answer { return event.Answer{Kind: event.Deny} })
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.found, err
}

// looking keeps which files a run shows to its model.
type looking struct {
	root      string
	questions chan event.Question
	enough    func()

	mu    sync.Mutex
	found Looked // guarded by mu
}

// CanAsk implements session.Asker.
func (l *looking) CanAsk(q event.Question) bool { return q.From == "" }

// Emit implements agent.Sink.
func (l *looking) Emit(e event.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e := e.(type) {
	case event.ContextAdded:
		if _, name, ok := strings.Cut(e.Name, "file "); ok {
			l.found.Attached = append(l.found.Attached, FilesIn(l.root, name)...)
		}
	case event.CallAdded:
		l.found.Calls = append(l.found.Calls, e.Call.Name+" "+string(e.Call.Arguments))
	case event.CallWaiting:
		l.questions <- e.Question
	case event.CallEnded:
		l.found.Found = append(l.found.Found, FilesIn(l.root, e.Result.Text()))
		if len(l.found.Found) == looks {
			l.enough()
		}
	default:
	}
}

var pathLike = regexp.MustCompile(`[\w./-]+\.\w+`)

// FilesIn are the files of a folder that a text names, in its order, each once.
func FilesIn(root, text string) (files []string) {
	for _, name := range pathLike.FindAllString(text, -1) {
		name = filepath.ToSlash(filepath.Clean(name))
		info, err := os.Stat(filepath.Join(root, name))
		if err == nil && info.Mode().IsRegular() && filepath.IsLocal(name) && !slices.Contains(files, name) {
			files = append(files, name)
		}
	}
	return files
}
