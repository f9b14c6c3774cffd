package attach

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/assent-ls/assent/content"
	"github.com/assent-ls/assent/ranking"
	"github.com/assent-ls/assent/tools/workspace"
)

// What is known of a workspace's files. The nearest to the root come first.
const (
	maxRanked     = 3_000     // files
	maxRankedText = 8_000_000 // bytes of them together
	maxRankedFile = 100_000   // bytes of one: larger ones are known by their paths alone
	pathWeight    = 2         // how often a word of a path counts
	testWeight    = 0.6       // of a test, for a message that speaks of none
)

// Words knows which words the files of a workspace have. It reads a file again only after it changed, so one is kept for each workspace. It may be
// used concurrently.
type Words struct {
	mu     sync.Mutex
	index  ranking.Index  // guarded by mu
	files  []known        // guarded by mu: by place in the index
	places map[string]int // guarded by mu: of the paths in files
}

// known is a file in the index. A place without a path is free.
type known struct {
	path  string
	size  int // bytes of its text
	stamp stamp
}

// stamp tells a file's text from that which it had before.
type stamp struct {
	modified int64
	size     int64
	shown    string // the text of the editor that has it open
	open     bool
}

// update reads what is new in a workspace.
func (w *Words) update(ctx context.Context, ws *workspace.Workspace) {
	if w.places == nil {
		w.places = map[string]int{}
	}
	gone := maps.Clone(w.places)
	left := maxRankedText
	for _, p := range nearest(ctx, ws) {
		if ctx.Err() != nil {
			return
		}
		if left <= 0 {
			break
		}
		now := stampOf(ws, p)
		place, there := w.places[p.Rel]
		if !there || w.files[place].stamp != now {
			text, ok, err := rankedText(ctx, ws, p)
			if err != nil {
				continue
			}
			if !there {
				place = w.room(p.Rel)
			}
			var fields []ranking.Field // none of what cannot be brought: it is kept so that it is not read again
			if ok {
				fields = []ranking.Field{{Text: p.Rel, Weight: pathWeight}, {Text: text, Weight: 1}}
			}
			w.index.Replace(place, fields...)
			w.files[place] = known{p.Rel, len(text), now}
		}
		delete(gone, p.Rel)
		left -= w.files[place].size
	}
	for path, place := range gone {
		delete(w.places, path)
		w.index.Replace(place)
		w.files[place] = known{}
	}
}

// Rank names the files of a workspace, as they were when a message was last looked at, that have words of one: the best first, at most n.
func (w *Words) Rank(message string, n int) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var files []string
	for _, file := range w.rank(message) {
		if len(files) < n {
			files = append(files, w.files[file.Place].path)
		}
	}
	return files
}

// rank gives the files that have words of a message, the best first. The tests of what a message is about have its words more often than the code:
// they count less where it does not speak of tests.
func (w *Words) rank(message string) []ranking.Ranked {
	ranked := w.index.Rank(message, len(w.files))
	if slices.ContainsFunc(ranking.Words(message), isTestWord) {
		return ranked
	}
	for i := range ranked {
		if IsTest(w.files[ranked[i].Place].path) {
			ranked[i].Score *= testWeight
		}
	}
	slices.SortStableFunc(ranked, func(a, b ranking.Ranked) int { return cmp.Compare(b.Score, a.Score) })
	return ranked
}

// room is a place in the index for a file that is new.
func (w *Words) room(path string) int {
	place := slices.IndexFunc(w.files, func(k known) bool { return k.path == "" })
	if place < 0 {
		place = w.index.Add()
		w.files = append(w.files, known{})
	}
	w.places[path] = place
	return place
}

func stampOf(ws *workspace.Workspace, p workspace.Path) stamp {
	if text, open := ws.Shown(p); open {
		return stamp{shown: text, open: true}
	}
	info, err := ws.Stat(p)
	if err != nil {
		return stamp{size: -1}
	}
	return stamp{modified: info.ModTime().UnixNano(), size: info.Size()}
}

// rankedText is what counts of a file's text; ok is false for a file that cannot be brought.
func rankedText(ctx context.Context, ws *workspace.Workspace, p workspace.Path) (text string, ok bool, err error) {
	file, err := ws.Read(ctx, p)
	if err != nil || file.Binary {
		return "", false, err
	}
	if _, noMedia := content.NewImage([]byte(file.Content())); noMedia == nil {
		return "", false, nil
	}
	if len(file.Text) > maxRankedFile {
		return "", true, nil
	}
	return file.Text, true, nil
}

// nearest lists the files of a workspace, those in the fewest folders first.
func nearest(ctx context.Context, ws *workspace.Workspace) []workspace.Path {
	root, err := ws.Resolve(".")
	if err != nil {
		return nil
	}
	var all []workspace.Path
	// A walk that was cut short leaves files unfound: the model can still look for them.
	_ = ws.Walk(ctx, root, func(p workspace.Path) error {
		switch {
		case ctx.Err() != nil:
			return fs.SkipAll
		case !p.Dir && p.Protected == "":
			all = append(all, p)
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b workspace.Path) int {
		return cmp.Compare(strings.Count(a.Rel, "/"), strings.Count(b.Rel, "/"))
	})
	return all[:min(len(all), maxRanked)]
}

// tested is the file that a test is about: of those that are no tests, the one with most of its words. Empty: the path is no test.
func (w *Words) tested(ctx context.Context, ws *workspace.Workspace, path string) string {
	if _, there := w.places[path]; !there || !IsTest(path) {
		return ""
	}
	p, err := ws.Resolve(path)
	if err != nil {
		return ""
	}
	text, _, _ := rankedText(ctx, ws, p) // what cannot be read has no words
	for _, file := range w.index.Rank(text, len(w.files)) {
		if p := w.files[file.Place].path; !IsTest(p) {
			return p
		}
	}
	return ""
}
