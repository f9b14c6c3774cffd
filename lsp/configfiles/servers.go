package configfiles

import (
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/mcp"
)

// Entry is what a file declares by a name, such as an MCP server, where it is.
type Entry struct {
	Name       string
	Key, Whole Span // the name in quotes; all that is declared by it
}

// Servers finds the servers in a file, also in one that somebody is just writing.
func Servers(text string) []Entry {
	root, _ := parse(text)
	all, found := entriesIn(root, "mcpServers", "servers")
	if !found {
		return entries(root.members)
	}
	return all
}

// entriesIn are the entries of the objects with these keys; found is false if there is none.
func entriesIn(root *node, keys ...string) (all []Entry, found bool) {
	for _, m := range root.members {
		if slices.Contains(keys, m.key.text) {
			all, found = append(all, entries(m.value.members)...), true
		}
	}
	return all, found
}

// entries are the members that are objects.
func entries(members []member) []Entry {
	var out []Entry
	for _, m := range members {
		if m.key.kind == '"' && m.value.kind == '{' {
			out = append(out, Entry{m.key.text, m.key.span, Span{m.key.span.Start, m.value.span.End}})
		}
	}
	return out
}

// ServerAt is the server at a place of a file: the one that is declared there, else the first on its line.
func ServerAt(text string, at int) (Entry, bool) {
	return entryAt(Servers(text), text, at)
}

func entryAt(all []Entry, text string, at int) (Entry, bool) {
	i := slices.IndexFunc(all, func(s Entry) bool { return s.Whole.holds(at) })
	if i < 0 {
		line := lineOf(text, at)
		i = slices.IndexFunc(all, func(s Entry) bool { return s.Whole.Start <= line.End && line.Start <= s.Whole.End })
	}
	if i < 0 {
		return Entry{}, false
	}
	return all[i], true
}

// lineOf is the line at a place.
func lineOf(text string, at int) Span {
	end := len(text)
	if i := strings.IndexAny(text[at:], "\r\n"); i >= 0 {
		end = at + i
	}
	return Span{strings.LastIndexAny(text[:at], "\r\n") + 1, end}
}

// DiagnoseServers says what is wrong in a file of MCP servers.
func DiagnoseServers(text string) []Diagnostic {
	_, problems := mcp.Parse([]byte(text))
	var out []Diagnostic
	for _, p := range problems {
		out = append(out, problemAt(p.Offset, p.Length, false, p.Reason))
	}
	return out
}
