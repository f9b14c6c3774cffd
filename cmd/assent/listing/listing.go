// Package listing is what commands list for programs: JSON, one object a line. A Go type says what is in it, and its
// schema comes from that.
package listing

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/settingsview"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/cmd/assent/tokens"
	"github.com/assent-ls/assent/cmd/assent/toolsview"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/tools/egress"
	"github.com/assent-ls/assent/tools/usagelog"
)

// Folder is where the schemas are, in the repository.
const Folder = "docs/json"

// List is what a command lists as JSON.
type List struct {
	Command string // behind the name of the program
	Says    string
	of      reflect.Type
}

// Lists are all of them.
func Lists() []List {
	return []List{
		{"chats", "A chat of a folder.", reflect.TypeFor[Chat]()},
		{"chats built", "What tried commands of a chat built.", reflect.TypeFor[Built]()},
		{"chats export", "A chat without what was attached to it.", reflect.TypeFor[Transcript]()},
		{"chats pin", "A chat that is pinned.", reflect.TypeFor[Pin]()},
		{"chats import", "A chat of another agent that was taken over, or would be.", reflect.TypeFor[Imported]()},
		{"chats prune", "A chat that was moved to the trash folder, or would be.", reflect.TypeFor[Pruned]()},
		{"chats search", "A turn in which something was said.", reflect.TypeFor[FoundTurn]()},
		{"chats show", "A chat without what was attached to it.", reflect.TypeFor[Transcript]()},
		{"chats unpin", "A chat that is not pinned.", reflect.TypeFor[Pin]()},
		{"decode --list", "A format of tool calls.", reflect.TypeFor[Format]()},
		{"doctor", "A finding of the doctor.", reflect.TypeFor[Finding]()},
		{"doctor --egress", "An address that was contacted.", reflect.TypeFor[egress.Place]()},
		{"doctor --fix", "Something that can be mended without harm, or was.", reflect.TypeFor[Fix]()},
		{"doctor --probe", "What was found out about a model.", reflect.TypeFor[Probed]()},
		{"log", "A call of a tool that ended.", reflect.TypeFor[usagelog.Entry]()},
		{"log --tokens", "The tokens of a model in a chat.", reflect.TypeFor[tokens.Total]()},
		{"mcp list", "A declared MCP server.", reflect.TypeFor[Server]()},
		{"mcp tools", "A tool of an MCP server.", reflect.TypeFor[ServerTool]()},
		{"models", "An installed model.", reflect.TypeFor[Model]()},
		{"permissions", "A rule about calls.", reflect.TypeFor[Rule]()},
		{"permissions check", "What would be decided about a call.", reflect.TypeFor[Decision]()},
		{"prompt list", "A place that a part of a system prompt may come from.", reflect.TypeFor[PromptPart]()},
		{"prompt presets", "A preset of the system prompt.", reflect.TypeFor[Preset]()},
		{"prompt show", "A system prompt.", reflect.TypeFor[Prompt]()},
		{"settings", "A setting in effect.", reflect.TypeFor[settingsview.Line]()},
		{"sql sources", "A declared database.", reflect.TypeFor[Database]()},
		{"tools", "A tool of a folder.", reflect.TypeFor[toolsview.Line]()},
		{"tools list", "A tool that can be called in a folder.", reflect.TypeFor[toolsview.Callable]()},
		{"tools show", "A tool, with what a model is told of it.", reflect.TypeFor[toolsview.Shown]()},
		{"trust", "Something of a folder that needs trust.", reflect.TypeFor[Trust]()},
		{"version", "The version of the program.", reflect.TypeFor[Version]()},
	}
}

// File is where the schema of the list is, in the repository.
func (l List) File() string {
	return Folder + "/" + strings.NewReplacer(" --", "-", " ", "-").Replace(l.Command) + ".schema.json"
}

// Schema is that of one line.
func (l List) Schema() (*jsonschema.Schema, error) {
	text := &jsonschema.Schema{Type: "string"}
	s, err := jsonschema.ForType(l.of, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[settings.Source](): text, reflect.TypeFor[json.RawMessage](): {},
	}})
	if err != nil {
		return nil, fmt.Errorf("the schema of %s: %w", l.Command, err)
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title, s.Description = "assent "+l.Command+" --json", l.Says
	return s, nil
}

// AddFlag adds --json to a command that lists.
func AddFlag(cmd *cobra.Command, asJSON *bool, command string) {
	var says strings.Builder
	says.WriteString("Print one JSON object per line. Schema: ")
	for _, l := range Lists() {
		if l.Command == command {
			says.WriteString(l.File())
		} else if flag, ok := strings.CutPrefix(l.Command, command+" --"); ok {
			says.WriteString(", with --" + flag + " " + l.File())
		}
	}
	cmd.Flags().BoolVar(asJSON, "json", false, says.String()+".")
}

// Print writes the lines of a list, each as a program reads it and as a terminal may show it.
func Print[T any](out io.Writer, lines ...T) error {
	enc := json.NewEncoder(terminal.JSON(out))
	enc.SetEscapeHTML(false)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return nil
}
