package settings

import (
	"net/url"
	"slices"
)

// Stated is the value that one source gives a setting.
type Stated struct {
	Source Source
	Set    bool   // whether it says anything; what an editor sends that equals the default says nothing
	Value  any    // of the field's type; nil: not set
	Note   string // why it does not count, in words; empty: it counts where no stronger source does
}

// Effect is a setting as it is in force, and why.
type Effect struct {
	Field

	Value   any      // nil: not set
	From    Source   // the strongest that counts
	Sources []Stated // those that may set it, the strongest first, and then those that may not and do
}

// Overrides lists what else says something of the setting that the value in force does not come from.
func (e Effect) Overrides() []Stated {
	return slices.DeleteFunc(slices.Clone(e.Sources), func(s Stated) bool { return !s.Set || s.Source == e.From })
}

// Explain says for each setting, in the order of [Groups], what is in force in a workspace folder (empty: in none), and
// what each source says. chat has what the front matter of a chat says, by the name of the setting, each of the field's
// type; nil: no chat is meant.
func (s *Store) Explain(folder string, chat map[string]any) []Effect {
	s.mu.Lock()
	defer s.mu.Unlock()
	merged := s.merged()
	in, problems := tighten(merged, s.workspaces[folder], s.layers[Flags])
	refused := map[string]string{}
	for _, p := range problems {
		refused[p.Key] = p.Reason
	}
	var all []Effect
	for _, g := range Groups() {
		for _, f := range g.In() {
			e := Effect{Field: f, From: BuiltIn, Value: f.get(in), Sources: s.stated(f, folder, chat)}
			e.decide(f.get(merged), refused[f.Name])
			all = append(all, e)
		}
	}
	return all
}

// stated are the values that the sources give a setting; mu is held.
func (s *Store) stated(f Field, folder string, chat map[string]any) []Stated {
	var all []Stated
	precedence := f.Precedence()
	for _, source := range precedence {
		st := Stated{Source: source}
		switch source {
		case BuiltIn:
			st.Value, st.Set = f.Default, true
		case Chat:
			st.Value, st.Set = chat[f.Name]
		case Workspace:
			st.Value, st.Set = s.workspaces[folder][f.Name]
		default:
			st.Value, st.Set = s.said(source, f)
		}
		all = append(all, st)
	}
	if value, set := s.workspaces[folder][f.Name]; set && !slices.Contains(precedence, Workspace) {
		all = append(all, Stated{Source: Workspace, Set: true, Value: value})
	}
	return all
}

// decide finds the strongest source that counts. base is the value without the workspace and the chat; refused is why
// that of the workspace does not count, or not all of it.
func (e *Effect) decide(base any, refused string) {
	decided := false
	for i := range e.Sources {
		st := &e.Sources[i]
		if !st.Set {
			continue
		}
		value, counts := st.Value, true
		switch {
		case st.Source == Workspace:
			st.Note = refused
			value = e.Value
			counts = e.Scope == Any || e.Scope == Fewer && e.Kind == List ||
				refused == "" && (e.Scope != More || value != base)
		case st.Source == Chat && e.Rule == Narrows:
			if value, counts = e.narrowed(e.Value, st.Value); !counts {
				st.Note = "a chat can only ask for less"
			}
		}
		if counts && !decided {
			decided, e.Value, e.From = true, value, st.Source
		}
	}
}

// narrowed is a value with what a chat asks for, if that is less.
func (f Field) narrowed(now, asked any) (value any, ok bool) {
	if names, isList := asked.(Names); isList {
		if only, limited := now.(Names); limited {
			names, _ = names.within(only)
		}
		return names, true
	}
	modes := []any{"plan", "ask", "edits", "full"} // from the least
	return asked, slices.Index(modes, asked) < slices.Index(modes, now)
}

// Nothing says for people that a value is not set, or empty; empty: there is one.
func Nothing(value any) string {
	switch value {
	case nil:
		return "not set"
	case "", Names(""), Renames(""):
		return "empty"
	}
	return ""
}

// NeedRestart lists the settings that differ and that a server reads only when it starts.
func NeedRestart(before, now Settings) (names []string) {
	for _, f := range fields() {
		if f.Restart && f.get(before) != f.get(now) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Shown is a value as people may see it: an address without its password. It is of the same type.
func Shown(value any) any {
	text, ok := value.(string)
	if !ok {
		return value
	}
	if u, err := url.Parse(text); err == nil && u.User != nil {
		return u.Redacted()
	}
	return value
}

// Named finds a setting by its name, or by its flag with or without dashes.
func Named(name string) (Field, bool) {
	for _, f := range fields() {
		if f.Name == name || f.Flag != "" && (name == f.Flag || name == "--"+f.Flag) {
			return f, true
		}
	}
	return Field{}, false
}
