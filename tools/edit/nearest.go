package edit

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Near is a part of a text that is like another one.
type Near struct {
	Line  int    // its first line, counted from 1
	Text  string // whole lines, without the last line end
	Score float64
}

const (
	nearEnough   = 0.45    // below it, showing a line misleads more than it helps
	maxNearLine  = 400     // longer lines are compared by their beginning
	maxNearText  = 4 << 20 // more of a text is not looked at
	maxNearRows  = 200_000 // more lines are not looked at
	maxNearLines = 24      // longer matches are cut
)

// Nearest returns at most limit parts of text that are most like want, best first, none that is not like it at all. It
// anchors on the longest line of want. It looks at the first 4 MB and 200,000 lines; when ctx ends it returns nothing.
func Nearest(ctx context.Context, text, want string, limit int) []Near {
	lines, wanted := Lines(beginning(text)), Lines(strings.Trim(want, "\r\n"))
	anchor := 0
	for i, line := range wanted {
		if len(strings.TrimSpace(line)) > len(strings.TrimSpace(wanted[anchor])) {
			anchor = i
		}
	}
	best := mostSimilar(ctx, lines, wanted[anchor], limit*4)
	height := min(len(wanted), maxNearLines)
	for i, n := range best {
		first := max(0, n.Line-min(anchor, height-1))
		last := min(len(lines), first+height)
		part := lines[first:last]
		best[i] = Near{Line: first + 1, Text: strings.Join(part, "\n"), Score: averageSimilarity(part, wanted)}
	}
	byScore(best)
	var out []Near
	for _, n := range best {
		overlaps := slices.ContainsFunc(out, func(o Near) bool { return abs(o.Line-n.Line) < height })
		if len(out) < limit && !overlaps && (len(out) == 0 || n.Score > out[0].Score*0.8) {
			out = append(out, n)
		}
	}
	return out
}

// beginning is what is looked at of a text: whole lines, unless the first is too long.
func beginning(text string) string {
	text = text[:min(len(text), maxNearText)]
	end := 0
	for range maxNearRows {
		next := strings.IndexByte(text[end:], '\n')
		if next < 0 {
			return text
		}
		end += next + 1
	}
	return text[:end]
}

// mostSimilar returns at most limit lines like the anchor, with their index as Line, best first; none once ctx has
// ended.
func mostSimilar(ctx context.Context, lines []string, anchor string, limit int) []Near {
	grams := bigrams(anchor)
	if len(grams.count) == 0 {
		return nil
	}
	var best []Near
	for i, line := range lines {
		if ctx.Err() != nil {
			return nil
		}
		score := grams.similarity(line)
		if score < nearEnough || len(best) == limit && score <= best[limit-1].Score {
			continue
		}
		best = append(best, Near{Line: i, Score: score})
		byScore(best)
		best = best[:min(len(best), limit)]
	}
	return best
}

// Lines splits a text into lines without their ends.
func Lines(text string) []string {
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
}

func byScore(n []Near) {
	slices.SortStableFunc(n, func(a, b Near) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Line, b.Line))
	})
}

func abs(n int) int { return max(n, -n) }

// averageSimilarity is the mean similarity of the lines of part to those of want.
func averageSimilarity(part, want []string) float64 {
	sum := 0.0
	for i, line := range want {
		if i < len(part) {
			sum += bigrams(line).similarity(part[i])
		}
	}
	return sum / float64(len(want))
}

// profile counts the pairs of neighbouring bytes in a line, without whitespace around it and without case.
type profile struct {
	count map[[2]byte]int
	has   *[1 << 10]uint64 // a bit for each pair in count: most pairs of most lines are in none
	size  int              // all of them
}

func bigrams(line string) profile {
	p := profile{count: map[[2]byte]int{}, has: new([1 << 10]uint64)}
	line = foldLine(line)
	for i := range len(line) - 1 {
		p.count[[2]byte{line[i], line[i+1]}]++
		p.has[bit(line, i)/64] |= 1 << (bit(line, i) % 64)
		p.size++
	}
	return p
}

// bit is the number of a pair of bytes.
func bit(line string, at int) int { return int(line[at])<<8 | int(line[at+1]) }

func foldLine(line string) string {
	line = strings.TrimSpace(line)
	return strings.ToLower(line[:min(len(line), maxNearLine)])
}

// similarity is 1 for equal lines and 0 for lines that share nothing. What matters most is how much of the profile is
// found in the line, since a wanted text is often a part of it.
func (p profile) similarity(line string) float64 {
	line = foldLine(line)
	if len(line) < 2 || p.size == 0 {
		if len(line) == 0 && p.size == 0 {
			return 1
		}
		return 0
	}
	shared := 0
	var seen map[[2]byte]int
	for i := range len(line) - 1 {
		if p.has[bit(line, i)/64]&(1<<(bit(line, i)%64)) == 0 {
			continue
		}
		if seen == nil {
			seen = make(map[[2]byte]int, len(p.count))
		}
		g := [2]byte{line[i], line[i+1]}
		if seen[g] < p.count[g] {
			shared++
		}
		seen[g]++
	}
	in := float64(shared) / float64(p.size)
	dice := 2 * float64(shared) / float64(p.size+len(line)-1)
	return 0.6*in + 0.4*dice
}
