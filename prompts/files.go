package prompts

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Folder is where the prompts of a workspace lie, relative to it.
const Folder = ".assent/prompts"

// FileName is the name of the file that holds the prompt for one model: "system.MODEL.md", with "-" for ":" and "_"
// for "/" in the model's name and without ":latest": "system.qwen2.5-coder-1.5b.md", "system.hf.co_org_name-Q4.md".
// It is empty if the name holds anything that no file name should.
func FileName(model string) string {
	return fileOf("system.", strings.TrimSuffix(model, ":latest"))
}

// FamilyFile is the name of the file that holds the prompt for a model family, "families/NAME.md", as FileName writes
// names. It is empty if there is none.
func FamilyFile(family string) string {
	if family == "unknown" {
		return ""
	}
	return fileOf("families/", family)
}

// presetFile is the name of the file that holds a preset of the user's own.
func presetFile(preset string) string { return fileOf("presets/", preset) }

// fileOf is the name of the file for a name, behind a prefix; empty if there is none.
func fileOf(prefix, name string) string {
	if name = fileName(name); name == "" {
		return ""
	}
	return prefix + name + ".md"
}

// fileName is a name as it may be in that of a file; empty if it cannot.
func fileName(name string) string {
	name = strings.NewReplacer(":", "-", "/", "_").Replace(name)
	usable := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-+@", r)
	}
	if name == "" || len(name) > 200 || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, func(r rune) bool { return !usable(r) }) {
		return ""
	}
	return name
}

// UserFolder is where the user's own prompts lie; empty if there is no configuration folder.
func UserFolder(config string) string {
	if dir := configDir(config); dir != "" {
		return filepath.Join(dir, "prompts")
	}
	return ""
}

// File is a place where a prompt may be, whether there is one or not.
type File struct {
	Name string // of its layer
	Path string // absolute
	Rel  string // in the workspace, with slashes; empty for a file of the user's own
}

// Counting lists the places of Files that count: not those of a workspace that is not trusted.
func Counting(o Options) []File {
	return slices.DeleteFunc(Files(o), func(f File) bool { return f.Rel != "" && !o.Trusted })
}

// Files lists the places of the prompts that would count, the most general first: the user's own, then those of the
// workspace.
func Files(o Options) []File {
	var all []File
	dir := UserFolder(o.Config)
	for _, f := range layerFiles(o) {
		if dir != "" {
			all = append(all, File{Name: "user" + f.label, Path: filepath.Join(dir, filepath.FromSlash(f.file))})
		}
	}
	if o.Workspace == nil {
		return all
	}
	for _, f := range layerFiles(o) {
		rel := Folder + "/" + f.file
		all = append(
			all,
			File{
				Name: "workspace" + f.label, Path: filepath.Join(o.Workspace.Root(), filepath.FromSlash(rel)), Rel: rel,
			},
		)
	}
	return all
}
