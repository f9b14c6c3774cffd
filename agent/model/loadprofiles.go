package model

import (
	_ "embed" // the built-in profiles
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/tools/diskfile"
)

//go:embed profiles.toml
var builtinProfiles []byte

// profileFile is the form of profiles.toml.
type profileFile struct {
	GuidedBelow   float64             `toml:"guided_below"`
	Core          []string            `toml:"core"`
	KnownFormats  []string            `toml:"known_formats"`
	KnownThinking []string            `toml:"known_thinking"`
	Marks         map[string][]string `toml:"marks"`
	Formats       []DeclaredFormat    `toml:"format"`
	Rows          []toml.Primitive    `toml:"profile"`

	profiles []Profile // of the rows
}

// LoadProfiles reads the built-in profiles and puts each of extra, which has the same form, over what came before. An
// error says which of extra it was ("profiles 1") and the line. It takes some milliseconds, so it is not called before
// initialize is answered.
func LoadProfiles(extra ...[]byte) (*Profiles, error) {
	sources := make([]profileSource, 0, len(extra))
	for i, data := range extra {
		sources = append(sources, profileSource{fmt.Sprintf("profiles %d", i+1), data})
	}
	return loadProfiles(sources)
}

const maxProfiles = 1 << 20 // bytes of a file

// LoadProfileFiles is [LoadProfiles] for files; an error names file and line. A file that does not exist counts as
// empty.
func LoadProfileFiles(files ...string) (*Profiles, error) {
	var sources []profileSource
	for _, file := range files {
		data, err := diskfile.ReadSmall(file, maxProfiles)
		if err != nil {
			return nil, fmt.Errorf("model profiles: %w", err)
		}
		sources = append(sources, profileSource{file, data})
	}
	return loadProfiles(sources)
}

// profileSource is one file of profiles.
type profileSource struct {
	name string
	data []byte
}

func loadProfiles(extra []profileSource) (*Profiles, error) {
	p := &Profiles{marks: map[string][]string{}}
	var known profileFile // the lists of known names are the built-in file's
	var declared []string // which a file before may name already
	for _, source := range extra {
		if file, err := source.read(); err == nil { // else it is told below
			for _, d := range file.Formats {
				declared = append(declared, d.Name)
			}
		}
	}
	for i, source := range append([]profileSource{{builtinName, builtinProfiles}}, extra...) {
		file, err := source.content()
		if err != nil {
			return nil, err
		}
		if i == 0 {
			known = file
			known.KnownFormats = slices.Concat(known.KnownFormats, declared)
		}
		if err := p.declare(source, file.Formats); err != nil {
			return nil, err
		}
		maps.Copy(p.marks, file.Marks)
		known.Marks = p.marks
		for _, row := range file.profiles {
			if problem := row.problem(known); problem != "" {
				return nil, source.fail(row.Name, fmt.Sprintf("profile %q: %s", row.Name, problem))
			}
		}
		if problem := coreProblem(file.Core); problem != "" {
			return nil, source.failAt(source.lineOf("core"), problem)
		}
		if file.Core != nil {
			p.core = file.Core
		}
		if file.GuidedBelow > 0 {
			p.guidedBelow = file.GuidedBelow
		}
		p.put(file.profiles)
	}
	return p, nil
}

// put replaces the rows whose names are known and places the others before all that came earlier.
func (p *Profiles) put(rows []Profile) {
	var fresh []Profile
	for _, row := range rows {
		at := slices.IndexFunc(p.rows, func(old Profile) bool { return old.Name == row.Name })
		switch {
		case row.Name == "unknown":
			p.unknown = row
		case at >= 0:
			p.rows[at] = row
		default:
			fresh = append(fresh, row)
		}
	}
	p.rows = append(fresh, p.rows...)
}

// formerKeys are in files that earlier versions wrote; nothing ever acted on them.
var formerKeys = []string{"keep_thinking", "switch", "system", "tools_in", "max_tools"}

// content is what read gives; the built-in file is read once, since it cannot change, and nothing writes into its rows.
func (s profileSource) content() (profileFile, error) {
	if s.name == builtinName {
		return ownProfiles()
	}
	return s.read()
}

const builtinName = "built-in profiles"

var ownProfiles = sync.OnceValues(profileSource{builtinName, builtinProfiles}.read)

