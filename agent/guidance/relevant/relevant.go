// Package relevant finds what of a workspace a message is about, for guided models: files and passages that have its
// words, and what a call would find.
package relevant

import (
	"context"
	"path"
	"slices"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/internal/ranking"
	"github.com/assent-ls/assent/tools/workspace"
)

// What is brought of a message's files.
const maxBroughtBy = 4_000 // bytes of one

// Bringing says which of the files that have words of a message belong to it.
type Bringing struct {
	Most         int     // files
	MostText     int     // bytes of them together
	LeastCovered float64 // of what the words of the message tell, the best file has this part
	LeastOfBest  float64 // of the best file's score
	Passages     bool    // of files that are too long
}

// ForAChange is for messages that want files changed: what only looks related leads a small model away from the file
// that it is about.
func ForAChange() Bringing {
	return Bringing{Most: 3, MostText: 12_000, LeastCovered: 0.25, LeastOfBest: 0.5}
}

// ForAQuestion is for messages that ask.
func ForAQuestion() Bringing {
	return Bringing{Most: 5, MostText: 6_000, LeastCovered: 0.15, LeastOfBest: 0.35, Passages: true}
}

// Source is the source of files that a message does not name and that have its words: see attach.Message.Bring.
func Source(ws *workspace.Workspace, reads attach.Reads, link func(rel string) string) attach.Source {
	return source{attach.Files(ws, reads, link), ws, reads}
}

type source struct {
	attach.Source
	workspace *workspace.Workspace
	reads     attach.Reads
}

// Mentions implements attach.Source.
func (source) Mentions(_ context.Context, message attach.Message) []string {
	files := slices.Clone(message.Bring)
	slices.Reverse(files) // small models answer from what is last
	return files
}

// Resolve implements attach.Source: what is brought unasked is short, or a passage.
func (r source) Resolve(ctx context.Context, mention string, limit int) (attach.Block, bool) {
	p, err := r.workspace.Resolve(mention)
	if err != nil {
		return attach.Block{}, false
	}
	if m, ok := attach.ParseMention(mention); ok && m.Ranged && !p.Exists {
		return r.passage(ctx, m, limit)
	}
	if file, err := r.workspace.Read(ctx, p); err != nil || file.Binary || len(file.Text) > min(limit, maxBroughtBy) {
		return attach.Block{}, false
	}
	return r.Source.Resolve(ctx, mention, limit)
}

func (r source) passage(ctx context.Context, m attach.Mention, limit int) (attach.Block, bool) {
	p, err := r.workspace.Resolve(m.Name)
	if err != nil || !p.Exists || p.Dir || p.Protected != "" {
		return attach.Block{}, false
	}
	file, err := r.workspace.Read(ctx, p)
	if err != nil {
		return attach.Block{}, false
	}
	if _, current := r.reads.Knows(p.Abs, file.Text); current {
		return attach.Block{}, false
	}
	block, lines, err := attach.Lines(ctx, r.workspace, p, m, min(limit, maxBroughtBy))
	r.reads.MarkShown(p.Abs, lines)
	return block, err == nil && lines != ""
}

// About is what a message has to do with a workspace.
type About struct {
	Named  bool      // it names a file, or mentions something
	Covers float64   // the part of what its words tell that the best file has, from 0 to 1
	Paths  []string  // the files that it names
	Files  []string  // those that have its words, if it names none, and what a test is about that is among them
	Meant  string    // the first of Files, if the message has two words of its name, as in "the draft of the letter"
	Bring  []Brought // Files, and passages of long files that have words of a question, the best first
}

// Brought is a file, or some lines of one, as a mention names them.
type Brought struct{ Path, Mention string }

// Look says what a message has to do with a workspace.
func (w *Words) Look(ctx context.Context, ws *workspace.Workspace, message string, bring Bringing) About {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.catchUp(ctx, ws)
	named := ws.Mentioned(ctx, message)
	about := About{Named: len(attach.FindMentions(message)) > 0 || len(named) > 0}
	ranked := w.rank(message)
	ranked = ranked[:min(len(ranked), bring.Most)]
	if len(ranked) > 0 {
		about.Covers = ranked[0].Covers
	}
	for _, p := range named {
		about.Paths = append(about.Paths, p.Rel)
		if bring.Passages {
			about.addPassage(p.Rel, passageOf(ctx, ws, p.Rel, message, attach.MaxFile))
		}
	}
	left := bring.MostText
	for _, file := range ranked {
		if about.Named || about.Covers < bring.LeastCovered || file.Score < bring.LeastOfBest*ranked[0].Score {
			break
		}
		known := w.files[file.Place]
		if !w.fitsWell(file, message) {
			continue
		}
		if bring.Passages && known.size > maxBroughtBy {
			about.addPassage(known.path, passageOf(ctx, ws, known.path, message, 0))
		} else if known.size <= left {
			about.addFile(known.path)
			left -= known.size
		}
	}
	about.mean(message)
	for _, path := range slices.Concat(about.Files, about.Paths) {
		if tested := w.tested(ctx, ws, path); tested != "" && !slices.Contains(about.Files, tested) &&
			!slices.Contains(about.Paths, tested) {
			about.addFile(tested)
			break
		}
	}
	return about
}

// Among many files some have the words of any message by chance.
const (
	manyFiles = 300
	fitsMany  = 0.6  // of what the words of a message tell, a file has this part, where there are many
	fitsBest  = 0.75 // and this, where the best file may be one that is not known
)

// fitsWell reports whether a file has so much of a message that it is hardly by chance. Where not all files are known,
// its path has to say so, too.
func (w *Words) fitsWell(file ranking.Ranked, message string) bool {
	switch {
	case w.partly:
		asked := ranking.Words(message)
		return file.Covers >= fitsBest &&
			slices.ContainsFunc(
				ranking.Words(w.files[file.Place].path), func(word string) bool { return slices.Contains(asked, word) },
			)
	case len(w.places) > manyFiles:
		return file.Covers >= fitsMany
	}
	return true
}

// mean finds the file that a message means by its name.
func (a *About) mean(message string) {
	if len(a.Files) == 0 {
		return
	}
	asked, named := ranking.Words(message), 0
	for _, word := range ranking.Words(path.Base(a.Files[0])) {
		if slices.Contains(asked, word) {
			named++
		}
	}
	if named >= 2 {
		a.Meant = a.Files[0]
	}
}

func (a *About) addFile(path string) {
	a.Files, a.Bring = append(a.Files, path), append(a.Bring, Brought{path, path})
}

// addPassage adds lines of a file; an empty mention is none.
func (a *About) addPassage(path, mention string) {
	passages := len(a.Bring) - len(a.Files)
	if mention != "" && passages < maxPassages {
		a.Bring = append(a.Bring, Brought{path, mention})
	}
}

// IsTest reports whether a path is that of a test, as its name says.
func IsTest(path string) bool { return slices.ContainsFunc(ranking.Words(path), isTestWord) }

func isTestWord(word string) bool { return word == "test" || word == "spec" }
