package history

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/transcript"
)

// turn is what the index holds of one turn of a chat.
type turn struct {
	role          transcript.Role
	start, length int // bytes in the file
	line          int // of the heading, from 0
	sum           int64
	text          string   // what was said in it
	tools, files  []string // that its calls name, each once, sorted
}

// turnsOf are the turns of a chat.
func turnsOf(chat *transcript.Chat, text string) []turn {
	turns := make([]turn, 0, len(chat.Turns))
	line, from := 0, 0
	for _, t := range chat.Turns {
		line += strings.Count(text[from:t.Heading.Start], "\n")
		from = t.Heading.Start
		next := turn{
			role: t.Role, start: t.Span.Start, length: t.Span.End - t.Span.Start, line: line,
			sum: sumOf(text[t.Span.Start:t.Span.End]), text: said(t),
		}
		next.tools, next.files = touched(t)
		turns = append(turns, next)
	}
	return turns
}

// sumOf tells turns apart by their bytes.
func sumOf(text string) int64 {
	sum := sha256.Sum256([]byte(text))
	return int64(binary.LittleEndian.Uint64(sum[:])) //nolint:gosec // any number does
}

// said is what a person or a model said in a turn. What tools showed and what was attached is left out: it may be of
// files that are protected or denied, and it is not what somebody remembers.
func said(t transcript.Turn) string {
	var all []string
	for _, block := range t.Blocks {
		switch b := block.(type) {
		case transcript.Text:
			all = append(all, b.Markdown)
		case transcript.Reason:
			all = append(all, b.Text)
		case transcript.Answer:
			all = append(all, b.Text)
		}
	}
	return strings.Join(all, "\n")
}

// pathArguments are the names under which tools take files.
var pathArguments = []string{"path", "file", "from", "to", "paths", "files"}

// maxTouched bounds the files of one turn.
const maxTouched = 200

// touched are the tools that a turn called and the files that the calls name.
func touched(t transcript.Turn) (tools, files []string) {
	for _, block := range t.Blocks {
		call, ok := block.(transcript.Call)
		if !ok {
			continue
		}
		tools = append(tools, call.Tool)
		var arguments any
		if json.Unmarshal(call.Arguments, &arguments) == nil {
			files = append(files, pathsIn(arguments, false, 3)...)
		}
	}
	return unique(tools), unique(files)
}

// pathsIn finds the files that arguments name, so many levels deep.
func pathsIn(value any, isPath bool, deep int) (paths []string) {
	switch v := value.(type) {
	case string:
		if isPath && v != "" && len(v) < 1000 {
			paths = append(paths, cleanFile(v))
		}
	case []any:
		for _, one := range v {
			if deep > 0 {
				paths = append(paths, pathsIn(one, isPath, deep-1)...)
			}
		}
	case map[string]any:
		for name, one := range v {
			if deep > 0 {
				paths = append(paths, pathsIn(one, slices.Contains(pathArguments, name), deep-1)...)
			}
		}
	}
	return paths
}

// cleanFile is the form in which the index has the name of a file.
func cleanFile(name string) string {
	return strings.TrimPrefix(strings.ReplaceAll(normal(name), `\`, "/"), "./")
}

func unique(names []string) []string {
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxTouched)]
}
