package attach

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/assent-ls/assent/internal/ranking"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/workspace"
)

const maxCompleted = 50

// Completion is one thing that can be mentioned.
type Completion struct {
	Text   string // what is behind the "@"
	Doc    string // one sentence
	Folder bool   // more can be written behind it
}

// Complete lists what can be mentioned and begins with a prefix, at most 50; more says that there is more. Paths go on
// one folder at a time, and a name without its folder finds the files that are called so.
func (s *Mentioned) Complete(ctx context.Context, prefix string) (list []Completion, more bool) {
	if name, ok := strings.CutPrefix(prefix, symbolPrefix); ok {
		return s.completeSymbol(ctx, name)
	}
	bare := strings.TrimPrefix(prefix, `"`)
	if server, typed, ok := strings.Cut(bare, ":"); ok && s.servers != nil {
		if list, more := s.completeResource(ctx, server, typed); len(list) > 0 {
			return quoted(list, bare != prefix), more
		}
	}
	if bare == prefix {
		list = append(s.completeWords(prefix), s.completeServers(ctx, prefix)...)
	}
	list, more = s.completeFolder(ctx, bare, list)
	if !strings.Contains(bare, "/") && bare != "" && len(list) < maxCompleted {
		list, more = s.completeName(ctx, bare, list)
	}
	return quoted(list, bare != prefix), more
}

// quoted puts in quotation marks what has blanks, or all.
func quoted(list []Completion, all bool) []Completion {
	for i := range list {
		if strings.ContainsAny(list[i].Text, " \t") || all {
			list[i].Text = `"` + list[i].Text + `"`
		}
	}
	return list
}

// completeServers lists the servers that run and have resources.
func (s *Mentioned) completeServers(ctx context.Context, prefix string) (list []Completion) {
	if s.servers == nil || prefix == "" {
		return nil
	}
	for _, name := range s.servers.Running() {
		if hasPrefix(name, prefix) && len(s.servers.Resources(ctx, name)) > 0 {
			list = append(
				list,
				Completion{Text: name + ":", Doc: "Attaches what follows of the server " + name + ".", Folder: true},
			)
		}
	}
	return list
}

// completeResource lists the resources of a server that runs whose address has what was typed.
func (s *Mentioned) completeResource(ctx context.Context, server, typed string) (list []Completion, more bool) {
	for _, r := range s.servers.Resources(ctx, server) {
		if strings.Contains(strings.ToLower(r.URI), strings.ToLower(typed)) {
			list = append(
				list,
				Completion{
					Text: server + ":" + r.URI,
					Doc: fmt.Sprintf(
						"Attaches this resource of the server %s, when the message is sent. The server says: %s",
						server, visible.CodeSpan(r.About),
					),
				},
			)
		}
	}
	return cutList(list)
}

// completeWords lists the mentions that are no paths.
func (s *Mentioned) completeWords(prefix string) (list []Completion) {
	all := []Completion{
		{Text: "diff", Doc: "Attaches what changed since the last commit."},
		{Text: "selection", Doc: "Attaches the lines that were chosen last with **Take these lines as @selection**."},
		{Text: symbolPrefix, Doc: "Attaches the definition of the name that follows."},
		{
			Text: "https://",
			Doc: "Attaches the page of the web at this address, if the setting webFetch is on and you say yes when " +
				"the message is sent.",
		},
	}
	if s.problems != nil {
		all = append(
			all,
			Completion{
				Text: "diagnostics",
				Doc:  "Attaches what the editor's language servers say about the files of the workspace.",
			},
		)
	}
	for _, c := range all {
		if prefix != "" && strings.HasPrefix(c.Text, prefix) {
			list = append(list, c)
		}
	}
	return list
}

// completeSymbol lists the names that are defined in the workspace and begin with a prefix of two characters or more.
func (s *Mentioned) completeSymbol(ctx context.Context, prefix string) (list []Completion, more bool) {
	if !isSymbol(prefix) || len(prefix) < 2 {
		return nil, true
	}
	known := map[string]bool{}
	pattern, lower := ranking.Definitions(
		`(?i:` + regexp.QuoteMeta(prefix) + `)[\pL\pN_$]*`,
	)[0], strings.ToLower(prefix)
	mayHold := func(text string) bool {
		return strings.Contains(text, prefix) || strings.Contains(strings.ToLower(text), lower)
	}
	s.search(ctx, mayHold, maxCompletionBytes, func(p workspace.Path, text string) bool {
		for d := range definitions(p, text, pattern) {
			if !known[d.symbol] && len(list) < maxCompleted {
				known[d.symbol] = true
				list = append(
					list,
					Completion{
						Text: symbolPrefix + d.symbol,
						Doc:  fmt.Sprintf("Attaches its definition (%s, line %d).", p.Rel, d.line),
					},
				)
			}
		}
		return len(list) < maxCompleted
	})
	return list, true
}

// maxCompletionBytes is how much text is searched for names while somebody types.
const maxCompletionBytes = 8 << 20

// completeFolder lists the names in the folder that a prefix leads to.
func (s *Mentioned) completeFolder(ctx context.Context, prefix string, list []Completion) ([]Completion, bool) {
	folder, err := s.workspace.Resolve(prefix[:strings.LastIndexByte(prefix, '/')+1])
	if err != nil || !folder.Dir || folder.Protected != "" {
		return list, false
	}
	// After an error, what was found before it is offered.
	_ = s.workspace.Walk(ctx, folder, func(p workspace.Path) error {
		name := p.Rel
		if p.Dir {
			name += "/"
		}
		if len(list) <= maxCompleted && hasPrefix(name, prefix) && p.Protected == "" {
			list = append(list, completion(name, p.Dir))
		}
		switch {
		case len(list) > maxCompleted:
			return fs.SkipAll
		case p.Dir:
			return fs.SkipDir
		}
		return nil
	})
	return cutList(list)
}

// completeName adds the files in any folder whose name begins with a prefix.
func (s *Mentioned) completeName(ctx context.Context, prefix string, list []Completion) ([]Completion, bool) {
	root, err := s.workspace.Resolve("")
	if err != nil {
		return list, false
	}
	seen := 0
	_ = s.workspace.Walk(ctx, root, func(p workspace.Path) error {
		if seen++; seen > maxSearched || len(list) > maxCompleted {
			return fs.SkipAll
		}
		if !p.Dir && p.Protected == "" && strings.Contains(p.Rel, "/") && hasPrefix(path.Base(p.Rel), prefix) {
			list = append(list, completion(p.Rel, false))
		}
		return nil
	})
	return cutList(list)
}

// maxSearched is how many names are looked at for a file that is named without its folder.
const maxSearched = 20_000

func completion(name string, folder bool) Completion {
	if folder {
		return Completion{Text: name, Doc: "Attaches the list of the files in this folder.", Folder: true}
	}
	return Completion{Text: name, Doc: "Attaches this file. `:10-40` behind it attaches these lines alone."}
}

func cutList(list []Completion) ([]Completion, bool) {
	if len(list) > maxCompleted {
		return list[:maxCompleted], true
	}
	return list, false
}

// hasPrefix compares in any case.
func hasPrefix(name, prefix string) bool {
	return len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
}
