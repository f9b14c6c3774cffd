package guidance

import (
	"slices"
	"strings"
	"unicode"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/edit"
)

// phrasing is how requests in English ask for a tool, in lower case.
type phrasing struct {
	verbs     []string // in front of a file, as in "rename the file a.txt"
	phrases   []string // in a request that names a file
	nameVerbs []string // in front of a name in code, as in "rename parseAll to readAll"
	cues      []string // whatever else the request says
}

// phrasings are those of the built-in tools that a core may leave out, by their own names.
var phrasings = map[string]phrasing{
	"delete_file": {
		verbs: []string{"delete", "remove", "erase"},
		phrases: []string{
			"can go", "leftover", "nobody needs", "no longer need", "not needed", "get rid of", "throw away", "throw it away", "throw them away",
			"throw that away", "throw this away", "delete it", "delete them", "delete both", "remove it", "remove them", "remove both",
			"is obsolete", "don't need", "do not need",
		},
	},
	"move_file":   {verbs: []string{"move", "rename"}},
	"format_file": {verbs: []string{"format", "reformat"}},
	"replace_everywhere": {
		nameVerbs: []string{"rename"},
		cues: []string{
			"everywhere", "in all files", "in every file", "in all the files", "throughout", "at all places", "at every place", "all over the",
			"every occurrence", "all occurrences", "every mention", "all mentions",
		},
	},
}

// prepares names the tool whose call a call of another one prepares, by their own names: what the first one gives is
// hardly ever the answer.
var prepares = map[string]string{"schema_search": "sql_select"}

// suited lists the built-in tools that a request asks for and that the model was not told of. A verb alone says too
// little: who is asked to remove a line and is offered a tool that deletes files may delete the file.
func suited(all *tools.Registry, told []string, request string) []tools.Spec {
	var list []tools.Spec
	for _, s := range all.Specs() {
		p := phrasings[s.Own()]
		if s.Origin == tools.BuiltIn && !slices.Contains(told, s.Name) &&
			(verbBeforeFile(p.verbs, request) || phraseAndFile(p.phrases, request) ||
				verbBeforeName(p.nameVerbs, request) || hasCue(p.cues, request)) {
			list = append(list, s)
		}
	}
	return list
}

// betweenVerbAndFile are the words that may be between the two.
const betweenVerbAndFile = " a an the this that these those my our old whole entire empty file files "

// verbBeforeFile reports whether a verb is in front of a path, or of the word "file".
func verbBeforeFile(verbs []string, request string) bool {
	after := false
	for word := range strings.FieldsSeq(strings.ToLower(request)) {
		bare := strings.Trim(word, "\"'`.,;:!?()")
		switch {
		case slices.Contains(verbs, bare):
			after = true
		case !after:
		case bare == "file" || bare == "files" || strings.ContainsAny(bare, "./"):
			return true
		case !strings.Contains(betweenVerbAndFile, " "+bare+" "):
			after = false
		}
	}
	return false
}

// betweenVerbAndName are the words that may be between a verb and a name in code.
const betweenVerbAndName = " a an the this that our function method variable constant class type struct field parameter argument option key setting macro module "

// verbBeforeName reports whether a verb is in front of what can only be a name in code, such as parseAll, max_size
// or Point3D, and no file is named in which that is to be done.
func verbBeforeName(verbs []string, request string) bool {
	after, found := false, false
	for word := range strings.FieldsSeq(request) {
		bare := strings.Trim(word, "\"'`.,;:!?()")
		switch lower := strings.ToLower(bare); {
		case slices.Contains(verbs, lower):
			after = true
		case !after:
		case !strings.ContainsFunc(bare, func(r rune) bool { return !edit.InName(r) }) &&
			(strings.Contains(bare, "_") || strings.LastIndexFunc(bare, unicode.IsUpper) > 0):
			found = true
		case !strings.Contains(betweenVerbAndName, " "+lower+" "):
			after = false
		}
		if strings.ContainsAny(bare, "./") {
			return false
		}
	}
	return found
}

// hasCue reports whether a request has one of some phrases.
func hasCue(cues []string, request string) bool {
	request = strings.ToLower(request)
	return slices.ContainsFunc(cues, func(cue string) bool { return strings.Contains(request, cue) })
}

// phraseAndFile reports whether a request has one of some phrases, and a path.
func phraseAndFile(phrases []string, request string) bool {
	return hasCue(phrases, request) &&
		slices.ContainsFunc(
			strings.Fields(request),
			func(w string) bool { return strings.ContainsAny(strings.Trim(w, "\"'`.,;:!?()"), "./") },
		)
}
