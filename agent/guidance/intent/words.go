package intent

import (
	_ "embed"
	"strings"
)

//go:embed words.en.txt
var englishWords string

// lists are the words of English by name, with | between them.
var lists = readLists(englishWords)

// readLists reads a file of words: a name, and below it lines that begin with a tab.
func readLists(text string) map[string]string {
	lists, name := map[string]string{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if words, is := strings.CutPrefix(line, "\t"); is {
			lists[name] += words
		} else if name = line; strings.HasPrefix(line, "#") {
			name = ""
		}
	}
	return lists
}

// words is a list of the file.
func words(name string) []string { return strings.Split(lists[name], "|") }

var (
	changeVerbs   = words("changeVerbs")
	requests      = words("requests")
	fillers       = words("fillers")
	subjects      = words("subjects")
	modalWords    = words("modalWords")
	questionWords = words("questionWords")
	prepositions  = words("prepositions")
	tellVerbs     = words("tellVerbs")
	writeVerbs    = words("writeVerbs")
	shownThings   = words("shownThings")
)

var (
	// hereWords say that a message is about the folder that its writer works in.
	hereWords = lists["hereWords"]
	// kinds are things of which a folder has some: a message may also speak of one that is in no folder.
	kinds = lists["kinds"]
	// units are those that people convert.
	units = lists["units"]
	// generalWords say that a message is about the world, not about a folder.
	generalWords = lists["generalWords"]
	// smallTalk are words of messages that want nothing but an answer in kind.
	smallTalk = lists["smallTalk"]
	// english are words by which English is known.
	english = lists["english"]
)
