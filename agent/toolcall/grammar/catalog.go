package grammar

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// catalog is the list of offered tools, ready to look up what a model wrote.
type catalog struct {
	tools []*offered
	Open  bool // any plain name counts as offered
}

// offered is one tool with its schema.
type offered struct {
	model.Tool
	read *values.Schema
}

// Schema reads the tool's parameters when they are first needed.
func (o *offered) Schema() *values.Schema {
	if o.read == nil {
		o.read = values.ReadSchema(o.Parameters)
	}
	return o.read
}

func newCatalog(tools []model.Tool) *catalog {
	c := &catalog{tools: make([]*offered, len(tools))}
	for i, t := range tools {
		c.tools[i] = &offered{Tool: t}
	}
	return c
}

// Exact finds a tool by its very name; of two the last one counts. They are few: a map would take longer to make.
func (c *catalog) Exact(name string) *offered {
	for _, o := range slices.Backward(c.tools) {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// unfolded finds a tool by letters and digits alone, if that is unique.
func (c *catalog) unfolded(name string) *offered {
	var found *offered
	folded := FoldName(name)
	for _, o := range c.tools {
		if FoldName(o.Name) == folded {
			if found != nil {
				return nil
			}
			found = o
		}
	}
	return found
}

// Resolve finds the tool that a model meant: exact name, without a namespace before it, without an index after it,
// without leaked marker text, and last by letters and digits alone if that is unique. It gives nil for an unknown tool.
func (c *catalog) Resolve(name string) *offered {
	name = strings.TrimSpace(name)
	if t := c.Exact(name); t != nil {
		return t
	}
	for _, step := range []func(string) string{dropLeak, dropIndex, dropNamespace} {
		name = step(name)
		if t := c.Exact(name); t != nil {
			return t
		}
	}
	if c.Open && PlainName.MatchString(name) {
		return &offered{Tool: model.Tool{Name: name}, read: &values.Schema{}}
	}
	return c.unfolded(name)
}

// dropLeak cuts marker text that leaked into a name ("read<|channel|>commentary").
func dropLeak(name string) string {
	name, _, _ = strings.Cut(name, "<|")
	return strings.TrimSpace(name)
}

// dropIndex cuts the running number that some families write after a name ("functions.read:0").
func dropIndex(name string) string {
	head, tail, found := strings.Cut(name, ":")
	if !found || tail == "" || strings.Trim(tail, "0123456789") != "" {
		return name
	}
	return head
}

// dropNamespace cuts what is before the last dot ("functions.read").
func dropNamespace(name string) string {
	return name[strings.LastIndexByte(name, '.')+1:]
}

// FoldName is a name by its letters and digits alone, in lower case.
func FoldName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// near gives up to three offered names that are most like a wrong one, the nearest first.
func (c *catalog) near(name string) []string {
	const limit = 64 // bytes of a name that count: comparing takes their product
	wrong := FoldName(name)
	wrong = wrong[:min(limit, len(wrong))]
	distance := map[string]int{}
	var names []string
	for _, t := range c.tools {
		distance[t.Name] = levenshtein.ComputeDistance(wrong, FoldName(t.Name))
		names = append(names, t.Name)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(distance[a], distance[b]) })
	return names[:min(3, len(names))]
}

// Begins reports whether text may become the name of an offered tool.
func (c *catalog) Begins(text string) bool {
	text = dropNamespace(text)
	for _, t := range c.tools {
		if strings.HasPrefix(t.Name, text) {
			return true
		}
	}
	return strings.HasPrefix("functions", text) || c.Open && PlainName.MatchString(text)
}

// PlainName is how names of tools are mostly spelt.
var PlainName = regexp.MustCompile(`^[A-Za-z_][\w.\-]*$`)
