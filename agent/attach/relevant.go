package attach

import (
	"context"
	"io/fs"
	"slices"

	"github.com/assent-ls/assent/content"
	"github.com/assent-ls/assent/ranking"
	"github.com/assent-ls/assent/tools/workspace"
)

// What is looked at for one message, and what of it is brought.
const (
	maxRanked     = 400     // files
	maxRankedText = 600_000 // bytes of them together
	maxRankedFile = 32_000  // bytes of one: larger ones are known by their paths alone
	maxBroughtBy  = 4_000   // bytes of one
	pathWeight    = 2       // how often a word of a path counts
)

// Bringing says which of the files that have words of a message belong to it.
type Bringing struct {
	Most         int     // files
	MostText     int     // bytes of them together
	LeastCovered float64 // of what the words of the message tell, the best file has this part
	LeastOfBest  float64 // of the best file's score
}

// ForAChange is for messages that want files changed: what only looks related leads a small model away from the file that it is about.
func ForAChange() Bringing {
	return Bringing{Most: 3, MostText: 12_000, LeastCovered: 0.25, LeastOfBest: 0.5}
}

// ForAQuestion is for messages that ask.
func ForAQuestion() Bringing {
	return Bringing{Most: 5, MostText: 6_000, LeastCovered: 0.15, LeastOfBest: 0.35}
}

// Relevant is the source of files that a message does not name and that have its words. It is for models that hardly find such files
// themselves: see Message.Bring.
func Relevant(ws *workspace.Workspace, reads Reads, link func(rel string) string) Source {
	return relevant{files{ws, reads, link}}
}

type relevant struct{ files }

// Mentions implements Source.
func (relevant) Mentions(_ context.Context, message Message) []string {
	files := slices.Clone(message.Bring)
	slices.Reverse(files) // small models answer from what stands last
	return files
}

// Resolve implements Source: what is brought unasked is short, or not brought.
func (r relevant) Resolve(ctx context.Context, mention string, limit int) (Block, bool) {
	p, err := r.workspace.Resolve(mention)
	if err != nil {
		return Block{}, false
	}
	if file, err := r.workspace.Read(ctx, p); err != nil || file.Binary || len(file.Text) > min(limit, maxBroughtBy) {
		return Block{}, false
	}
	return r.files.Resolve(ctx, mention, limit)
}

// About is what a message has to do with a workspace.
type About struct {
	Named  bool     // it names a file, or mentions something
	Covers float64  // the part of what its words tell that the best file has, from 0 to 1
	Paths  []string // the files that it names
	Files  []string // those that have its words, if it names none, and what a test is about that is among them
}

// Look says what a message has to do with a workspace.
func Look(ctx context.Context, ws *workspace.Workspace, message string, bring Bringing) About {
	named := ws.Mentioned(ctx, message)
	about := About{Named: len(FindMentions(message)) > 0 || len(named) > 0}
	all := rankingOf(ctx, ws)
	ranked := all.index.Rank(message, bring.Most)
	if len(ranked) > 0 {
		about.Covers = ranked[0].Covers
	}
	left := bring.MostText
	for _, file := range ranked {
		if about.Named || about.Covers < bring.LeastCovered || file.Score < bring.LeastOfBest*ranked[0].Score {
			break
		}
		if size := len(all.texts[file.Place]); size <= left {
			about.Files = append(about.Files, all.paths[file.Place])
			left -= size
		}
	}
	for _, p := range named {
		about.Paths = append(about.Paths, p.Rel)
	}
	about.Files = append(about.Files, about.Paths...)
	for _, path := range about.Files {
		if tested := all.tested(path); tested != "" && !slices.Contains(about.Files, tested) {
			about.Files = append(about.Files, tested)
			break
		}
	}
	about.Files = slices.DeleteFunc(about.Files, func(path string) bool {
		return slices.Contains(about.Paths, path)
	})
	return about
}

// IsTest reports whether a path is that of a test, as its name says.
func IsTest(path string) bool {
	for _, word := range ranking.Words(path) {
		if word == "test" || word == "spec" {
			return true
		}
	}
	return false
}

// rankedFiles are the files of a workspace by their words.
type rankedFiles struct {
	index *ranking.Index
	paths []string
	texts []string
}

// tested is the file that a test is about: of those that are no tests, the one with most of its words. Empty: the path is no test.
func (r rankedFiles) tested(path string) string {
	at := slices.Index(r.paths, path)
	if at < 0 || !IsTest(path) {
		return ""
	}
	for _, file := range r.index.Rank(r.texts[at], len(r.paths)) {
		if p := r.paths[file.Place]; !IsTest(p) {
			return p
		}
	}
	return ""
}

// rankingOf has the files of a workspace, as the user sees them.
func rankingOf(ctx context.Context, ws *workspace.Workspace) rankedFiles {
	all, left := rankedFiles{index: &ranking.Index{}}, maxRankedText
	root, err := ws.Resolve(".")
	if err != nil {
		return all
	}
	// A walk that was cut short leaves files unfound: the model can still look for them.
	_ = ws.Walk(ctx, root, func(p workspace.Path) error {
		if p.Dir || p.Protected != "" {
			return nil
		}
		if len(all.paths) == maxRanked || left <= 0 {
			return fs.SkipAll
		}
		file, err := ws.Read(ctx, p)
		if _, media := content.NewImage([]byte(file.Content())); err != nil || file.Binary || media == nil {
			return nil //nolint:nilerr // it cannot be brought
		}
		text := file.Text
		if len(text) > maxRankedFile {
			text = ""
		}
		left -= len(text)
		all.index.Add(ranking.Field{Text: p.Rel, Weight: pathWeight}, ranking.Field{Text: text, Weight: 1})
		all.paths, all.texts = append(all.paths, p.Rel), append(all.texts, text)
		return nil
	})
	return all
}
