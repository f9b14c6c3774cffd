package workspace

import (
	_ "embed"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/BurntSushi/toml"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/assent-ls/assent/internal/visible"
)

//go:embed protected.toml
var protectedText string

// nameFile is the form of protected.toml.
type nameFile struct {
	Protected []nameGroup
	Templates nameGroup
	Guarded   []nameGroup
	Noted     []nameGroup
}

type nameGroup struct {
	Holds, Does string
	Secret      bool
	Names       []string
}

// names are patterns of names, with what is said about what they fit.
type names struct {
	exact map[string]string    // a whole name
	below map[string][]pattern // several names with slashes between them, by the last one
	stars []pattern            // all whose last name has a star in it
}

type pattern struct {
	parts []part
	says  string
}

// part is one name of a pattern: what is before the star, and after it.
type part struct {
	before, after string
	star          bool
}

// lists are what protected.toml says.
type lists struct {
	protected, secret, templates, guarded, noted names

	askedNames []string // see Asked
}

// builtinLists reads the built-in lists once. They cannot be wrong: a test reads them.
var builtinLists = sync.OnceValue(func() lists {
	var file nameFile
	meta, err := toml.Decode(protectedText, &file)
	if err != nil || len(meta.Undecoded()) > 0 {
		panic(fmt.Sprintf("protected.toml: %v %v", err, meta.Undecoded()))
	}
	l := lists{templates: newNames([]nameGroup{file.Templates})}
	l.protected, l.guarded, l.noted = newNames(file.Protected), newNames(file.Guarded), newNames(file.Noted)
	for _, g := range file.Protected {
		for _, name := range g.Names {
			if !slices.Contains(gitsOwn, name) {
				l.askedNames = append(l.askedNames, name)
			}
		}
	}
	l.secret = newNames(slices.DeleteFunc(file.Protected, func(g nameGroup) bool { return !g.Secret }))
	return l
})

func newNames(groups []nameGroup) names {
	n := names{exact: map[string]string{}, below: map[string][]pattern{}}
	for _, g := range groups {
		for _, name := range g.Names {
			p := pattern{says: g.Holds + g.Does}
			for one := range strings.SplitSeq(name, "/") {
				before, after, star := strings.Cut(one, "*")
				p.parts = append(p.parts, part{before, after, star})
			}
			switch last := p.parts[len(p.parts)-1]; {
			case last.star:
				n.stars = append(n.stars, p)
			case len(p.parts) > 1:
				n.below[last.before] = append(n.below[last.before], p)
			default:
				n.exact[name] = p.says
			}
		}
	}
	return n
}

// match says what is said about the last of some folded names, given those before it.
func (n names) match(folded []string) (says string, ok bool) {
	last := folded[len(folded)-1]
	if says, ok := n.exact[last]; ok {
		return says, true
	}
	for _, patterns := range [][]pattern{n.below[last], n.stars} {
		for i := range patterns {
			if patterns[i].fits(folded) {
				return patterns[i].says, true
			}
		}
	}
	return "", false
}

func (p *pattern) fits(folded []string) bool {
	if len(folded) < len(p.parts) {
		return false
	}
	folded = folded[len(folded)-len(p.parts):]
	for i := len(folded) - 1; i >= 0; i-- {
		if !p.parts[i].fits(folded[i]) {
			return false
		}
	}
	return true
}

func (p *part) fits(name string) bool {
	if !p.star {
		return name == p.before
	}
	return len(name) >= len(p.before)+len(p.after) && strings.HasPrefix(name, p.before) &&
		strings.HasSuffix(name, p.after)
}

// matchPath is match for a slash-separated path.
func (n names) matchPath(rel string) (says string, ok bool) {
	folded := slices.DeleteFunc(strings.Split(FoldPath(rel), "/"), func(name string) bool { return name == "" })
	if len(folded) == 0 {
		return "", false
	}
	return n.match(folded)
}

// foldedNames gives, for each name of a slash-separated path, the folded names up to it.
func foldedNames(rel string) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		var folded []string
		for name := range strings.SplitSeq(rel, "/") {
			if name = fold(name); name == "" {
				continue
			}
			if folded = append(folded, name); !yield(folded) {
				return
			}
		}
	}
}

// FoldPath maps every spelling that some file system takes for the same slash-separated path to one.
func FoldPath(rel string) string {
	names := strings.Split(rel, "/")
	for i, name := range names {
		names[i] = fold(name)
	}
	return strings.Join(names, "/")
}

// fold maps every spelling that some file system takes for the same name to one: case, Unicode forms, characters that
// are ignored, trailing dots and whitespace, and the stream that NTFS takes a colon for.
func fold(name string) string {
	if strings.IndexFunc(name, func(r rune) bool { return r >= 0x80 }) >= 0 {
		name = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) || visible.Hidden(r) {
				return -1
			}
			return r
		}, name)
		name = norm.NFKC.String(cases.Fold().String(norm.NFKC.String(name)))
	}
	name = strings.ToLower(name)
	if at := strings.IndexByte(name, ':'); at > 0 {
		name = name[:at]
	}
	return strings.TrimRight(name, ". ")
}
