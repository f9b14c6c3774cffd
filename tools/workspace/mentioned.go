package workspace

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

const (
	maxMentioned   = 5
	maxMessageSeen = 20_000 // bytes of a message that are searched for names
)

// quoted finds names in quotation marks, which may hold spaces; an apostrophe inside a word opens none.
var quoted = lazyregexp.New(
	"`([^`\n]{1,200})`|\"([^\"\n]{1,200})\"|“([^”\n]{1,200})”|(?:^|[\\s(\\[])'([^'\n]{1,200})'",
)

// position is what people write after a file's name: main.go:12, main.go:12:3, main.go#L12.
var position = lazyregexp.New(`(:\d+(:\d+)?|#L\d+(-L?\d+)?)$`)

// Mentioned returns the existing files that a message names, at most five, in the order of the message: by a path, by
// the end of one or by a name that only one file has, in quotes or not, with a leading @ or a line number. A plain
// lower-case word counts only in quotes or as a file at the root. In a workspace of more than 20,000 files, names
// without their path may stay unfound. Protected files are never among them.
func (w *Workspace) Mentioned(ctx context.Context, text string) []Path {
	if len(text) > maxMessageSeen {
		text = strings.ToValidUTF8(text[:maxMessageSeen], "")
	}
	return w.moment.mentions(strings.TrimSpace(text), func(text string) []Path { return mentioned(ctx, w, text) })
}

func mentioned(ctx context.Context, w *Workspace, text string) []Path {
	var found []Path
	var files map[string][]string // filled when first needed
	top := topNames(w)
	b := helpBudget()
	seen := map[mention]bool{}
	all := mentions(text)
	for _, m := range all {
		if ctx.Err() != nil {
			break
		}
		if seen[m] {
			continue
		}
		seen[m] = true
		p, ok := named(w, top, m)
		if !ok && m.nameLike() {
			if files == nil {
				files = filesOf(ctx, w, b, all)
			}
			p, ok = uniquely(w, files, m, b)
		}
		if !ok || slices.ContainsFunc(found, func(f Path) bool { return f.Rel == p.Rel }) {
			continue
		}
		if found = append(found, p); len(found) == maxMentioned {
			break
		}
	}
	return found
}

// Named returns the file that a name means as Mentioned finds it: by its path, or by the end of the path of one file
// alone.
func (w *Workspace) Named(ctx context.Context, name string) (Path, bool) {
	m := mention{name: name}
	if p, ok := named(w, topNames(w), m); ok || !m.nameLike() {
		return p, ok
	}
	b := helpBudget()
	return uniquely(w, filesOf(ctx, w, b, []mention{m}), m, b)
}

// mention is a word of a message that may be a file's name.
type mention struct {
	name   string
	quoted bool
}

// mentions returns what may be names, in order.
func mentions(text string) []mention {
	var all []mention
	at := 0
	for _, m := range quoted().FindAllStringSubmatchIndex(text, -1) {
		all = append(all, words(text[at:m[0]])...)
		for group := 2; group < len(m); group += 2 {
			if m[group] < 0 {
				continue
			}
			inside := text[m[group]:m[group+1]]
			if name := trimName(inside); name != "" {
				all = append(all, mention{name: name, quoted: true})
			}
			if strings.ContainsFunc(inside, unicode.IsSpace) { // a quoted sentence, or an apostrophe that opened none
				all = append(all, words(inside)...)
			}
		}
		at = m[1]
	}
	return append(all, words(text[at:])...)
}

func words(text string) []mention {
	var all []mention
	for word := range strings.FieldsSeq(text) {
		if name := trimName(word); name != "" && !strings.Contains(name, "://") {
			all = append(all, mention{name: name})
		}
	}
	return all
}

