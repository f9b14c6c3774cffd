// Package schema narrows what a constrained model can write as the arguments of a tool to what makes sense where it is:
// paths that exist, lines that the file has, arithmetic. A small model then cannot miss by a letter
// (cmd/eval/findings.md).
package schema

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/tools"
)

// Limits: a grammar of too many alternatives slows a model server down.
const (
	maxLines = 120 // of files whose lines are given
	maxLine  = 200 // bytes
)

// MaxPaths is how many paths a model is given to choose from. Where there are more, a path may be anything: it is
// checked when the call is made, and the error names the nearest ones. So no file that exists is ever out of reach.
const MaxPaths = 150

// MaxShort is how many bytes a file has at most that a model writes again as a whole.
const MaxShort = 4_000

// File is a file that the model has read, as it is now.
type File struct{ Path, Text string }

// Place is where a call would be made.
type Place struct {
	Files   []string // all that a path may name; nil: not known
	Folders []string
	// Unlisted are folders whose files are not among Files, such as those of a build. They can be named all the same.
	Unlisted []string
	Short    []string // files that are short enough to be written again as a whole
	Whole    []string // files that are short enough to be read as a whole
	Read     []File
	Request  string
}

// Arguments gives the schemas, one of which the arguments of a tool must fit. nil: those of the tool itself are narrow
// enough.
func Arguments(spec tools.Spec, place Place) []json.RawMessage {
	if len(spec.Arguments) == 0 {
		return nil
	}
	own, err := readObject(spec.Parameters)
	if err != nil {
		return nil
	}
	if file, copied := spec.Argument(tools.ExistingFile), spec.Argument(tools.CopiedText); file != "" && copied != "" {
		return edits(own, file, copied, place)
	}
	if file := spec.Argument(tools.NewFile); file != "" {
		return []json.RawMessage{own.only(file).json()}
	}
	if file := spec.Argument(tools.ExistingFile); file != "" && spec.ShowsFile != "" && len(place.Files) > 0 {
		return readings(own, file, place)
	}
	for name, kind := range spec.Arguments {
		switch kind {
		case tools.ExistingFile:
			own = own.with(name, place.path(place.Files))
		case tools.ExistingFolder:
			folders := place.Folders
			if spec.Argument(tools.SearchedText) != "" {
				folders = said(folders, place.Request)
			}
			own = own.with(name, place.path(folders))
		case tools.NewPath:
			own = own.with(name, newPath(place))
		case tools.SearchedText:
			own = own.with(name, fewWords)
		case tools.SaidText:
			own = own.with(name, saidTexts(place.Request))
		case tools.Arithmetic:
			own = own.with(name, arithmetic)
		case tools.NewFile, tools.CopiedText: // see above
		}
	}
	return []json.RawMessage{own.json()}
}

// arithmetic is a number first, and then no names: a model that can write a name writes sum(table).
var arithmetic = json.RawMessage(`{"type":"string","pattern":"^(sqrt[(])?-?[(]*[0-9][0-9.]*[)]*( ?([+*/%-]|[*][*]) ?-?[(]*[0-9][0-9.]*[)]*){0,40}$"}`)

// maxSaidTexts is how many names and quoted texts of a request a model chooses from.
const maxSaidTexts = 40

var quoted = lazyregexp.New("\"([^\"\n]{1,80})\"|`([^`\n]{1,80})`|“([^”\n]{1,80})”")

