package model

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Profile is what Assent knows of a family of models. It is data: see profiles.toml, which documents each field.
type Profile struct {
	Name     string   `toml:"name"`
	Names    []string `toml:"names"`
	Families []string `toml:"families"`
	ByFamily bool     `toml:"by_family"`
	Parsers  []string `toml:"parsers"`
	Template []string `toml:"template"`

	// Formats are names of tool-call formats: the first is used, the others are accepted, too. Never empty.
	Formats         []string   `toml:"formats"`
	Constraint      Constraint `toml:"constraint"`
	NativeWhenSmall bool       `toml:"native_when_small"`

	Thinking string `toml:"thinking"` // format of thinking, or "none"
	Opened   bool   `toml:"opened"`
	// the set of control marks of the family, besides those of all; empty: none
	Marks string `toml:"marks,omitempty"`
	// Family is what prompts call the family; empty: Name.
	Family string `toml:"family,omitempty"`
	// System says where the system prompt goes: empty for a message of its own, "user" for the start of the first user
	// turn.
	System string `toml:"system,omitempty"`
	// Rereads says that the family's chat template writes an answer in another way once a new question follows, so that
	// the server reads it again.
	Rereads bool `toml:"rereads,omitempty"`
	// Code says that the family does better when it writes programs: where they run, it is told of tools as functions.
	Code bool `toml:"code,omitempty"`
	// Fence is the info word of the fence in which the family writes programs, of Fences; empty: the first of them.
	Fence string `toml:"fence,omitempty"`
	// Core names the tools that the model is told of from the beginning; nil: see CoreOf.
	Core []string `toml:"core,omitempty"`

	Sampling `toml:"sampling"`
}

// Fences are the info words of fences that hold programs.
func Fences() []string { return []string{"tool_code", "python"} }

// Constraint says whether a server may hold replies of a family to a schema, for which thinking must be off. It does
// not say that a model is guided: a guided model is one whose first format is "guided".
type Constraint string

// The constraints.
const (
	Constrainable Constraint = "allowed"
	Unconstrained Constraint = "never"
)

// FamilyName is what prompts call the family.
func (p Profile) FamilyName() string { return cmp.Or(p.Family, p.Name) }

// Thinks reports whether the family is known to think.
func (p Profile) Thinks() bool { return p.Thinking != "none" }

// Profiles is a list of profiles in which a model is looked up. It is immutable and may be used concurrently.
type Profiles struct {
	rows        []Profile // from special to general
	unknown     Profile
	guidedBelow float64  // billions of parameters
	core        []string // of rows that name none
	marks       map[string][]string
	declared    []DeclaredFormat // by the user's files
}

// All lists the profiles, from special to general; the one for unknown models is last.
func (p *Profiles) All() []Profile { return append(slices.Clone(p.rows), p.unknown) }

// For gives the profile of a model, with its formats adapted to what the server can do with it, and says what matched
// and what was adapted. It never fails: there is a profile for unknown models.
func (p *Profiles) For(info Info) (Profile, string) {
	found, known := p.match(info)
	profile, why := found.profile, found.why
	if !known {
		profile, why = p.unknown, "nothing known matches it"
	}
	if info.Unconstrained {
		profile.Constraint = Unconstrained
		profile.Formats = slices.DeleteFunc(slices.Clone(profile.Formats), func(f string) bool { return f == "guided" })
		why += "; the server holds no reply to a schema"
	}
	var adapted string
	if profile.Formats, adapted = p.adapt(profile, info, known); adapted != "" {
		why += "; " + adapted
	}
	return profile, why
}

// CoreOf names the tools that models of a profile are told of from the beginning; others they have to find.
func (p *Profiles) CoreOf(profile Profile) []string {
	if profile.Core != nil {
		return profile.Core
	}
	return p.core
}

// match is one row that applies to a model.
type match struct {
	profile     Profile
	why         string
	specificity int // characters that the name pattern that matched fixes
}