// trimName takes off what people write around a name.
func trimName(word string) string {
	name := strings.TrimSpace(word)
	name = strings.TrimLeft(name, "@([{<\"'`*“‘,;:")
	name = strings.TrimRight(name, ")]}>\"'`*”’,;:!?.…")
	name = strings.TrimSuffix(name, "'s")
	return position().ReplaceAllString(name, "")
}

// nameLike says whether a mention may be looked up among all files: an ordinary word of prose may not.
func (m mention) nameLike() bool {
	return m.quoted || strings.ContainsAny(m.name, "./_") || strings.ContainsFunc(m.name, unicode.IsUpper)
}

// named finds a file by its path from the root.
func named(w *Workspace, top map[string]bool, m mention) (Path, bool) {
	if strings.Trim(m.name, "./") == "" || !mayExist(w, top, m.name) {
		return Path{}, false
	}
	p, err := w.Resolve(m.name)
	return p, err == nil && p.Exists && !p.Dir && p.Protected == ""
}

// topNames is what is in the root, in one case; nil if that is not known.
func topNames(w *Workspace) map[string]bool {
	folder, err := w.openFolder(".")
	if err != nil {
		return nil
	}
	defer folder.Close() //nolint:errcheck // only read
	found, err := folder.names()
	if err != nil {
		return nil
	}
	top := make(map[string]bool, len(found))
	for _, d := range found {
		top[fold(d.Name())] = true
	}
	return top
}

// mayExist is false, without asking the disk, for most words with which no path from the root begins.
func mayExist(w *Workspace, top map[string]bool, name string) bool {
	if filepath.IsAbs(name) || strings.HasPrefix(name, "/") {
		_, inside := w.inside(name)
		return inside
	}
	for strings.HasPrefix(name, "./") {
		name = strings.TrimLeft(name[1:], "/")
	}
	first, _, _ := strings.Cut(name, "/")
	if top == nil || top[fold(first)] || first == ".." || first == w.Name() {
		return true
	}
	abs := filepath.Join(w.root, filepath.FromSlash(name))
	_, _, open := w.openName(Path{Rel: path.Clean(name), Abs: abs, Asked: abs})
	return open // a new file that was not saved yet
}

// uniquely finds the one file whose path ends with a name, character by character or else in any case. The files are
// those of w.files. Once the budget is spent nothing is found: what was not looked at could be a second one.
func uniquely(w *Workspace, files map[string][]string, m mention, b *budget) (Path, bool) {
	want := "/" + strings.TrimPrefix(strings.TrimPrefix(m.name, "./"), "/")
	ends := func(same func(string) string) []string {
		var matches []string
		for _, f := range files[lastName(want)] {
			if b.spendSuffix() && strings.HasSuffix(same("/"+f), same(want)) {
				matches = append(matches, f)
			}
		}
		return matches
	}
	matches := ends(func(s string) string { return s })
	if len(matches) == 0 && path.Ext(want) != "" { // "Go" in prose is not the file "go"
		matches = ends(strings.ToLower)
	}
	if len(matches) != 1 || b.ends < 0 {
		return Path{}, false
	}
	p, err := w.Resolve(matches[0])
	return p, err == nil
}

// lastName is what is behind the last slash, in one case.
func lastName(name string) string { return strings.ToLower(name[strings.LastIndexByte(name, '/')+1:]) }

// filesOf lists the files that may be meant by some mentions, by their last names: of all, or of the first ones of a
// large workspace.
func filesOf(ctx context.Context, w *Workspace, b *budget, all []mention) map[string][]string {
	files := map[string][]string{}
	for _, m := range all {
		if m.nameLike() {
			files[lastName(m.name)] = nil
		}
	}
	// A walk that was cut short leaves names unfound: the model can still look for them.
	_ = w.walk(ctx, w.rootPath(), b, func(p Path) error {
		if p.Dir || p.Protected != "" {
			return nil
		}
		name := lastName(p.Rel)
		if found, wanted := files[name]; wanted {
			files[name] = append(found, p.Rel)
		}
		return nil
	})
	return files
}
