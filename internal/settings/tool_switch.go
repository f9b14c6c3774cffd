package settings

import (
	"fmt"
	"slices"

	"github.com/assent-ls/assent/internal/jsonc"
)

// The settings that say which tools there are.
const (
	toolsSetting    = "tools"
	toolsOffSetting = "toolsOff"
)

// SwitchTool writes into the user's settings file that a tool, by its own name, is on or off, and takes it from there:
// in the list toolsOff, and in the list tools if there is one that the tool has to be in. All else in the file stays as
// it is, comments too.
func (s *Store) SwitchTool(path, name string, on bool) error {
	if err := checkName(name); err != nil {
		return err
	}
	err := Write(path, func(data []byte) ([]byte, error) {
		changed, err := jsonc.SetInList(data, toolsOffSetting, name, !on)
		if err != nil || !on || !has(changed, toolsSetting) {
			return changed, err
		}
		return jsonc.SetInList(changed, toolsSetting, name, true)
	})
	if err != nil {
		return err
	}
	raw, err := Read(path)
	if err != nil {
		return err
	}
	s.Set(UserFile, raw) // what is wrong in it was told before
	return nil
}

// has reports whether an object has a key, with a value that is not null.
func has(data []byte, key string) bool {
	root, err := jsonc.Parse(data)
	m, found := root.Member(key)
	return err == nil && found && string(m.Value.Raw) != "null"
}

// Switch is whether a tool is on, and what decides it.
type Switch struct {
	Off     bool
	By      Source // the source that decides it; BuiltIn: none says anything
	Setting string // the name of the setting
}

// Word is "on" or "off".
func (s Switch) Word() string {
	if s.Off {
		return "off"
	}
	return "on"
}

// String says it for people: "off (toolsOff in the editor's settings)".
func (s Switch) String() string {
	if !s.Off || s.By == UserFile {
		return s.Word()
	}
	return fmt.Sprintf("off (%s in %v)", s.Setting, s.By)
}

// Against says in a sentence why a tool is not on, or not off, although the user's file says so; empty: it is.
func (s Switch) Against(on bool) string {
	switch {
	case on && s.Off:
		return fmt.Sprintf("it stays off, by %s in %v", s.Setting, s.By)
	case !on && !s.Off:
		return fmt.Sprintf("it stays on: the list %s in %v comes before yours", s.Setting, s.By)
	}
	return ""
}

// Tool says whether a tool, by its own name, is on in a workspace folder (empty: in none).
func (s *Store) Tool(folder, name string) Switch {
	var off, only Effect
	for _, e := range s.Explain(folder, nil) {
		switch e.Name {
		case toolsOffSetting:
			off = e
		case toolsSetting:
			only = e
		}
	}
	listed := func(value any) bool {
		names, isList := value.(Names)
		return isList && slices.Contains(names.All(), name)
	}
	if listed(off.Value) {
		by := off.From
		if i := slices.IndexFunc(off.Sources, func(st Stated) bool { return st.Set && listed(st.Value) }); i >= 0 {
			by = off.Sources[i].Source
		}
		return Switch{true, by, toolsOffSetting}
	}
	if only.Value != nil && !listed(only.Value) {
		return Switch{true, only.From, toolsSetting}
	}
	return Switch{false, off.From, toolsOffSetting}
}
