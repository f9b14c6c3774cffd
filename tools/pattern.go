package tools

import (
	"context"
	"errors"
	"fmt"
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
	maxPattern = 1000    // bytes of a pattern
	maxProgram = 20_000  // instructions that a pattern may be compiled to: "(a{100}){10}" is short and large
	maxSteps   = 4 << 20 // taken without checking the context: some tenths of a second
)

// attempt is one interpretation of a pattern, with the lines that match it as "path:line: text".
type attempt struct {
	re        *regexp.Regexp
	chunkSize int                    // bytes of text that are matched at a time
	canMatch  func(text string) bool // a quick check: false only if no line of a text matches
	note      string
	found     []string
}

// attempts are the interpretations of a pattern, best first: the first one that matches anything counts. The error is a sentence
// for the model.
func attempts(pattern string) ([]*attempt, error) {
	literal := regexp.QuoteMeta(pattern)
	plain := &attempt{
		re:        regexp.MustCompile(literal),
		chunkSize: math.MaxInt, // as quick as strings.Index
		canMatch:  func(text string) bool { return strings.Contains(text, pattern) },
	}
	lower := strings.ToLower(pattern)
	folded := &attempt{
		re:        regexp.MustCompile("(?i)" + literal),
		chunkSize: maxSteps / (2 * len(pattern)),
		canMatch:  func(text string) bool { return strings.Contains(strings.ToLower(text), lower) },
		note:      "[Nothing matches exactly; upper and lower case were ignored.]\n",
	}
	if literal == pattern {
		return []*attempt{plain, folded}, nil
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		plain.note = "[The pattern is not a valid regular expression, so it was searched as plain text.]\n"
		return []*attempt{plain, folded}, nil //nolint:nilerr // the note says it
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil || len(program.Inst) > maxProgram {
		return nil, errors.New("the pattern repeats too much: give a simpler one")
	}
	plain.note = "[Nothing matches it as a regular expression, so it was searched as plain text.]\n"
	re := regexp.MustCompile(pattern)
	stride := maxSteps / len(program.Inst)
	folded.re, folded.chunkSize = regexp.MustCompile("(?i)"+pattern), stride
	folded.canMatch = anyLine(folded.re)
	return []*attempt{{re: re, chunkSize: stride, canMatch: anyLine(re)}, plain, folded}, nil
}

// anyLine tests a whole text for a match in any of its lines.
func anyLine(re *regexp.Regexp) func(string) bool {
	lines := regexp.MustCompile("(?m)" + re.String())
	return func(text string) bool { return lines.MatchString(text) || strings.Contains(text, "\r\n") }
}

// search collects the lines of a text that match, until ctx is done: then it returns its error.
func (a *attempt) search(ctx context.Context, rel, text string) error {
	before := 0
	for part := range a.parts(text) {
		if err := ctx.Err(); err != nil {
			return err
		}
		lines := edit.Lines(part)
		if len(part) > a.chunkSize || a.canMatch(part) {
			for i, line := range lines {
				if len(a.found) == maxMatches {
					return nil
				}
				if at := a.find(ctx, line); at != nil {
					a.found = append(a.found, fmt.Sprintf("%s:%d: %s", rel, before+i+1, around(line, at[0])))
				}
			}
		}
		before += len(lines)
	}
	return ctx.Err()
}

// parts splits a text into parts of whole lines, each at most chunkSize long unless it is one longer line.
func (a *attempt) parts(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			end := len(text)
			if end > a.chunkSize {
				last := strings.LastIndexByte(text[:a.chunkSize], '\n')
				if last < 0 {
					last = strings.IndexByte(text, '\n')
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
func (a *attempt) find(ctx context.Context, line string) []int {
	if len(line) <= a.chunkSize {
		return a.re.FindStringIndex(line)
	}
	at := a.re.FindReaderIndex(&untilDone{ctx: ctx, line: strings.NewReader(line)})
	if ctx.Err() != nil {
		return nil
	}
	return at
}

// untilDone reads a line, and reports its end early when the context is done.
type untilDone struct {
	ctx  context.Context //nolint:containedctx // of one match
	line *strings.Reader
	read int
}

// ReadRune implements io.RuneReader.
func (u *untilDone) ReadRune() (r rune, size int, err error) {
	if u.read++; u.read%64 == 0 && u.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	return u.line.ReadRune()
}
