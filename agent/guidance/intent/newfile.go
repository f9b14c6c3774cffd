package intent

import (
	"path"
	"slices"
	"strings"
)

// Words around the name of a folder.
var (
	folderWords  = strings.Fields("folder directory subfolder subdirectory dir ordner verzeichnis dossier répertoire carpeta directorio cartella pasta")
	insideWords  = strings.Fields("in into inside under within below im ins dans en nella nel em")
	beforeFolder = strings.Fields("the a an our my new existing called named neuen le la el il o")
)

// maxPhrase is how many words behind the name of a file may name its folder.
const maxPhrase = 5

// NewFile is the path of a new file as a message names it, where a call gives it another one: the same name in a folder
// that the message does not name. folders are those that exist. ok is false if the message does not name the file, or
// not clearly, or if the path of the call is right.
func NewFile(message, called string, folders []string) (named string, ok bool) {
	called = path.Clean(called)
	words := strings.Fields(message)
	for i, word := range words {
		words[i] = strings.TrimPrefix(strings.Trim(word, "\"'`.,;:!?()[]<>*“”„«»"), "./")
		// a file whose name begins with a dot
		if before, _, dotted := strings.Cut(word, "."); dotted && before == "" &&
			strings.HasPrefix(path.Base(called), ".") {
			words[i] = "." + words[i]
		}
	}
	for _, word := range words {
		if path.Base(word) != path.Base(called) || strings.HasPrefix(word, "/") || strings.HasPrefix(word, "~") ||
			strings.HasPrefix(word, "..") {
			continue
		}
		if word == called && strings.Contains(word, "/") || named != "" && named != word {
			return "", false
		}
		named = word
	}
	if named == "" || strings.Contains(named, "/") {
		return named, named != ""
	}
	at := slices.Index(words, named)
	before, behind := words[:at], words[at+1:]
	in := foldersIn(words, folders)
	next := foldersIn(behind[:min(len(behind), maxPhrase)], folders)
	switch {
	case slices.Contains(in, path.Dir(called)), slices.ContainsFunc(
		before, func(word string) bool { return strings.EqualFold(word, path.Base(path.Dir(called))) },
	):
		return "", false // also "the docs have no FILE" may mean the folder docs
	case len(next) > 0 && slices.Contains(insideWords, strings.ToLower(behind[0])): // "NAME in the folder FOLDER"
		named = path.Join(next[0], named)
	case len(in) > 1 || len(in) == 1 && path.Dir(called) == ".":
		return "", false
	case len(in) == 1:
		named = path.Join(in[0], named)
	}
	return named, named != called
}

// foldersIn are the folders that words name as such.
func foldersIn(words, folders []string) (in []string) {
	for i, word := range words {
		lower := func(at int) string {
			if at < 0 || at >= len(words) {
				return ""
			}
			return strings.ToLower(words[at])
		}
		said := strings.HasSuffix(word, "/") || slices.Contains(folderWords, lower(i-1)) ||
			slices.Contains(folderWords, lower(i+1))
		before := i - 1
		for slices.Contains(beforeFolder, lower(before)) || slices.Contains(folderWords, lower(before)) {
			said = said || slices.Contains(folderWords, lower(before))
			before--
		}
		inside := slices.Contains(insideWords, lower(before))
		name := strings.TrimSuffix(word, "/")
		if name == "" || slices.Contains(folderWords, lower(i)) || slices.Contains(beforeFolder, lower(i)) ||
			slices.Contains(insideWords, lower(i)) || !said && !inside {
			continue
		}
		var found []string
		for _, folder := range folders {
			if folder == name || path.Base(folder) == name && !slices.Contains(folders, name) {
				found = append(found, folder)
			}
		}
		if len(found) == 0 && said && inside && !strings.Contains(name, ".") { // a folder that is new, too
			found = []string{name}
		}
		for _, folder := range found {
			if !slices.Contains(in, folder) {
				in = append(in, folder)
			}
		}
	}
	return in
}
