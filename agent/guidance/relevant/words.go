package relevant

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/ranking"
	"github.com/assent-ls/assent/tools/workspace"
)

// What is known of a workspace's files. The nearest to the root come first.
const (
	maxRanked     = 3_000     // files
	maxRankedText = 8_000_000 // bytes of them together
	maxRankedFile = 100_000   // bytes of one: larger ones are known by their paths alone
	pathWeight    = 2         // how often a word of a path counts
	testWeight    = 0.6       // of a test, for a message that speaks of none

	// recent is how long many files count as they were last seen: looking at each of 3,000 files takes 10 ms.
	recent = 10 * time.Second
)

// Words knows which words the files of a workspace have. It reads a file again only after it changed, so one is kept
// for each workspace. Of more than 300 files, what changed in the last 10 seconds may be missing. It may be used
// concurrently.
type Words struct {
	mu     sync.Mutex
	index  ranking.Index  // guarded by mu
	files  []known        // guarded by mu: by place in the index
	places map[string]int // guarded by mu: of the paths in files
	partly bool           // guarded by mu: the workspace has files that are not in the index
	seen   time.Time      // guarded by mu: when all files were last looked at

	message string           // guarded by mu: what rank was asked last, since then nothing was read
	ranked  []ranking.Ranked // guarded by mu: what it answered
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

// Learn reads what is new in a workspace, so that the next message need not wait for it.
func (w *Words) Learn(ctx context.Context, ws *workspace.Workspace) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.update(ctx, ws)
}

// catchUp is update, unless there are many files and they were looked at a moment ago.
func (w *Words) catchUp(ctx context.Context, ws *workspace.Workspace) {
	if len(w.places) <= manyFiles || time.Since(w.seen) > recent {
		w.update(ctx, ws)
	}
}

// update reads what is new in a workspace.
func (w *Words) update(ctx context.Context, ws *workspace.Workspace) {
	began := time.Now()
	w.ranked = nil
	if w.places == nil {
		w.places = map[string]int{}
	}
	gone := maps.Clone(w.places)
	left := maxRankedText
	near := nearest(ctx, ws)
	w.partly = len(near) > maxRanked
	for batch := range slices.Chunk(near[:min(len(near), maxRanked)], readAtOnce) {
		if left <= 0 {
			w.partly = true
			break
		}
		for _, r := range w.changed(ctx, ws, batch) {
			if ctx.Err() != nil {
				return
			}
			if left <= 0 {
				break
			}
			if r.err != nil {
				continue
			}
			if r.read {
				w.add(r)
			}
			delete(gone, r.path.Rel)
			left -= w.files[w.places[r.path.Rel]].size
		}
	}
	w.index.Compact()
	for path, place := range gone {
		delete(w.places, path)
		w.index.Replace(place)
		w.files[place] = known{}
	}
	w.seen = began
}

// readAtOnce is how many files are read together.
const readAtOnce = 16

// reading is what was read of a file.
type reading struct {
	path  workspace.Path
	stamp stamp
	read  bool // it is new, or changed
	text  string
	ok    bool // it can be brought
	err   error
}

// changed looks at some files, and reads those that are new or changed.
func (w *Words) changed(ctx context.Context, ws *workspace.Workspace, paths []workspace.Path) []reading {
	all := make([]reading, len(paths))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range paths {
		r := &all[i]
		r.path, r.stamp = p, stampOf(ws, p)
		if place, there := w.places[p.Rel]; there && w.files[place].stamp == r.stamp {
			continue
		}
		r.read = true
		group.Go(func() error {
			r.text, r.ok, r.err = rankedText(ctx, ws, p)
			return nil
		})
	}
	_ = group.Wait() // each has its own error
	return all
}

// add puts a file that was read into the index.
func (w *Words) add(r reading) {
	place, there := w.places[r.path.Rel]
	if !there {
		place = w.room(r.path.Rel)
	}
	var fields []ranking.Field // none of what cannot be brought: it is kept so that it is not read again
	if r.ok {
		fields = []ranking.Field{{Text: r.path.Rel, Weight: pathWeight}, {Text: r.text, Weight: 1}}
	}
	w.index.Replace(place, fields...)
	w.files[place] = known{r.path.Rel, len(r.text), r.stamp}
}

// Rank names the files of a workspace, as they were when a message was last looked at, that have words of one: the best
// first, at most n.
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

// rank gives the files that have words of a message, the best first. The tests of what a message is about have its
// words more often than the code: they count less where it does not speak of tests.
func (w *Words) rank(message string) []ranking.Ranked {
	if w.ranked != nil && w.message == message {
		return w.ranked
	}
	ranked := w.index.Rank(message, len(w.files))
	w.message, w.ranked = message, ranked
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
	place := len(w.files)
	if len(w.places) < place {
		place = slices.IndexFunc(w.files, func(k known) bool { return k.path == "" })
	} else {
		w.index.Add()
		w.files = append(w.files, known{})
	}
	w.places[path] = place
	return place
}

func stampOf(ws *workspace.Workspace, p workspace.Path) stamp {
	if text, open := ws.Shown(p); open {
		return stamp{shown: text, open: true}
	}
	info, err := ws.Glance(p)
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

// nearest lists the files of a workspace, those in the fewest folders first; if there are more than maxRanked, only
// enough of them to show that.
func nearest(ctx context.Context, ws *workspace.Workspace) []workspace.Path {
	root, err := ws.Resolve(".")
	if err != nil {
		return nil
	}
	var byDepth [][]workspace.Path
	// A walk that was cut short leaves files unfound: the model can still look for them.
	_ = ws.Walk(ctx, root, func(p workspace.Path) error {
		if ctx.Err() != nil {
			return fs.SkipAll
		}
		if p.Dir || p.Protected != "" {
			return nil
		}
		depth := strings.Count(p.Rel, "/")
		for len(byDepth) <= depth {
			byDepth = append(byDepth, nil)
		}
		if len(byDepth[depth]) <= maxRanked { // one more shows that there are more
			byDepth[depth] = append(byDepth[depth], p)
		}
		return nil
	})
	var near []workspace.Path
	for _, paths := range byDepth {
		if near = append(near, paths...); len(near) > maxRanked {
			break
		}
	}
	return near
}

// tested is the file that a test is about: of those that are no tests, the one with most of its words. Empty: the path
// is no test.
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