// saidTexts are the quoted texts of a request and the words of it; nil: there are too many.
func saidTexts(request string) json.RawMessage {
	var all []string
	add := func(text string) {
		if text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	for _, found := range quoted().FindAllStringSubmatch(request, -1) {
		add(found[1] + found[2] + found[3])
	}
	for _, w := range word().FindAllString(request, -1) {
		add(w)
	}
	if len(all) > maxSaidTexts {
		return nil
	}
	return paths(all)
}

// said are those of the folders of which a request has the name, and the folder of all: a small model searches in one
// folder after the other.
func said(folders []string, request string) []string {
	words := map[string]bool{}
	for _, w := range word().FindAllString(strings.ToLower(request), -1) {
		words[w] = true
	}
	var named []string
	for _, folder := range folders {
		lower := strings.ToLower(folder)
		has := folder == "."
		for w := range words {
			has = has || strings.Contains(lower, w) && slices.Contains(word().FindAllString(lower, -1), w)
		}
		if has {
			named = append(named, folder)
		}
	}
	return named
}

// fewWords are up to four words: a small model looks for its whole request, which is nowhere, or for ".*", which is
// everything.
var fewWords = json.RawMessage(`{"type":"string","pattern":"^[^ \\\\\".*^$+?|()\\[][^ \\\\\"]*( [^ \\\\\"]+){0,3}$"}`)

// readings are the ways to read a file: a short one as a whole, of which a small model would read the first line.
func readings(own object, file string, place Place) []json.RawMessage {
	var all []json.RawMessage
	if short := paths(place.Whole); short != nil {
		all = append(all, own.only(file).with(file, short).json())
	}
	long := without(place.Files, place.Whole)
	if len(long)+len(place.Unlisted) > 0 {
		all = append(all, own.with(file, place.path(long)).json())
	}
	return all
}

// without is a list without the paths of another one.
func without(list, paths []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(p string) bool { return slices.Contains(paths, p) })
}

// path is the schema of a path that is one of a list, or lies in a folder whose files are not known; nil: it may be
// anything.
func (p Place) path(list []string) json.RawMessage {
	if len(p.Unlisted) == 0 {
		return paths(list)
	}
	if len(list) > MaxPaths ||
		slices.ContainsFunc(p.Unlisted, func(folder string) bool { return !plainFolder().MatchString(folder) }) {
		return nil
	}
	inside := `{"type":"string","pattern":"^(` + strings.ReplaceAll(strings.Join(p.Unlisted, "|"), ".", "[.]") +
		`)(/[^\"]+)?$"}`
	if len(list) == 0 {
		return json.RawMessage(inside)
	}
	return json.RawMessage(`{"anyOf":[` + string(enum(list)) + `,` + inside + `]}`)
}

// plainFolder matches paths that mean themselves in a pattern, but for their dots.
var plainFolder = lazyregexp.New(`^[\w ./-]+$`)

// newPath is a folder with a slash at its end, or a file with an ending: models leave the name out, and a folder
// becomes a file. Where a request has names of files, the name is one of them, and its folders are there or are words
// of the request.
func newPath(place Place) json.RawMessage {
	folder, last := `[^/.\" ]+`, `[^/.\"]*[.][^/\"]+`
	folders, all := folderNames(place)
	if !all {
		folder = `[^/\"]+`
	}
	if names := plainNames(place.Request); len(names) > 0 {
		last = strings.ReplaceAll(strings.Join(names, "|"), ".", "[.]")
		if all {
			folder = strings.Join(folders, "|")
		}
	}
	return json.RawMessage(`{"type":"string","pattern":"^((` + folder + `)/){0,6}(` + last + `)?$"}`)
}

var plainWord = lazyregexp.New(`^[\w-]+$`)

// folderNames are the names of folders that are there, and the words of the request: one of them may be that of a new
// folder. all is false if a folder that is there is left out, since there are too many or its name is an odd one.
func folderNames(place Place) (names []string, all bool) {
	add := func(list []string) {
		for _, name := range list {
			if name = strings.Trim(name, "\"'`.,;:!?()"); len(names) < MaxPaths && !slices.Contains(names, name) &&
				plainWord().MatchString(name) {
				names = append(names, name)
			}
		}
	}
	for word := range strings.FieldsSeq(place.Request) {
		add(strings.Split(word, "/"))
	}
	names = slices.DeleteFunc(names, describes)
	for _, folder := range place.Folders {
		add(strings.Split(folder, "/"))
	}
	return names, !slices.ContainsFunc(place.Folders, func(folder string) bool {
		return folder != "." &&
			slices.ContainsFunc(
				strings.Split(folder, "/"), func(name string) bool { return !slices.Contains(names, name) },
			)
	})
}