// read decodes a file; unknown keys are errors, because they are mostly typing errors.
func (s profileSource) read() (file profileFile, err error) {
	meta, err := toml.Decode(string(s.data), &file)
	if err != nil {
		return file, s.decodeError(err)
	}
	for _, raw := range file.Rows {
		read := struct {
			Profile
			Guided bool `toml:"guided"` // what earlier versions wrote for a constraint
		}{Profile{Constraint: Constrainable, Thinking: "none"}, true}
		if err := meta.PrimitiveDecode(raw, &read); err != nil {
			return file, s.decodeError(err)
		}
		row := read.Profile
		if !read.Guided {
			row.Constraint = Unconstrained
		}
		if slices.ContainsFunc(file.profiles, func(r Profile) bool { return r.Name == row.Name }) {
			return file, s.fail(row.Name, fmt.Sprintf("two profiles are called %q", row.Name))
		}
		file.profiles = append(file.profiles, row)
	}
	for _, unknown := range meta.Undecoded() {
		if key := unknown[len(unknown)-1]; !slices.Contains(formerKeys, key) {
			return file, s.failAt(s.lineOf(key), fmt.Sprintf("unknown key %q", key))
		}
	}
	return file, nil
}

// problem says what is wrong with a row; empty: nothing.
func (p *Profile) problem(known profileFile) string {
	if p.Name == "" {
		return "it needs a name"
	}
	if len(p.Names)+len(p.Families)+len(p.Parsers)+len(p.Template) == 0 && p.Name != "unknown" {
		return "it needs names, families, parsers or template, else it can never apply"
	}
	if len(p.Formats) == 0 {
		return "it needs formats"
	}
	for _, f := range p.Formats {
		if !slices.Contains(known.KnownFormats, f) {
			return fmt.Sprintf("unknown format %q; known are %s", f, strings.Join(known.KnownFormats, ", "))
		}
	}
	if !slices.Contains(known.KnownThinking, p.Thinking) {
		return fmt.Sprintf("unknown thinking %q; known are %s", p.Thinking, strings.Join(known.KnownThinking, ", "))
	}
	if _, ok := known.Marks[p.Marks]; p.Marks != "" && !ok {
		return fmt.Sprintf(
			"there are no marks %q; there are %s", p.Marks, strings.Join(slices.Sorted(maps.Keys(known.Marks)), ", "),
		)
	}
	if p.System != "" && p.System != "user" {
		return fmt.Sprintf(`system may only be "user", not %q`, p.System)
	}
	if p.Fence != "" && !slices.Contains(Fences(), p.Fence) {
		return fmt.Sprintf("fence may only be one of %s, not %q", strings.Join(Fences(), ", "), p.Fence)
	}
	if p.Constraint != Constrainable && p.Constraint != Unconstrained {
		return fmt.Sprintf(`constraint may only be "allowed" or "never", not %q`, p.Constraint)
	}
	if p.Constraint == Unconstrained && slices.Contains(p.Formats, "guided") {
		return `constraint is "never", but formats has "guided"`
	}
	if problem := coreProblem(p.Core); problem != "" {
		return problem
	}
	for _, pattern := range slices.Concat(p.Names, p.Families) {
		if _, err := path.Match(pattern, ""); err != nil || strings.ToLower(pattern) != pattern {
			return fmt.Sprintf("%q is not a pattern in lower case", pattern)
		}
	}
	return ""
}

// maxCore is the most tools of a core beside tool_search: models choose worse among more.
const maxCore = 9

// coreProblem says what is wrong with a core; empty: nothing.
func coreProblem(core []string) string {
	if len(core) > maxCore {
		return fmt.Sprintf("core names %d tools; %d are the most, tool_search finds the others", len(core), maxCore)
	}
	return ""
}

// typeError matches the decoder's errors about types, which give the line only in their text.
var typeError = lazyregexp.New(`^toml: line (\d+) \(last key "(?:profile\.)?([^"]*)"\): (.*)`)

func (s profileSource) decodeError(err error) error {
	if parse := (toml.ParseError{}); errors.As(err, &parse) {
		return s.failAt(parse.Position.Line, parse.Message)
	}
	if m := typeError().FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("%s:%s: %s: %s", s.name, m[1], m[2], m[3])
	}
	return fmt.Errorf("%s: %w", s.name, err)
}

// fail makes an error at the last line that gives a profile this name.
func (s profileSource) fail(name, problem string) error {
	return s.failAt(s.lineOf("name", name), problem)
}

func (s profileSource) failAt(line int, problem string) error {
	return fmt.Errorf("%s:%d: %s", s.name, line, problem)
}

// lineOf finds the last line that sets a key, to a value in quotes if one is given; 1 if there is none. (The decoder
// gives lines only of its own errors.)
func (s profileSource) lineOf(key string, value ...string) int {
	found := 1
	number := 0
	for line := range strings.SplitSeq(string(s.data), "\n") {
		number++
		left, right, ok := strings.Cut(line, "=")
		if ok && strings.TrimSpace(left) == key &&
			(len(value) == 0 || strings.Contains(right, fmt.Sprintf("%q", value[0]))) {
			found = number
		}
	}
	return found
}
