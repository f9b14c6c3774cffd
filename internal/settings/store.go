package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/tools/diskfile"
)

// Problem is something in a source that was not used.
type Problem struct {
	jsonc.Range // in the text of the source

	Source Source
	Key    string // empty: the whole source
	Reason string
}

// String is one sentence for the user.
func (p Problem) String() string {
	if p.Key == "" {
		return fmt.Sprintf("In %s: %s.", p.Source, p.Reason)
	}
	return fmt.Sprintf("In %s, %s: %s.", p.Source, p.Key, p.Reason)
}

// layer has the values of one source, by name of the setting.
type layer map[string]any

// Store merges the sources. What cannot be used is reported, and the last good value of that source stays. It is safe
// for concurrent use; the zero value holds the defaults.
type Store struct {
	mu         sync.Mutex // guards the fields below
	layers     [Workspace]layer
	workspaces map[string]layer // by folder
	marked     []string         // the flags of this launch that LaunchMark marks
}

// Set replaces the settings of a source by an object of JSON, with or without comments; empty input, null and {} set
// nothing. For the workspace see SetWorkspace.
func (s *Store) Set(source Source, raw []byte) []Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	var problems []Problem
	s.layers[source], problems = decode(source, raw, s.layers[source])
	return problems
}

// SetWorkspace replaces the settings of a workspace folder by the JSON object of its settings file.
func (s *Store) SetWorkspace(folder string, raw []byte) []Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	next, problems := decode(Workspace, raw, s.workspaces[folder])
	if s.workspaces == nil {
		s.workspaces = make(map[string]layer)
	}
	s.workspaces[folder] = next
	_, refused := tighten(s.merged(), next, s.layers[Flags])
	return append(problems, refused...)
}

// SetEnvironment sets what the environment variables say. Only texts have one.
func (s *Store) SetEnvironment(getenv func(string) string) {
	said := layer{}
	for _, f := range fields() {
		if f.Env == "" {
			continue
		}
		if text := getenv(f.Env); text != "" {
			said[f.Name] = text
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.layers[Environment] = said
}

// Get returns the settings outside of any workspace.
func (s *Store) Get() Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.merged()
}

// In returns the settings in a workspace folder.
func (s *Store) In(folder string) Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	tightened, _ := tighten(s.merged(), s.workspaces[folder], s.layers[Flags])
	return tightened
}

// Models are those that the user named, empty if none: on the command line, and in their own settings file. What an
// editor sends may come from a workspace's file, so it does not count.
func (s *Store) Models() (flag, file string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	flag, _ = s.layers[Flags]["model"].(string)
	file, _ = s.layers[UserFile]["model"].(string)
	return flag, file
}

// ByFlag reports whether a setting was given on the command line.
func (s *Store) ByFlag(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, given := s.layers[Flags][name]
	return given
}

// merged returns the settings without a workspace; mu is held.
func (s *Store) merged() Settings {
	out := Defaults()
	for source := range s.layers {
		for _, f := range fields() {
			if value, set := s.said(Source(source), f); set {
				f.put(&out, value)
			}
		}
	}
	return out
}

// said is the value that a source gives a setting; mu is held. VS Code sends the default of everything that its user
// did not set: that must not hide the user's file.
func (s *Store) said(source Source, f Field) (value any, set bool) {
	value, set = s.layers[source][f.Name]
	return value, set && (!source.isEditor() || value != f.Default)
}

// tighten applies the settings that a workspace may set, and reports the others.
func tighten(s Settings, l, flags layer) (Settings, []Problem) {
	var problems []Problem
	for _, f := range fields() {
		value, ok := l[f.Name]
		if !ok {
			continue
		}
		refuse := func(reason string) {
			problems = append(problems, Problem{Source: Workspace, Key: f.Name, Reason: reason})
		}
		switch f.Scope {
		case Any:
			if _, flagged := flags[f.Name]; !flagged {
				f.put(&s, value)
			}
		case Less:
			if now := f.get(s); less(now, value) {
				refuse(fmt.Sprintf("a workspace may only lower it from %v, not raise it to %v", now, value))
			} else {
				f.put(&s, value)
			}
		case More:
			f.put(&s, f.get(s).(Names).with(value.(Names)))
		case Fewer:
			kept, problem := fewer(f.get(s), value)
			if problem != "" {
				refuse(problem)
			}
			f.put(&s, kept)
		case User, Own, Extension:
			refuse("a workspace may not set it; put it into your own settings")
		}
	}
	return s, problems
}

