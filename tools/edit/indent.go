package edit

import "strings"

// indented finds whole lines that differ from the wanted ones in their indentation alone, and gives the new lines the
// indentation of the file. Every indentation in oldText must stand for one in the file, and so must those in newText.
func indented(text, oldText, newText string) []Found {
	wanted, replaced := Lines(oldText), Lines(newText)
	if strings.TrimSpace(oldText) == "" {
		return nil
	}
	lines := strings.SplitAfter(text, "\n")
	starts := make([]int, len(lines)+1)
	for i, line := range lines {
		starts[i+1] = starts[i] + len(line)
	}
	var all []Found
	for i := 0; i+len(wanted) <= len(lines); i++ {
		steps, same := indentations(wanted, lines[i:i+len(wanted)])
		if !same {
			continue
		}
		after, fits := steps.indent(replaced)
		if !fits {
			continue
		}
		p := Place{Start: starts[i], End: starts[i+len(wanted)], Loose: "other indentation"}
		if !strings.HasSuffix(oldText, "\n") {
			p.End -= len(lineEndOf(text[p.Start:p.End]))
		} else if strings.HasSuffix(newText, "\n") && strings.HasSuffix(text[:p.End], "\n") {
			after += "\n"
		}
		if newText == "" {
			after = ""
		}
		all = append(all, found(text, p, after))
		i += len(wanted) - 1
	}
	return all
}

func lineEndOf(s string) string {
	switch {
	case strings.HasSuffix(s, "\r\n"):
		return "\r\n"
	case strings.HasSuffix(s, "\n"):
		return "\n"
	}
	return ""
}

// indentation says which indentation of a file stands for one of a wanted text.
type indentation map[string]string

// indentations compares lines without their indentation. same is false if they differ, or if one indentation of the
// wanted lines would stand for two of the file.
func indentations(wanted, lines []string) (steps indentation, same bool) {
	steps = indentation{}
	for i, want := range wanted {
		want, have := strings.TrimRight(want, " \t\r"), strings.TrimRight(lines[i], " \t\r\n")
		if strings.TrimLeft(want, " \t") != strings.TrimLeft(have, " \t") {
			return nil, false
		}
		if have == "" {
			continue
		}
		from, to := blanksBefore(want), blanksBefore(have)
		if known, ok := steps[from]; ok && known != to {
			return nil, false
		}
		steps[from] = to
	}
	return steps, true
}

func blanksBefore(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// indent gives lines the indentation of the file; false if it is not known for one of them.
func (s indentation) indent(lines []string) (string, bool) {
	out := make([]string, len(lines))
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		from := blanksBefore(line)
		to, ok := s.of(from)
		if !ok {
			return "", false
		}
		out[i] = to + line[len(from):]
	}
	return strings.Join(out, "\n"), true
}

// of is what stands for an indentation: what is known, or the longest known one that it begins with and the rest, in
// the steps of the file.
func (s indentation) of(from string) (string, bool) {
	if to, ok := s[from]; ok {
		return to, true
	}
	best, ok := "", false
	for known := range s {
		if strings.HasPrefix(from, known) && (!ok || len(known) > len(best)) {
			best, ok = known, true
		}
	}
	if !ok {
		return "", false
	}
	more, ok := s.deeper(from[len(best):])
	return s[best] + more, ok
}

// deeper turns whole steps of the wanted text into steps of the file.
func (s indentation) deeper(more string) (string, bool) {
	for shallow, to := range s {
		for deep, deepTo := range s {
			if len(deep) <= len(shallow) || !strings.HasPrefix(deep, shallow) || !strings.HasPrefix(deepTo, to) {
				continue
			}
			step := deep[len(shallow):]
			if n := strings.Count(more, step); strings.Repeat(step, n) == more {
				return strings.Repeat(deepTo[len(to):], n), true
			}
		}
	}
	for _, to := range s {
		if strings.Trim(to+more, " ") != "" && strings.Trim(to+more, "\t") != "" {
			return "", false // it would mix blanks and tabs
		}
	}
	return more, true
}
