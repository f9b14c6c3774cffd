package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/assent-ls/assent/internal/ranking"
	"github.com/assent-ls/assent/tools/excerpt"
)

// How files are ranked by words: as documents of [ranking.Index], where a word of a path counts as often as a few in
// the text, and a file of a test or of other people as half.
const (
	fewestWords = 2 // with one, a search for the word itself says as much
	mostWords   = 12
	pathWeight  = 5
	mostFiles   = 5 // that are listed
)

// Words ranks files by the words of a pattern that no line matches, from several goroutines at once. What it gives does
// not depend on their order.
type Words struct {
	words [][]byte // in lower case, without their endings

	mu     sync.Mutex
	files  []wordFile // guarded by mu: those that have one of the words
	having []int      // guarded by mu: by word, how many files have it
	count  int        // guarded by mu: of all files
	length int        // guarded by mu: of all files together
}

// wordFile is a file with how often it has each word.
type wordFile struct {
	Place

	counts []int
	length int
}

// NewWords is for a pattern of several words; nil: it has not as many.
func NewWords(pattern string) *Words {
	w := &Words{}
	for _, word := range ranking.Words(pattern) {
		known := slices.ContainsFunc(w.words, func(have []byte) bool { return string(have) == word })
		if len(word) >= minWord && !known && len(w.words) < mostWords {
			w.words = append(w.words, []byte(word))
		}
	}
	if len(w.words) < fewestWords {
		return nil
	}
	w.having = make([]int, len(w.words))
	return w
}

// Look counts the words of one file.
func (w *Words) Look(ctx context.Context, at Place, data []byte) error {
	text, path := folded(data), folded([]byte(at.Rel))
	f := wordFile{Place: at, counts: make([]int, len(w.words)), length: len(data)}
	has := false
	for i, word := range w.words {
		f.counts[i] = text.occurrences(word) + pathWeight*min(path.occurrences(word), 1)
		has = has || f.counts[i] > 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count++
	w.length += len(data)
	if has {
		w.files = append(w.files, f)
		for i, n := range f.counts {
			w.having[i] += min(n, 1)
		}
	}
	return ctx.Err()
}

// foldedText is a text, and the same in lower case.
type foldedText struct{ text, lower []byte }

func folded(text []byte) foldedText { return foldedText{text, bytes.ToLower(text)} }

// occurrences counts the words that begin with a root, also within a name, as in closeIdle.
func (t foldedText) occurrences(root []byte) (n int) {
	for at := 0; ; {
		next := bytes.Index(t.lower[at:], root)
		if next < 0 {
			return n
		}
		at += next
		if t.begins(at) {
			n++
		}
		at += len(root)
	}
}

// begins reports whether a word begins at a place.
func (t foldedText) begins(at int) bool {
	if at == 0 {
		return true
	}
	before, _ := utf8.DecodeLastRune(t.lower[:at])
	// some letters have another size in lower case
	isCapital := len(t.text) == len(t.lower) && t.text[at] != t.lower[at]
	return isCapital || !isLetter(before)
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= utf8.RuneSelf && r != utf8.RuneError }

// Best are the files that have most of what the words tell, the best first; none if that is less than half.
func (w *Words) Best() (files []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rarity := make([]float64, len(w.words))
	all := 0.0
	for i, n := range w.having {
		rarity[i] = ranking.Rarity(float64(n), float64(w.count))
		all += rarity[i]
	}
	type scored struct {
		wordFile

		score float64
	}
	var best []scored
	mean := float64(w.length) / float64(max(w.count, 1))
	for _, f := range w.files {
		score, covered, words := 0.0, 0.0, 0
		for i, n := range f.counts {
			if n == 0 {
				continue
			}
			words++
			covered += rarity[i]
			score += rarity[i] * ranking.Saturated(float64(n), float64(f.length)/max(mean, 1))
		}
		if ranking.Remoteness(f.Rel) > 0 {
			score /= 2
		}
		if words >= fewestWords && covered >= all/2 {
			best = append(best, scored{f, score})
		}
	}
	slices.SortFunc(best, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Order, b.Order))
	})
	for _, f := range best[:min(len(best), mostFiles)] {
		files = append(files, f.Rel)
	}
	return files
}

// Line is the line of a text that has most of the words, as a result shows it; empty: none has one. Of equals the one
// that defines something is first.
func (w *Words) Line(rel, text string) string {
	shown, best := "", 0
	number := 0
	for line := range strings.Lines(text) {
		number++
		folded, score := folded([]byte(line)), 0
		for _, word := range w.words {
			if at := bytes.Index(folded.lower, word); at >= 0 && folded.occurrences(word) > 0 {
				score += 2
				if definitionAt([]byte(line), []int{at, at + len(word)}) != noDefinition {
					score++
				}
			}
		}
		if score > best {
			line = excerpt.Around(strings.TrimRight(line, "\r\n"), 0)
			best, shown = score, fmt.Sprintf("%s:%d: %s", rel, number, line)
		}
	}
	return shown
}
