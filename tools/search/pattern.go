package search

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/assent-ls/assent/tools/edit"
)

// Matching takes steps as the length of the text times the size of the pattern, and cannot be stopped once started.
const (
	MaxPattern = 1000    // bytes of a pattern
	maxProgram = 20_000  // instructions that a pattern may be compiled to: "(a{100}){10}" is short and large
	maxSteps   = 4 << 20 // taken without checking the context: some tenths of a second
)

// Attempt is one interpretation of a pattern.
type Attempt struct {
	re        *regexp.Regexp
	chunkSize int      // bytes of text that are matched at a time
	needles   []needle // one of them is in each line that matches; none: it is not known what does
	anyLine   *regexp.Regexp
	note      string
}

// Attempts are the interpretations of a pattern, best first: the first one that matches anything counts. The error is a
// sentence for the model.
func Attempts(pattern string) ([]*Attempt, error) {
	literal := regexp.QuoteMeta(pattern)
	// as quick as strings.Index
	plain := &Attempt{re: regexp.MustCompile(literal), chunkSize: math.MaxInt, needles: literalNeedles(pattern, false)}
	folded := newAttempt("(?i)"+literal, maxSteps/(2*len(pattern)), literalNeedles(pattern, true))
	folded.note = "[Nothing matches exactly; upper and lower case were ignored.]\n"
	if literal == pattern {
		return []*Attempt{plain, folded}, nil
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		plain.note = "[The pattern is not a valid regular expression, so it was searched as plain text.]\n"
		return []*Attempt{plain, folded}, nil //nolint:nilerr // the note says it
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil || len(program.Inst) > maxProgram {
		return nil, errors.New("the pattern repeats too much: give a simpler one")
	}
	plain.note = "[Nothing matches it as a regular expression, so it was searched as plain text.]\n"
	stride := maxSteps / len(program.Inst)
	if tree, err = syntax.Parse(pattern, syntax.Perl); err != nil { // Simplify may share what it changes
		return nil, err
	}
	anyCase := newAttempt("(?i)"+pattern, stride, needlesOf(tree, true))
	anyCase.note = folded.note
	return []*Attempt{newAttempt(pattern, stride, needlesOf(tree, false)), plain, anyCase}, nil
}

func newAttempt(pattern string, chunkSize int, needles []needle) *Attempt {
	return &Attempt{
		re: regexp.MustCompile(pattern), chunkSize: chunkSize, needles: needles,
		anyLine: regexp.MustCompile("(?m)" + pattern),
	}
}

// mayMatch is false only if no line of a part of a text matches.
func (a *Attempt) mayMatch(part []byte) bool {
	return len(part) > a.chunkSize || a.anyLine == nil || a.anyLine.Match(part) || bytes.Contains(part, []byte("\r\n"))
}

// search calls found with each line of a text that matches, its number and where it matches, until ctx is done: then it
// returns its error.
func (a *Attempt) search(ctx context.Context, text []byte, found func(number int, line []byte, at []int)) error {
	if len(a.needles) > 0 {
		return a.searchNear(ctx, text, found)
	}
	before := 0
	for part := range a.parts(text) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if a.mayMatch(part) {
			number := before
			for line := range linesOf(part) {
				number++
				if at := a.find(ctx, line); at != nil {
					found(number, line, at)
				}
			}
		}
		before += bytes.Count(part, []byte("\n"))
	}
	return ctx.Err()
}

// linesOf are the lines of a text, without their ends. A text of nothing has one.
func linesOf(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for {
			line, rest, more := bytes.Cut(text, []byte("\n"))
			if more {
				line = bytes.TrimSuffix(line, []byte("\r"))
			}
			if !yield(line) || len(rest) == 0 {
				return
			}
			text = rest
		}
	}
}

// searchNear is search by the lines that hold a needle.
func (a *Attempt) searchNear(ctx context.Context, text []byte, found func(number int, line []byte, at []int)) error {
	finder := newFinder(a.needles, text)
	number, counted := 1, 0 // of the line that begins at counted
	for from := 0; ; {
		at, ok := finder.from(from)
		if !ok {
			return ctx.Err()
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		start, end := bytes.LastIndexByte(text[:at], '\n')+1, len(text)
		if length := bytes.IndexByte(text[at:], '\n'); length >= 0 {
			end = at + length
		}
		number, counted = number+bytes.Count(text[counted:start], []byte("\n")), start
		line := text[start:end]
		if end < len(text) {
			line = bytes.TrimSuffix(line, []byte("\r"))
		}
		if at := a.find(ctx, line); at != nil {
			found(number, line, at)
		}
		from = end
	}
}

// parts splits a text into parts of whole lines, each at most chunkSize long unless it is one longer line.
func (a *Attempt) parts(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for {
			end := len(text)
			if end > a.chunkSize {
				last := bytes.LastIndexByte(text[:a.chunkSize], '\n')
				if last < 0 {
					last = bytes.IndexByte(text, '\n')
				}
				if last >= 0 {
					end = last + 1
				}
			}
			if !yield(text[:end]) || end == len(text) {
				return
			}
			text = text[end:]
		}
	}
}

// find returns where a line matches, nil if it does not or ctx is done.
func (a *Attempt) find(ctx context.Context, line []byte) []int {
	if len(line) <= a.chunkSize {
		return a.re.FindIndex(line)
	}
	at := a.re.FindReaderIndex(&untilDone{ctx: ctx, line: bytes.NewReader(line)})
	if ctx.Err() != nil {
		return nil
	}
	return at
}

// untilDone reads a line, and reports its end early when the context is done.
type untilDone struct {
	ctx  context.Context //nolint:containedctx // of one match
	line *bytes.Reader
	read int
}

// ReadRune implements io.RuneReader.
func (u *untilDone) ReadRune() (r rune, size int, err error) {
	if u.read++; u.read%64 == 0 && u.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	return u.line.ReadRune()
}

// IsName reports whether a text is one word as programs have them.
func IsName(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool { return !edit.InName(r) }) < 0
}