// fewer is what a workspace leaves of a list or a switch, and why not more of what it says; empty: that is all of it.
func fewer(now, said any) (kept any, problem string) {
	names, isList := said.(Names)
	limit, limited := now.(Names)
	switch {
	case !isList && less(now, said):
		return now, "a workspace may only switch it off"
	case !isList || !limited:
		return said, ""
	}
	inside, others := names.within(limit)
	if others != "" {
		problem = "a workspace may only take away from it, and your own list is without " +
			strings.Join(others.All(), ", ")
	}
	return inside, problem
}

// Check says what of a settings file would not be used, and changes nothing: of the workspace's folder, or, if that is
// empty, of the user's.
func (s *Store) Check(folder string, raw []byte) []Problem {
	if folder == "" {
		_, problems := decode(UserFile, raw, nil)
		return problems
	}
	next, problems := decode(Workspace, raw, nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	_, refused := tighten(s.merged(), next, s.layers[Flags])
	if root, err := jsonc.Parse(raw); err == nil { // else nothing is refused
		for i, p := range refused {
			m, _ := root.Member(p.Key)
			refused[i].Range = m.Range
		}
	}
	return append(problems, refused...)
}

// decode reads the object of a source, JSON with comments. A wrong value is reported, and the setting keeps its last
// good value.
func decode(source Source, raw []byte, last layer) (layer, []Problem) {
	if len(raw) == 0 {
		return nil, nil
	}
	root, err := jsonc.Parse(raw)
	if wrong, ok := errors.AsType[*jsonc.Error](err); ok {
		reason := fmt.Sprintf("%s: %s; the last good settings stay", jsonc.Place(raw, wrong.Offset), wrong.Reason)
		return last, []Problem{{jsonc.Range{Offset: wrong.Offset, Length: wrong.Length}, source, "", reason}}
	}
	if root.Kind != jsonc.Object {
		if string(root.Raw) == "null" {
			return nil, nil
		}
		return last, []Problem{
			{root.Range, source, "", "this is not a JSON object, so the last good settings stay"},
		}
	}
	var problems []Problem
	next := layer{}
	byName := make(map[string]Field)
	for _, f := range fields() {
		byName[f.Name] = f
	}
	for _, member := range root.Members {
		key := member.Key
		say := func(at jsonc.Range, reason string) {
			problems = append(problems, Problem{at, source, key, reason})
		}
		f, known := byName[key]
		if !known {
			say(member.Range, "there is no such setting"+meant(key))
			continue
		}
		value, err := f.Decode(member.Value.Raw)
		switch {
		case !f.Scope.ofEditors() && source.isEditor():
			// An editor also sends the default of what its user did not set.
			if err != nil || value != nil && value != f.Default {
				say(
					member.Value.Range, "an editor's settings may come from a workspace, so it is not taken from them; "+
						"put it into your own settings file",
				)
			}
		case err != nil:
			say(member.Value.Range, err.Error())
			if old, ok := last[key]; ok {
				next[key] = old
			}
		case value != nil:
			next[key] = value
		}
	}
	return next, problems
}

// Section finds the settings of Assent in what an editor sends: under "assent", or the object itself.
func Section(raw []byte) []byte {
	var wrapped struct {
		Assent json.RawMessage `json:"assent"`
	}
	if err := json.Unmarshal(raw, &wrapped); err == nil && wrapped.Assent != nil {
		return wrapped.Assent
	}
	return raw
}

// maxFile is far above any settings file, in bytes.
const maxFile = 1 << 20

// Read reads a settings file; a missing one is empty. What is not a regular file is an error: a workspace may
// hold a link to a pipe, or to the server's own input.
func Read(path string) ([]byte, error) {
	raw, err := diskfile.ReadSmall(path, maxFile)
	switch {
	case errors.Is(err, diskfile.ErrNotRegular):
		return nil, fmt.Errorf("%s is not a regular file: move it away", path)
	case errors.Is(err, diskfile.ErrTooLarge):
		return nil, fmt.Errorf("%s is larger than a settings file can be", path)
	}
	return raw, err
}

// UserPath is the user's settings file.
func UserPath() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf(
			"there is no configuration folder (%w): set HOME, or XDG_CONFIG_HOME and XDG_STATE_HOME", err,
		)
	}
	return filepath.Join(dir, "assent", "settings.json"), nil
}

// WorkspacePath is the settings file of a workspace folder.
func WorkspacePath(folder string) string { return filepath.Join(folder, ".assent", "settings.json") }
