package prompts

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/assent-ls/assent/internal/visible"
)

// IsPrompt says whether a file of a folder of prompts, by its path in it with slashes, may be a layer of a system
// prompt.
func IsPrompt(rel string) bool {
	name, ok := strings.CutSuffix(rel, ".md")
	if family, found := strings.CutPrefix(name, "families/"); found {
		return ok && fileName(family) == family
	}
	model, found := strings.CutPrefix(name, "system.")
	return ok && (name == "system" || found && fileName(model) == model)
}

// IsPreset says whether a file of the user's folder of prompts is a preset.
func IsPreset(rel string) bool {
	name, ok := strings.CutSuffix(path.Base(rel), ".md")
	return ok && path.Dir(rel) == "presets" && fileName(name) == name
}

// Check says what is wrong in the text of a prompt as it is in its file. Problems that only need to be known are
// warnings.
func Check(text string) []Problem {
	if p := notUsable(text, MaxSize); p != nil {
		return p
	}
	_, start, err := splitFront(text)
	if err != nil {
		return []Problem{{Length: firstLine(text), Reason: err.Error()}}
	}
	_, problems := parseTemplate(text[start:])
	problems = problems[:min(len(problems), maxProblems)]
	for i := range problems {
		problems[i].Offset += start
	}
	return append(problems, unseen(text)...)
}

// CheckRules is Check for a rules file.
func CheckRules(text string) []Problem {
	if p := notUsable(text, maxRules); p != nil {
		return p
	}
	return unseen(text)
}

func notUsable(text string, most int) []Problem {
	first := firstLine(text)
	switch {
	case len(text) > most:
		return []Problem{{Length: first, Reason: fmt.Sprintf("it has more than %d KB, so it is not used", most>>10)}}
	case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		return []Problem{{Length: first, Reason: "it is not a text file in UTF-8, so it is not used"}}
	}
	if _, _, err := writtenOut(newlines(text), most); err != nil {
		return []Problem{{Length: first, Reason: err.Error() + ", so it is not used"}}
	}
	return nil
}

func firstLine(text string) int {
	line, _ := nextLine(text, 0)
	return len(line)
}

// How many places of a text are named: an editor shows each.
const (
	maxProblems = 20 // that a template may not have
	maxUnseen   = 20 // with invisible characters
)

// unseen finds what a person cannot see and a model can, and what is where a letter could not be read.
func unseen(text string) []Problem {
	var out []Problem
	previous := rune(0)
	for i, r := range text {
		reason := ""
		switch {
		case r == utf8.RuneError:
			reason = "a letter that could not be read: is the file saved in UTF-8?"
		case i == 0 && r == '\ufeff', r == '\r': // a mark of the encoding, and a part of a line end
		case visible.Hidden(r) && !visible.Joined(previous, r):
			reason = fmt.Sprintf("an invisible character, %U: the model gets it written out", r)
		}
		if reason != "" {
			out = append(out, Problem{Offset: i, Length: utf8.RuneLen(r), Reason: reason, Warning: true})
		}
		if len(out) == maxUnseen {
			return out
		}
		previous = r
	}
	return out
}

// VariableAt is the variable at a place of a text, with where its name begins and ends, the dot included.
func VariableAt(text string, at int) (v Variable, start, end int, ok bool) {
	start, end, inside := InBraces(text, at)
	if !inside {
		return v, 0, 0, false
	}
	for _, known := range Variables() {
		if text[start:end] == "."+known.Name {
			return known, start, end, true
		}
	}
	return v, 0, 0, false
}

// InBraces says whether a place is between two opening braces and their end, and where the word there begins and
// ends.
func InBraces(text string, at int) (start, end int, inside bool) {
	open := strings.LastIndex(text[:at], "{{")
	if open < 0 || strings.Contains(text[open:at], "}}") ||
		strings.HasPrefix(strings.TrimLeft(text[open+2:], "- "), "/*") {
		return 0, 0, false
	}
	const ends = " \t\r\n{}()|\"`"
	start, end = at, at
	for start > open+2 && !strings.ContainsRune(ends, rune(text[start-1])) {
		start--
	}
	for end < len(text) && !strings.ContainsRune(ends, rune(text[end])) {
		end++
	}
	return start, end, strings.Count(text[open:start], `"`)%2 == 0
}
