package history

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/workspace"
)

// forModel is what a search for a model adds: it finds less than one of a person.
type forModel struct {
	here   string // the root of the workspace in which the model works; empty: it is in none
	except string // the chat that asks, resolved
	whole  map[string]bool
	shut   map[string]bool // folders that are not trusted
}

// Recall is Search for a model that works in a workspace, nil: in none. It finds turns of chats of that workspace, and
// of folders that the user trusts now; none of the chat that asks, and none of a chat in which a call or an attachment
// names a file that is denied or protected now: a later turn may quote it. untrusted is how many folders held a chat
// that fits, and are not trusted.
func (h *History) Recall(
	ctx context.Context, q Query, in *workspace.Workspace, chat string,
) (hits []Hit, untrusted int, err error) {
	m := &forModel{whole: map[string]bool{}, shut: map[string]bool{}}
	if in != nil {
		m.here = in.Root()
	}
	if chat != "" {
		m.except = workspace.RealName(chat)
	}
	hits, err = h.search(ctx, q, m)
	return hits, len(m.shut), err
}

// may reports whether a model may read what was said in a chat.
func (m *forModel) may(h *History, p *place, chat string) bool {
	switch {
	case p.dir == nil || p.workspace == nil || chat == m.except:
		return false
	case p.root != m.here && !h.state.Trusted(p.workspace.Key()):
		m.shut[p.root] = true
		return false
	}
	may, known := m.whole[chat]
	if !known {
		may = p.harmless(chat)
		m.whole[chat] = may
	}
	return may
}

// harmless reports whether no call and no attachment of a chat names a file that is denied or protected now.
func (p *place) harmless(chat string) bool {
	name, err := filepath.Rel(p.root, chat)
	if err != nil {
		return false
	}
	text, err := diskfile.ReadSmallIn(p.dir, name, diskfile.MaxText)
	if err != nil {
		return false
	}
	for _, t := range transcript.Parse(string(text)).Turns {
		if slices.ContainsFunc(named(t), p.guarded) {
			return false
		}
	}
	return true
}

// named are the files that the calls and the attachments of a turn name.
func named(t transcript.Turn) (files []string) {
	for _, block := range t.Blocks {
		switch b := block.(type) {
		case transcript.Call:
			var arguments any
			if json.Unmarshal(b.Arguments, &arguments) == nil {
				files = append(files, pathsIn(arguments, false, 3)...)
				files = append(files, wordsOf(arguments)...)
			}
		case transcript.Context:
			if path, ok := attach.FilePath(b.Name); ok {
				files = append(files, path)
			} else if path, _, ok := attach.ShownLines(b.Name, b.Text); ok {
				files = append(files, path)
			}
		}
	}
	return files
}

// wordsOf are the words of a command, which may be files.
func wordsOf(arguments any) []string {
	values, _ := arguments.(map[string]any)
	line, _ := values["command"].(string)
	return strings.FieldsFunc(line, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("'\"<>|;&=()", r)
	})
}

// guarded reports whether a file is denied or protected now. One that cannot be named is not.
func (p *place) guarded(name string) bool {
	if p.denied(name) {
		return true
	}
	at, err := p.workspace.Resolve(name)
	return err == nil && at.Protected != ""
}
