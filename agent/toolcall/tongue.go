package toolcall

import (
	"regexp"
	"slices"
	"strings"
)

// tongue puts a grammar together: its blocks, their closers as noise, the usual thoughts, and what is accepted without a
// marker, since servers strip special tokens.
func tongue(blocks []block, with ...func(*grammar)) func() *grammar {
	return once(func() *grammar {
		g := &grammar{blocks: blocks, noise: endMarkers()}
		for _, apply := range with {
			apply(g)
		}
		if g.thoughts == nil {
			g.thoughts = thoughts(false)
		}
		var openers []string
		for _, b := range g.blocks {
			openers = append(openers, b.open...)
		}
		for _, b := range g.blocks {
			for _, c := range b.closers {
				if !slices.Contains(g.noise, c) && !slices.Contains(openers, c) {
					g.noise = append(g.noise, c)
				}
			}
		}
		return g
	})
}

// thoughts are the tags that most families use; breaks says that calls end a thought which nothing closes.
func thoughts(breaks bool) []thought {
	first := think()
	first.breaks = breaks
	return []thought{first, {open: []string{"<thinking>"}, close: []string{"</thinking>"}, breaks: breaks}}
}

// breaking lets the markers of calls end a thought that nothing closes.
func breaking(g *grammar) { g.thoughts = thoughts(true) }

// thinking replaces the usual thoughts.
func thinkingAs(list ...thought) func(*grammar) {
	return func(g *grammar) { g.thoughts = list }
}

// between is a thought between two markers.
func between(open, closer string) thought {
	return thought{open: []string{open}, close: []string{closer}}
}

// dropping adds markers without meaning.
func dropping(markers ...string) func(*grammar) {
	return func(g *grammar) { g.noise = append(g.noise, markers...) }
}

// sections adds markers round a section of calls: without meaning at the top level, but in a thought as telling as a call.
func sections(markers ...string) func(*grammar) {
	return func(g *grammar) { g.noise, g.sections = append(g.noise, markers...), append(g.sections, markers...) }
}

// accepting adds candidates.
func accepting(candidates ...candidate) func(*grammar) {
	return func(g *grammar) { g.candidates = append(g.candidates, candidates...) }
}

// acceptingJSON accepts the call as JSON without its marker.
func acceptingJSON(g *grammar) { g.candidates = append(g.candidates, bareJSON(false), fencedJSON()) }

// silent is an envelope whose content is dropped: results that the model made up.
func silent(open string, closers ...string) block {
	return block{open: []string{open}, closers: closers, scan: scanTagged(closers, nil, "")}
}

// variants writes a marker in every spelling of its bars and blanks that is seen: full-width or ASCII.
func variants(markers ...string) []string {
	var all []string
	add := func(m string) {
		if !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	for _, m := range markers {
		for _, bar := range []string{"｜", "|"} {
			for _, blank := range []string{"▁", "_"} {
				add(strings.NewReplacer("｜", bar, "▁", blank).Replace(m))
			}
		}
	}
	return all
}

// name is the pattern of a tool's name in a head or a tag.
const name = `(?P<name>[\p{L}_][\w.\-:]*)`

// pattern compiles a pattern in which NAME stands for a tool's name.
func pattern(text string) *regexp.Regexp {
	return regexp.MustCompile(strings.ReplaceAll(text, "NAME", name))
}

// scanJSONs ends after a JSON list, or after the last of several objects separated by blanks, commas or semicolons.
func scanJSONs(starts string) func(*reader) scanner {
	return func(*reader) scanner {
		var (
			json  jsonScan
			first byte
			gap   = -1 // bytes since the last object; -1: inside one
		)
		return skipping{heed: func() *byteSet { return json.heeds() }, scanFunc: func(body []byte) (verdict, int) {
			b := body[len(body)-1]
			if gap >= 0 {
				gap++
				switch {
				case isSpace(b) || b == ',' || b == ';':
					return more, 0
				case b != '{':
					return whole, gap
				}
				gap, json = -1, jsonScan{}
			}
			if first == 0 && !isSpace(b) {
				if first = b; strings.IndexByte(starts, b) < 0 {
					return notCall, 0
				}
			}
			if json.next(b) {
				if first == '[' {
					return whole, 0
				}
				gap = 0
			}
			return more, 0
		}}
	}
}

// jsonRun is an envelope without a closer: JSON values after a marker.
func jsonRun(starts string, open ...string) block {
	return block{open: open, scan: scanJSONs(starts), read: readTagged()}
}
