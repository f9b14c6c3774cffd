package ledger

import (
	"slices"
	"strings"
)

// What waits to be told to models is bounded; the oldest goes first.
const (
	maxUntold = 200
	maxTold   = 4 << 10 // bytes of each text that was rejected, and of the one that is there again
)

// Rejection is what a person decided against and the model of a chat is not told yet.
type Rejection struct {
	Path    string `json:"path"`           // relative
	Line    int    `json:"line"`           // where it was, from zero
	Old     string `json:"old,omitempty"`  // what is there again
	New     string `json:"new,omitempty"`  // what was rejected
	Made    bool   `json:"made,omitempty"` // the file was made, and is gone again
	Deleted bool   `json:"deleted,omitempty"`
	Why     string `json:"why,omitempty"`
}

// Untold is what the model of a chat is to be told with the next message.
type Untold struct {
	Rejected []Rejection `json:"rejected,omitempty"`
	Undone   []string    `json:"undone,omitempty"` // relative paths of files for which a turn was undone
	Redone   []string    `json:"redone,omitempty"` // relative paths of files for which a turn was done again
}

// Untold returns what the model of a chat is to be told.
func (l *Ledger) Untold(chat string) (Untold, error) {
	x, err := l.store.load()
	return x.Untold[chat], err
}

// Told says that the model of a chat was told all that Untold returns.
func (l *Ledger) Told(chat string) error {
	return l.store.update(func(x *index) error {
		delete(x.Untold, chat)
		return nil
	})
}

// tell keeps a rejection for the model of a chat.
func (x *index) tell(r Rejection, chat string) {
	if chat == "" {
		return
	}
	r.Old, r.New = beginning(r.Old), beginning(r.New)
	u := x.Untold[chat]
	u.Rejected = append(u.Rejected, r)
	u.Rejected = u.Rejected[max(0, len(u.Rejected)-maxUntold):]
	x.setUntold(chat, u)
}

// beginning is a text as far as a model is told of it.
func beginning(text string) string {
	if len(text) <= maxTold {
		return text
	}
	return strings.ToValidUTF8(text[:maxTold], "") + "\n[...]\n"
}

// tellOfTurn keeps for the model of a chat that a turn of it was undone or redone.
func (x *index) tellOfTurn(t turnRecord) {
	u := x.Untold[t.Chat]
	for _, f := range t.Files {
		other := &u.Redone
		mine := &u.Undone
		if !t.Undone {
			other, mine = mine, other
		}
		if i := slices.Index(*other, f.Path); i >= 0 { // both together are nothing to tell
			*other = slices.Delete(slices.Clone(*other), i, i+1)
			continue
		}
		if !slices.Contains(*mine, f.Path) {
			*mine = append(slices.Clone(*mine), f.Path)
		}
	}
	x.setUntold(t.Chat, u)
}

func (x *index) setUntold(chat string, u Untold) {
	if x.Untold == nil {
		x.Untold = map[string]Untold{}
	}
	x.Untold[chat] = u
	if len(u.Rejected)+len(u.Undone)+len(u.Redone) == 0 {
		delete(x.Untold, chat)
	}
}

// author is the chat whose turn made a change: of several the newest that made this very one, else the newest that
// changed the file.
func (l *Ledger) author(x *index, r Rejection) string {
	newest := ""
	for _, t := range slices.Backward(x.Turns) {
		i := slices.IndexFunc(t.Files, func(f touched) bool { return f.Path == r.Path })
		if i < 0 {
			continue
		}
		if newest == "" {
			newest = t.Chat
		}
		for _, s := range t.Files[i].Steps {
			before, after, err := l.store.getBoth(s.Before, s.After)
			made := func(h Hunk) bool { return h.Old == r.Old && h.New == r.New }
			if err == nil && slices.ContainsFunc(hunks(r.Path, before, after, after), made) {
				return t.Chat
			}
		}
	}
	return newest
}