// describes reports whether a word only says that a folder is meant, and is hardly its name.
func describes(word string) bool {
	return slices.Contains(
		[]string{
			"a", "an", "the", "new", "folder", "directory", "file", "to", "into", "in", "of", "it", "move", "rename",
			"called", "named",
		},
		strings.ToLower(word),
	)
}

var fileName = lazyregexp.New(`^[\w-]*(\.[\w-]+)*\.[a-zA-Z]\w{0,5}$`)

// plainNames are the names of files in a request, without their folders.
func plainNames(request string) []string {
	var names []string
	for word := range strings.FieldsSeq(request) {
		name := path.Base(strings.Trim(word, "\"'`.,;:!?()"))
		if fileName().MatchString(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func paths(list []string) json.RawMessage {
	if len(list) == 0 || len(list) > MaxPaths {
		return nil
	}
	return enum(list)
}

func enum[T any](list []T) json.RawMessage {
	text, _ := json.Marshal(list)
	return json.RawMessage(`{"enum":` + string(text) + `}`)
}

// edits are the ways to change a text: a short file is only named, and its new text is asked for separately; of a
// longer one that was read, the lines are known.
func edits(own object, path, copied string, place Place) []json.RawMessage {
	var all []json.RawMessage
	if short := paths(place.Short); short != nil {
		all = append(all, own.only(path).with(path, short).json())
	}
	left := maxLines
	long := without(place.Files, place.Short)
	for _, f := range place.Read {
		if strings.Count(f.Text, "\n") > maxLines {
			continue // to look for the lines of a large file takes long, and there are too many
		}
		lines := Lines(f.Text)
		if len(lines) == 0 || len(lines) > left || slices.Contains(place.Short, f.Path) {
			continue
		}
		left -= len(lines)
		long = slices.DeleteFunc(long, func(p string) bool { return p == f.Path })
		here := own.with(path, enum([]string{f.Path}))
		all = append(all, here.without("replace_all").with(copied, enum(lines)).json())
		if names := repeated(f.Text, place.Request); len(names) > 0 {
			all = append(
				all,
				here.with(copied, enum(names)).with(
					"replace_all", json.RawMessage(`{"const":true}`),
				).requiring("replace_all").json(),
			)
		}
	}
	if place.Files == nil {
		return append(all, own.json())
	}
	if len(long)+len(place.Unlisted) > 0 {
		all = append(all, own.with(path, place.path(long)).json())
	}
	return all
}

// Lines are texts that each occur once in a text and end with one of its lines: the line alone, or with as many lines
// above it as it takes. Blank lines are none.
func Lines(text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	var all []string
	for i, line := range lines {
		if strings.TrimSpace(line) == "" || len(line) > maxLine || !utf8.ValidString(line) {
			continue
		}
		from := i
		once := line
		for strings.Count("\n"+text+"\n", "\n"+once+"\n") > 1 && from > 0 ||
			strings.Count(text, once) > 1 && from > 0 && i-from < 5 {
			from--
			once = strings.Join(lines[from:i+1], "\n")
		}
		if strings.Count(text, once) == 1 {
			all = append(all, once)
		}
	}
	return all
}

var word = lazyregexp.New(`[\p{L}_][\p{L}\p{N}_]{1,60}`)

// repeated lists names of a request that a text has several times.
func repeated(text, request string) []string {
	var names []string
	for _, w := range word().FindAllString(request, 60) {
		if !slices.Contains(names, w) && strings.Count(text, w) > 1 {
			names = append(names, w)
		}
	}
	return names
}
