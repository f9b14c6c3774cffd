package prompts

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed presets/*.md
var shipped embed.FS

// DefaultPreset is what the built-in prompt is called in lists of presets.
const DefaultPreset = "coding"

// Preset is a prompt with a name, which a user, a workspace or a chat may choose.
type Preset struct {
	Name        string
	Description string // one sentence; may be empty
	Path        string // of the user's own file; empty: it ships with Assent
	Text        string // without front matter
}

// Presets lists what can be chosen: those that ship, then the user's own, by name. A user's own takes the place of one
// that ships.
func Presets(config string) []Preset {
	all := []Preset{{
		Name: DefaultPreset, Description: "The built-in prompt: works on code, and does what is asked.",
		Text: strings.TrimSpace(builtIn),
	}}
	for _, name := range []string{"review", "explain", "write", "minimal"} {
		if data, err := shipped.ReadFile("presets/" + name + ".md"); err == nil {
			all = append(all, newPreset(name, "", string(data)))
		}
	}
	folder := filepath.Join(UserFolder(config), "presets")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return all // there is none
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".md")
		if !ok || strings.HasPrefix(name, ".") || presetFile(name) != "presets/"+e.Name() {
			continue
		}
		path := filepath.Join(folder, e.Name())
		data, found, err := readUser(path)
		if !found || err != nil {
			data = "" // listed all the same: whoever uses it is told what is wrong with it
		}
		own := newPreset(name, path, data)
		if i := slices.IndexFunc(all, func(p Preset) bool { return p.Name == name }); i >= 0 {
			all[i] = own
		} else {
			all = append(all, own)
		}
	}
	return all
}

func newPreset(name, path, data string) Preset {
	front, start, err := splitFront(data)
	if err != nil {
		start = 0
	}
	description, _ := writeOut(front.Description)
	return Preset{Name: name, Description: description, Path: path, Text: strings.TrimSpace(newlines(data[start:]))}
}

// presetSource is the layer of the preset that is chosen.
func presetSource(o Options) source {
	s := source{name: "preset " + o.Preset}
	file := presetFile(o.Preset)
	if dir := UserFolder(o.Config); dir != "" && file != "" {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			s.path, s.read = path, func() (string, bool, error) { return readUser(path) }
			return s
		}
	}
	s.read = func() (string, bool, error) {
		if o.Preset == DefaultPreset {
			return "", false, nil
		}
		data, err := shipped.ReadFile("presets/" + o.Preset + ".md")
		if err != nil {
			return "", true, fmt.Errorf("there is no preset %q; there are %s", o.Preset, presetNames(o.Config))
		}
		return string(data), true, nil
	}
	return s
}

func presetNames(config string) string {
	var names []string
	for _, p := range Presets(config) {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}
