// Package configfiles is what the server knows of the files that configure Assent: settings, permissions, tools. It works on texts and
// byte offsets: what a file is by its path, what can be written at a place of it, what stands there, and what is wrong. What their keys
// are is declared elsewhere, as JSON schemas. It reads nothing and changes nothing.
package configfiles

import (
	"encoding/json"
	"path/filepath"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assent-ls/assent/settings"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/trust"
)

// Kind is what a file configures, and whose it is.
type Kind int

// The kinds.
const (
	None                 Kind = iota // another file
	UserSettings                     // the user's settings
	WorkspaceSettings                // what a workspace may set
	UserPermissions                  // the rules that the user wrote
	WorkspacePermissions             // the rules of a workspace, which can only forbid
	GivenPermissions                 // the rules that the user gave by answers
	WorkspaceTool                    // declares a tool in a workspace
)

// Places are the folders where such files lie.
type Places struct {
	Config    string // the user's configuration folder of Assent
	State     string // the user's state folder of Assent
	Workspace string // the innermost folder of the editor that holds the file; empty: none
}

// KindOf says what a file is by its path, which is absolute.
func (p Places) KindOf(path string) Kind {
	rel := p.Rel(path)
	switch {
	case path == filepath.Join(p.Config, "settings.json"):
		return UserSettings
	case path == filepath.Join(p.Config, "permissions.json"):
		return UserPermissions
	case path == p.Given():
		return GivenPermissions
	case rel == "":
		return None
	case rel == trust.Permissions:
		return WorkspacePermissions
	case path == settings.WorkspacePath(p.Workspace):
		return WorkspaceSettings
	case trust.Covers(rel) != "":
		return WorkspaceTool
	}
	return None
}

// Given is the file of the rules that the user gave by answers.
func (p Places) Given() string { return filepath.Join(p.State, "permissions.json") }

// Rel is the path of a file in its workspace, slash-separated; empty if it is in none.
func (p Places) Rel(path string) string {
	if p.Workspace == "" {
		return ""
	}
	rel, err := filepath.Rel(p.Workspace, path)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// NeedsTrust says whether nothing in a file counts until the user trusts its content.
func (k Kind) NeedsTrust() bool { return k == WorkspaceTool || k == WorkspacePermissions }

// HasRules says whether a file is one that Assent reads as a permissions file.
func (k Kind) HasRules() bool { return k == UserPermissions || k == WorkspacePermissions }

// Schema declares the keys of a kind of file; nil: nothing is known of them.
func (k Kind) Schema() *jsonschema.Schema {
	switch k {
	case UserSettings, WorkspaceSettings:
		return schema(settings.Schema())
	case UserPermissions, WorkspacePermissions:
		return schema(policy.Schema())
	default:
		return nil
	}
}

// schema reads a declared schema. One that cannot be read is a mistake of the program, which tests meet.
func schema(declared map[string]any) *jsonschema.Schema {
	var s jsonschema.Schema
	data, err := json.Marshal(declared)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		panic("configfiles: " + err.Error())
	}
	return &s
}
