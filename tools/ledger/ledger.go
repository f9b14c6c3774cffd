// Package ledger keeps what the turns of a workspace's chats did to its files, by content, so that each change can be
// looked at, kept, rejected and undone, also after a restart. It lies in the user's state folder, bounded in files,
// bytes and age.
package ledger

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// Change is what a call did to one file. A text is all bytes of the file, whatever they are.
type Change struct {
	Path   string      // absolute, links followed
	Before *string     // nil: the file did not exist
	After  *string     // nil: it does not exist any more
	Mode   fs.FileMode // of a file that was deleted or moved; 0: it is not known
}

// Turn names one reply to one message of a person: everything that it did is undone together.
type Turn struct {
	Chat string // the absolute path of the chat
	ID   string // unique in the chat
}

// Ledger has the changes of one workspace. Other processes may use the same one. Its methods may be called
// concurrently.
type Ledger struct {
	ws    *workspace.Workspace
	store store

	applying sync.Mutex // held while files are changed for a person, so that two requests never change the same text
}

// Open gives the ledger of a workspace. Nothing is read or written yet.
func Open(state *userstate.State, ws *workspace.Workspace) *Ledger {
	return &Ledger{ws: ws, store: newStore(state, ws.Key())}
}

// Record keeps what a call of a turn did. Changes of the same call and turn may come in several parts.
func (l *Ledger) Record(turn Turn, call string, changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	return l.store.update(func(x *index) error {
		t := x.begin(turn)
		if call != "" && !slices.Contains(t.Calls, call) {
			t.Calls = append(t.Calls, call)
		}
		for _, c := range changes {
			rel, err := l.relative(c.Path)
			if err != nil {
				return err
			}
			s, err := l.store.putBoth(c.Before, c.After)
			if err != nil {
				return err
			}
			if s.Before == s.After {
				continue
			}
			t.add(rel, s, c.Mode)
			if err := l.reviewable(x, rel, s, c.Mode); err != nil {
				return err
			}
		}
		return nil
	})
}

// relative is a changed file's path in the workspace.
func (l *Ledger) relative(abs string) (string, error) {
	rel, err := filepath.Rel(l.ws.Root(), abs)
	if rel = filepath.ToSlash(rel); err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", fmt.Errorf("%q is not in the workspace %q", abs, l.ws.Root())
	}
	return rel, nil
}

// reviewable joins a new change of a file to those that wait for a person's decision.
func (l *Ledger) reviewable(x *index, rel string, s step, mode fs.FileMode) error {
	f, waits := x.Files[rel]
	switch {
	case !waits:
		f.Base = s.Before
	case f.Last != s.Before: // somebody else changed the file in between
		base, err := l.rebase(f, s.Before)
		if err != nil {
			return err
		}
		f.Base = base
	}
	f.Last, f.Mode = s.After, cmp.Or(mode, f.Mode)
	l.setFile(x, rel, f)
	return nil
}

// setFile keeps the state of a file under review; one without hunks is no longer under review.
func (l *Ledger) setFile(x *index, rel string, f file) {
	base, last, err := l.store.getBoth(f.Base, f.Last)
	if err != nil || f.Base == f.Last { // what is too old is given up
		delete(x.Files, rel)
		return
	}
	f.Places = places(base, last)
	if x.Files == nil {
		x.Files = map[string]file{}
	}
	x.Files[rel] = f
}

// rebase gives the base of a file under review what others changed since its last change. Where they changed the same
// lines, the lines are theirs, and no longer up for review: so that no later decision takes their text away.
func (l *Ledger) rebase(f file, now ref) (ref, error) {
	if f.Base == none || f.Last == none || now == none {
		return now, nil
	}
	base, last, err := l.store.getBoth(f.Base, f.Last)
	if err != nil {
		return now, nil //nolint:nilerr // what is too old to be compared is no longer up for review
	}
	text, err := l.store.get(now)
	if err != nil {
		return none, err
	}
	last, base = asShown(last, base, text)
	rebased, _ := merge(*last, *base, *text)
	return l.store.put(&rebased)
}

// begin finds the record of a turn, or makes it.
func (x *index) begin(turn Turn) *turnRecord {
	if t := x.turn(turn); t != nil {
		return t
	}
	x.Turns = append(x.Turns, turnRecord{Chat: turn.Chat, ID: turn.ID, Began: time.Now().UTC()})
	return &x.Turns[len(x.Turns)-1]
}

func (x *index) turn(turn Turn) *turnRecord {
	for i := range x.Turns {
		if x.Turns[i].Chat == turn.Chat && x.Turns[i].ID == turn.ID {
			return &x.Turns[i]
		}
	}
	return nil
}

// add joins a change of a file to the earlier ones of the turn. One that goes on where the last one ended becomes part
// of it.
func (t *turnRecord) add(rel string, s step, mode fs.FileMode) {
	i := slices.IndexFunc(t.Files, func(f touched) bool { return f.Path == rel })
	if i < 0 {
		i = len(t.Files)
		t.Files = append(t.Files, touched{Path: rel})
	}
	f := &t.Files[i]
	f.Mode = cmp.Or(mode, f.Mode)
	if n := len(f.Steps); n > 0 && f.Steps[n-1].After == s.Before {
		f.Steps[n-1].After = s.After
		return
	}
	f.Steps = append(f.Steps, s)
}
