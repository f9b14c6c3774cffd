// Package search finds lines in the files of a workspace and ranks them: definitions first, tests and vendored code
// last.
package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/assent-ls/assent/internal/ranking"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/workspace"
)

const (
	MaxNamed     = 3       // files that are named by their path when no line matches
	maxNearFiles = 200     // the first ones are looked at for near lines when nothing matched
	maxNearFile  = 1 << 16 // bytes of one
	maxJudged    = 200     // matches of one file of which it is asked whether they define something
)

// Findings collects what a search finds, from several goroutines at once. What it gives in the end does not depend on
// their order.
type Findings struct {
	pattern  string
	lower    string
	attempts []*Attempt
	anyCase  *Attempt     // finds definitions in another case; nil: that is not looked for
	best     atomic.Int32 // the first attempt that has matched something so far

	mu      sync.Mutex
	matched []*Matches // guarded by mu: by attempt
	others  *Matches   // guarded by mu: of anyCase
	named   []Place    // guarded by mu: files that have the pattern in their path
	near    []nearLine // guarded by mu
}

// Place is a file by its place in the order of a walk.
type Place struct {
	Order int
	Rel   string
}

func New(pattern string, all []*Attempt) *Findings {
	f := &Findings{pattern: pattern, lower: strings.ToLower(pattern), attempts: all, others: newMatches()}
	for range all {
		f.matched = append(f.matched, newMatches())
	}
	f.best.Store(int32(len(all))) //nolint:gosec // three at most
	if IsName(pattern) && len(pattern) >= minWord && pattern == f.lower {
		f.anyCase = all[len(all)-1]
	}
	return f
}

// Look searches one file.
func (f *Findings) Look(ctx context.Context, at Place, data []byte) error {
	if strings.Contains(strings.ToLower(at.Rel), f.lower) {
		f.mu.Lock()
		f.named = append(f.named, at)
		f.mu.Unlock()
	}
	text := sync.OnceValue(func() bool { return workspace.IsText(data) })
	for i, a := range f.attempts {
		if i > int(f.best.Load()) {
			break // the later interpretations do not count any more
		}
		found, err := f.search(ctx, a, at, data, text, false)
		if err != nil {
			return err
		}
		if found.count > 0 {
			f.add(f.matched[i], found)
			for best := f.best.Load(); int(best) > i && !f.best.CompareAndSwap(best, int32(i)); best = f.best.Load() { //nolint:gosec // three at most
			}
			break
		}
	}
	if f.anyCase != nil {
		found, err := f.search(ctx, f.anyCase, at, data, text, true)
		if err != nil {
			return err
		}
		f.add(f.others, found)
	}
	if int(f.best.Load()) == len(f.attempts) && at.Order < maxNearFiles && len(data) <= maxNearFile && text() {
		f.lookNear(ctx, at, string(data))
	}
	return nil
}

// search collects the lines of a file that an attempt matches; definitions alone: those that define what the pattern
// names, in another case.
func (f *Findings) search(
	ctx context.Context, a *Attempt, in Place, data []byte, text func() bool, definitions bool,
) (fileMatches, error) {
	found := fileMatches{Place: in}
	judged := 0
	err := a.search(ctx, data, func(number int, line []byte, at []int) {
		if !text() {
			return
		}
		if definitions && bytes.Contains(line, []byte(f.pattern)) {
			return // it is counted as a match
		}
		if found.count == 0 { // most files have no match, and are not asked where they lie
			found.far = ranking.Remoteness(in.Rel)
		}
		m := match{Place: in, line: number}
		if judged++; judged <= maxJudged {
			m.defines = definitionAt(line, at)
		}
		if definitions && m.defines == noDefinition {
			return
		}
		m.tier, m.turn = tierOf(m, found.far, f.inPath(in.Rel)), found.count/maxTurn
		found.count++
		m.text = excerpt.Around(string(line), at[0])
		found.lines = append(found.lines, m)
		if len(found.lines) > 2*excerpt.MaxLines {
			slices.SortFunc(found.lines, match.compare)
			found.lines = found.lines[:excerpt.MaxLines]
		}
	})
	return found, err
}

// inPath reports whether a path has the word of the pattern.
func (f *Findings) inPath(rel string) bool {
	word := wordOf(f.lower)
	return word != "" && strings.Contains(strings.ToLower(rel), word)
}

func (f *Findings) add(to *Matches, found fileMatches) {
	if found.count == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	to.add(found)
}

// Result gives the matches of the best interpretation, and what is to be said about it; nil: nothing matched.
func (f *Findings) Result() (note string, found *Matches) {
	for i, a := range f.attempts {
		if f.matched[i].count > 0 {
			if i == 0 {
				f.matched[i].merge(f.others)
			}
			return a.note, f.matched[i]
		}
	}
	return "", nil
}

// FirstNamed are the first files that have the pattern in their path.
func (f *Findings) FirstNamed() []string {
	slices.SortFunc(f.named, func(a, b Place) int { return cmp.Compare(a.Order, b.Order) })
	var names []string
	for _, at := range f.named[:min(len(f.named), MaxNamed)] {
		names = append(names, at.Rel)
	}
	return names
}

type nearLine struct {
	Place
	edit.Near
}

// lookNear collects the lines of a file that are most similar to the pattern.
func (f *Findings) lookNear(ctx context.Context, at Place, text string) {
	found := edit.Nearest(ctx, text, f.pattern, 2)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, line := range found {
		f.near = append(f.near, nearLine{at, line})
	}
}

// Nearest names the best three lines that are like the pattern; it is empty if there are none.
func (f *Findings) Nearest() string {
	if len(f.near) == 0 {
		return ""
	}
	slices.SortFunc(f.near, func(a, b nearLine) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Order, b.Order), cmp.Compare(a.Line, b.Line))
	})
	var text strings.Builder
	text.WriteString(" The nearest lines are:")
	for _, line := range f.near[:min(len(f.near), 3)] {
		first, _, _ := strings.Cut(line.Text, "\n")
		fmt.Fprintf(&text, "\n%s:%d: %s", line.Rel, line.Line, excerpt.Around(first, 0))
	}
	return text.String()
}

// folder is where a file lies.
func (p Place) folder() string { return path.Dir(p.Rel) }
