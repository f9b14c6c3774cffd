package toolcall

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/assent-ls/assent/agent/model"
)

// catalog is the list of offered tools, ready to look up what a model wrote.
type catalog struct {
	tools  []*offered
	folded map[string]*offered // when first needed; nil value: ambiguous
	open   bool                // any plain name counts as offered
}

// offered is one tool with its schema.
type offered struct {
	model.Tool
	known *schemas
	read  *schema
}

// schema reads the tool's parameters when they are first needed.
func (o *offered) schema() *schema {
	if o.read == nil {
		o.read = o.known.of(o.Parameters)
	}
	return o.read
}

func newCatalog(tools []model.Tool, known *schemas) *catalog {
	c := &catalog{tools: make([]*offered, len(tools))}
	all := make([]offered, len(tools))
	for i, t := range tools {
		all[i].Tool, all[i].known = t, known
		c.tools[i] = &all[i]
	}
	return c
}

// exact finds a tool by its very name; of two the last one counts. They are few: a map would take longer to make.
func (c *catalog) exact(name string) *offered {
	for _, o := range slices.Backward(c.tools) {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// unfolded finds a tool by letters and digits alone, if that is unique.
func (c *catalog) unfolded(name string) *offered {
	if c.folded != nil {
		return c.folded[foldName(name)]
	}
	c.folded = make(map[string]*offered, len(c.tools))
	for _, o := range c.tools {
		key := foldName(o.Name)
		if _, taken := c.folded[key]; taken {
			c.folded[key] = nil
		} else {
			c.folded[key] = o
		}
	}
	return c.folded[foldName(name)]
}

// resolve finds the tool that a model meant: exact name, without a namespace before it, without an index after it, without
// leaked marker text, and last by letters and digits alone if that is unique. It gives nil for an unknown tool.
func (c *catalog) resolve(name string) *offered {
	name = strings.TrimSpace(name)
	if t := c.exact(name); t != nil {
		return t
	}
	for _, step := range []func(string) string{dropLeak, dropIndex, dropNamespace} {
		name = step(name)
		if t := c.exact(name); t != nil {
			return t
		}
	}
	if c.open && plainName.MatchString(name) {
		return &offered{Tool: model.Tool{Name: name}, read: &schema{}}
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

// dropNamespace cuts what stands before the last dot ("functions.read").
func dropNamespace(name string) string {
	return name[strings.LastIndexByte(name, '.')+1:]
}

func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// near gives up to three offered names that are most like a wrong one, the nearest first.
func (c *catalog) near(name string) []string {
	type scored struct {
		name     string
		distance int
	}
	wrong := foldName(name)
	all := make([]scored, 0, len(c.tools))
	for _, t := range c.tools {
		all = append(all, scored{t.Name, distance(wrong, foldName(t.Name))})
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(a.distance, b.distance) })
	var names []string
	for _, s := range all[:min(3, len(all))] {
		names = append(names, s.name)
	}
	return names
}

// distance is the Levenshtein distance of two short names; long ones are cut, since a name is never long.
func distance(a, b string) int {
	const limit = 64
	a, b = a[:min(limit, len(a))], b[:min(limit, len(b))]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
