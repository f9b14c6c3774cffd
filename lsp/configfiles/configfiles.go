// Package configfiles is what the server knows of the files that configure Assent: settings, permissions, tools,
// MCP servers, databases, model servers. It works on texts and byte offsets: what a file is by its path, what can be written at a place of
// it, what is there, and what is wrong. What their keys are is declared elsewhere, as JSON schemas. It reads
// nothing and changes nothing.
package configfiles

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assent-ls/assent/agent/model/servers"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/sql"
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
	UserPrompt                       // a layer of the system prompt, or a preset, of the user
	WorkspacePrompt                  // a layer of the system prompt of a workspace
	WorkspaceRules                   // a rules file of a workspace
	UserServers                      // the MCP servers of the user
	WorkspaceServers                 // those that a workspace declares
	UserDatabases                    // the databases of the user
	UserModelServers                 // the model servers of the user
	ToolsPage                        // no file of the user's: the page that Show tools opens
)

// Places are the folders where such files lie.
type Places struct {
	Config    string // the user's configuration folder of Assent
	State     string // the user's state folder of Assent
	Workspace string // the innermost folder of the editor that holds the file; empty: none

	OtherServers bool // whether the servers that a workspace declares for other programs are read
}

// KindOf says what a file is by its path, which is absolute.
func (p Places) KindOf(path string) Kind {
	switch below(p.Config, path) {
	case "settings.json":
		return UserSettings
	case "permissions.json":
		return UserPermissions
	case "mcp.json":
		return UserServers
	case sql.File:
		return UserDatabases
	case servers.File:
		return UserModelServers
	}
	rel := p.Rel(path)
	switch {
	case path == p.Given():
		return GivenPermissions
	case isToolsPage(below(filepath.Join(p.State, "previews"), path)):
		return ToolsPage
	case p.isUserPrompt(path):
		return UserPrompt
	case rel == "":
		return None
	case strings.HasPrefix(rel, prompts.Folder+"/") && prompts.IsPrompt(strings.TrimPrefix(rel, prompts.Folder+"/")):
		return WorkspacePrompt
	case filepath.Base(path) == "AGENTS.md" || slices.Contains(prompts.RulesFiles(), rel):
		return WorkspaceRules
	case rel == mcp.File, p.OtherServers && slices.Contains(mcp.OtherFiles(), rel):
		return WorkspaceServers
	case rel == trust.Permissions:
		return WorkspacePermissions
	case path == settings.WorkspacePath(p.Workspace):
		return WorkspaceSettings
	case trust.Covers(rel) != "":
		return WorkspaceTool
	}
	return None
}

// ToolsPageName begins the names of the pages that Show tools opens.
const ToolsPageName = "tools-"

func isToolsPage(rel string) bool {
	return strings.HasPrefix(rel, ToolsPageName) && strings.HasSuffix(rel, ".md") && !strings.Contains(rel, "/")
}

func (p Places) isUserPrompt(path string) bool {
	rel := below(filepath.Join(p.Config, "prompts"), path)
	return prompts.IsPrompt(rel) || prompts.IsPreset(rel)
}

// IsPrompt says whether a file is a layer of the system prompt or a preset, in which variables are replaced.
func (k Kind) IsPrompt() bool { return k == UserPrompt || k == WorkspacePrompt }

// IsSettings says whether a file has settings.
func (k Kind) IsSettings() bool { return k == UserSettings || k == WorkspaceSettings }

// IsRules says whether a file is one in which a workspace tells coding agents its rules.
func (k Kind) IsRules() bool { return k == WorkspaceRules }

// Given is the file of the rules that the user gave by answers.
func (p Places) Given() string { return filepath.Join(p.State, "permissions.json") }

// Rel is the path of a file in its workspace, slash-separated; empty if it is in none.
func (p Places) Rel(path string) string {
	if p.Workspace == "" {
		return ""
	}
	return below(p.Workspace, path)
}

// below is the path of a file in a folder, slash-separated; empty if it is not in it.
func below(folder, path string) string {
	rel, err := filepath.Rel(folder, path)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// NeedsTrust says whether nothing in a file counts until the user trusts its content.
func (k Kind) NeedsTrust() bool { return k == WorkspaceTool || k == WorkspacePermissions }

// HasRules says whether a file is one that Assent reads as a permissions file.
func (k Kind) HasRules() bool { return k == UserPermissions || k == WorkspacePermissions }

// HasServers says whether a file declares MCP servers.
func (k Kind) HasServers() bool { return k == UserServers || k == WorkspaceServers }

// Schema declares the keys of a kind of file; nil: nothing is known of them.
func (k Kind) Schema() *jsonschema.Schema {
	switch k {
	case UserSettings, WorkspaceSettings:
		return schema(settings.Schema())
	case UserPermissions, WorkspacePermissions:
		return schema(policy.Schema())
	case UserServers, WorkspaceServers:
		return schema(mcp.Schema())
	case UserDatabases:
		return schema(sql.Schema())
	case UserModelServers:
		return schema(servers.Schema())
	default:
		return nil
	}
}

// schema reads a declared schema.
func schema(declared map[string]any) *jsonschema.Schema { return reread[*jsonschema.Schema](declared) }

// reread is a value as another type of the same JSON. One that cannot be read is a mistake of the program, which tests
// meet.
func reread[T any](value any) (as T) {
	data, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(data, &as)
	}
	if err != nil {
		panic("configfiles: " + err.Error())
	}
	return as
}
