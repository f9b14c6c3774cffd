package tools

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
	"github.com/assent-ls/assent/tools/workspace"
)

const (
	maxNamed     = 3       // files that are named by their path when no line matches
	maxNearFiles = 200     // the first ones are looked at for near lines when nothing matched
	maxNearFile  = 1 << 16 // bytes of one
	maxJudged    = 200     // matches of one file of which it is asked whether they define something
)

// findings collects what a search finds, from several goroutines at once. What it gives in the end does not depend on
// their order.
type findings struct {
	pattern  string
	lower    string
	attempts []*attempt
	anyCase  *attempt     // finds definitions in another case; nil: that is not looked for
	best     atomic.Int32 // the first attempt that has matched something so far

	mu      sync.Mutex
	matched []*matches // guarded by mu: by attempt
	others  *matches   // guarded by mu: of anyCase
	named   []place    // guarded by mu: files that have the pattern in their path
	near    []nearLine // guarded by mu
}

// place is a file by its place in the order of a walk.
type place struct {
	order int
	rel   string
}

func newFindings(pattern string, all []*attempt) *findings {
	f := &findings{pattern: pattern, lower: strings.ToLower(pattern), attempts: all, others: newMatches()}
	for range all {
		f.matched = append(f.matched, newMatches())
	}
	f.best.Store(int32(len(all))) //nolint:gosec // three at most
	if isName(pattern) && len(pattern) >= minWord && pattern == f.lower {
		f.anyCase = all[len(all)-1]
	}
	return f
}

// look searches one file.
func (f *findings) look(ctx context.Context, at place, data []byte) error {
	if strings.Contains(strings.ToLower(at.rel), f.lower) {
		f.mu.Lock()
		f.named = append(f.named, at)
		f.mu.Unlock()
	}
	text := textOnce(data)
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
	if int(f.best.Load()) == len(f.attempts) && at.order < maxNearFiles && len(data) <= maxNearFile && text() {
		f.lookNear(ctx, at, string(data))
	}
	return nil
}

// textOnce asks whether a file is text when somebody wants to know.
func textOnce(data []byte) func() bool {
	return sync.OnceValue(func() bool { return workspace.IsText(data) })
}

// search collects the lines of a file that an attempt matches; definitions alone: those that define what the pattern
// names, in another case.
func (f *findings) search(ctx context.Context, a *attempt, in place, data []byte, text func() bool, definitions bool) (fileMatches, error) {
	found := fileMatches{place: in}
	judged := 0
	err := a.search(ctx, data, func(number int, line []byte, at []int) {
		if !text() {
			return
		}
		if definitions && bytes.Contains(line, []byte(f.pattern)) {
			return // it is counted as a match
		}
		if found.count == 0 { // most files have no match, and are not asked where they lie
			found.far = ranking.Remoteness(in.rel)
		}
		m := match{place: in, line: number}
		if judged++; judged <= maxJudged {
			m.defines = definitionAt(line, at)
		}
		if definitions && m.defines == noDefinition {
			return
		}
		m.tier, m.turn = tierOf(m, found.far, f.inPath(in.rel)), found.count/maxTurn
		found.count++
		m.text = around(string(line), at[0])
		found.lines = append(found.lines, m)
		if len(found.lines) > 2*maxLines {
			slices.SortFunc(found.lines, match.compare)
			found.lines = found.lines[:maxLines]
		}
	})
	return found, err
}

// inPath reports whether a path has the word of the pattern.
func (f *findings) inPath(rel string) bool {
	word := wordOf(f.lower)
	return word != "" && strings.Contains(strings.ToLower(rel), word)
}

func (f *findings) add(to *matches, found fileMatches) {
	if found.count == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	to.add(found)
}

// result gives the matches of the best interpretation, and what is to be said of it; nil: nothing matched.
func (f *findings) result() (note string, found *matches) {
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

// firstNamed are the first files that have the pattern in their path.
func (f *findings) firstNamed() []string {
	slices.SortFunc(f.named, func(a, b place) int { return cmp.Compare(a.order, b.order) })
	var names []string
	for _, at := range f.named[:min(len(f.named), maxNamed)] {
		names = append(names, at.rel)
	}
	return names
}

type nearLine struct {
	place
	edit.Near
}

// lookNear collects the lines of a file that are most similar to the pattern.
func (f *findings) lookNear(ctx context.Context, at place, text string) {
	found := edit.Nearest(ctx, text, f.pattern, 2)
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, line := range found {
		f.near = append(f.near, nearLine{at, line})
	}
}

// nearest names the best three lines that are like the pattern; it is empty if there are none.
func (f *findings) nearest() string {
	if len(f.near) == 0 {
		return ""
	}
	slices.SortFunc(f.near, func(a, b nearLine) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.order, b.order), cmp.Compare(a.Line, b.Line))
	})
	var text strings.Builder
	text.WriteString(" The nearest lines are:")
	for _, line := range f.near[:min(len(f.near), 3)] {
		first, _, _ := strings.Cut(line.Text, "\n")
		fmt.Fprintf(&text, "\n%s:%d: %s", line.rel, line.Line, around(first, 0))
	}
	return text.String()
}

// folder is where a file lies.
func (p place) folder() string { return path.Dir(p.rel) }