// match finds the row for a model, in the order of evidence that profiles.toml documents.
func (p *Profiles) match(info Info) (match, bool) {
	var both, strong, named, family, witnesses []match
	for _, row := range p.rows {
		byName, pattern := row.matchName(info.Name)
		evidence, isStrong := row.evidence(info)
		if isStrong {
			witnesses = append(witnesses, match{row, evidence, 0})
		}
		switch {
		case byName && evidence != "":
			both = append(both, match{row, fmt.Sprintf("name %s and %s", pattern, evidence), fixedLength(pattern)})
		case isStrong:
			strong = append(strong, match{row, evidence + " alone", 0})
		case byName:
			named = append(named, match{row, fmt.Sprintf("name %s alone", pattern), fixedLength(pattern)})
		case evidence != "" && row.ByFamily:
			family = append(family, match{row, evidence + " alone", 0})
		}
	}
	// A template or parser of another row that speaks the same format confirms a name as well as the row's own would.
	for _, m := range named {
		if i := slices.IndexFunc(witnesses, func(w match) bool { return sharesFormat(m.profile, w.profile) }); i >= 0 {
			m.why = fmt.Sprintf("%s, confirmed by %s", strings.TrimSuffix(m.why, " alone"), witnesses[i].why)
			both = append(both, m)
		}
	}
	for _, matches := range [][]match{both, strong, named, family} {
		if len(matches) > 0 {
			return mostSpecific(matches), true
		}
	}
	return match{}, false
}

// sharesFormat reports whether two rows have a tool-call format in common that says something of the family.
func sharesFormat(a, b Profile) bool {
	return slices.ContainsFunc(a.Formats, func(f string) bool {
		return slices.Contains(b.Formats, f) && !slices.Contains([]string{"native", "guided", "text", "fenced-json"}, f)
	})
}

// mostSpecific takes the longest pattern, and of equals the first.
func mostSpecific(matches []match) match {
	slices.SortStableFunc(matches, func(a, b match) int { return cmp.Compare(b.specificity, a.specificity) })
	return matches[0]
}

// matchName reports whether a pattern matches a model's name, and which: the longest.
func (p *Profile) matchName(name string) (ok bool, pattern string) {
	name = BareName(name)
	for _, candidate := range p.Names {
		if hit, err := path.Match(candidate, name); err == nil && hit &&
			(!ok || fixedLength(candidate) > fixedLength(pattern)) {
			ok, pattern = true, candidate
		}
	}
	return ok, pattern
}

// evidence says what of the server's knowledge points to this row; strong is anything but the family.
func (p *Profile) evidence(info Info) (what string, strong bool) {
	if info.Parser != "" && slices.Contains(p.Parsers, info.Parser) {
		return "parser " + info.Parser, true
	}
	if p.marksIn(info.Template) {
		return fmt.Sprintf("template with %q", p.Template[0]), true
	}
	for _, f := range p.Families {
		if hit, err := path.Match(f, strings.ToLower(info.Family)); err == nil && hit && info.Family != "" {
			return "family " + info.Family, false
		}
	}
	return "", false
}

func (p *Profile) marksIn(template string) bool {
	return len(p.Template) > 0 &&
		!slices.ContainsFunc(p.Template, func(mark string) bool { return !strings.Contains(template, mark) })
}

// adapt orders the formats of a row for one model: nothing native without the server's help, and guided first for who
// cannot call by itself.
func (p *Profiles) adapt(profile Profile, info Info, known bool) (formats []string, why string) {
	formats = slices.Clone(profile.Formats)
	noTools := len(info.Capabilities) > 0 && !info.Can("tools")
	if noTools {
		formats = slices.DeleteFunc(formats, func(f string) bool { return f == "native" })
		why = "the server offers no tools for it"
	}
	size := billions(info)
	thinks := profile.Thinks() || info.Can("thinking")
	switch {
	case profile.Constraint != Constrainable || slices.Contains(profile.Formats, "guided"):
		return nonEmpty(formats), why
	case noTools:
	case !known && !thinks:
		why = "not known, so guided"
	case size > 0 && size < p.guidedBelow && !thinks && !profile.NativeWhenSmall:
		why = fmt.Sprintf("below %gB parameters, so guided", p.guidedBelow)
	default:
		return nonEmpty(formats), why
	}
	return append([]string{"guided"}, formats...), why
}

// nonEmpty keeps the promise that there is a format: text works with any model.
func nonEmpty(formats []string) []string {
	if len(formats) == 0 {
		return []string{"text"}
	}
	return formats
}

// BareName is the name by which profiles know a model: it strips what says nothing of the family: registry, owner, and
// the packaging suffix.
func BareName(name string) string {
	name = strings.ToLower(name)
	name = name[strings.LastIndexByte(name, '/')+1:]
	base, tag, tagged := strings.Cut(name, ":")
	base = strings.TrimSuffix(base, "-gguf")
	if tagged {
		return base + ":" + tag
	}
	return base
}

// fixedLength is how many characters of a name a pattern fixes.
func fixedLength(pattern string) int { return len(pattern) - strings.Count(pattern, "*") }
