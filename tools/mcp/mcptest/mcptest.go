// Package mcptest has five MCP servers with two hundred tools, for tests, evaluations and measurements. They keep
// things in memory: issues, mail, orders, lamps, alarms. What they are asked they put down in a file.
package mcptest

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

//go:embed servers.txt
var text string

// CallsFile is the variable that names the file in which the servers put down each call as a line of JSON.
const CallsFile = "MCPTEST_CALLS"

// Call is a line of the file.
type Call struct {
	Server    string         `json:"server"`
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments"`
	Failed    bool           `json:"failed"`
}

// server is one of the five.
type server struct {
	name, about string
	kinds       []*kind
}

// kind is a kind of things that a server has.
type kind struct {
	name, about string
	fields      []string
	things      []*thing
}

type thing struct {
	id     string
	values []string // of the fields
}

// Names are those of the servers.
func Names() []string {
	var names []string
	for _, s := range parse() {
		names = append(names, s.name)
	}
	return names
}

// Tools are the names of the servers' tools.
func Tools() []string {
	var names []string
	for _, s := range parse() {
		for _, k := range s.kinds {
			for _, tool := range k.tools() {
				names = append(names, tool.name)
			}
		}
	}
	return names
}

func parse() []*server {
	var all []*server
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		parts := strings.Split(strings.TrimPrefix(line, "server "), " | ")
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "server "):
			all = append(all, &server{name: parts[0], about: parts[1]})
		case strings.HasPrefix(line, "  "):
			values := strings.Split(strings.TrimSpace(line), "; ")
			s := all[len(all)-1]
			k := s.kinds[len(s.kinds)-1]
			k.things = append(k.things, &thing{values[0], values[1:]})
		default:
			s := all[len(all)-1]
			s.kinds = append(s.kinds, &kind{name: parts[0], about: parts[1], fields: strings.Split(parts[2], ", ")})
		}
	}
	return all
}

// Declare is a file of the servers with some names. Each is a program with word and its name as arguments, which then
// calls Serve.
func Declare(program, word string, env map[string]string, names ...string) ([]byte, error) {
	type declaration struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env,omitempty"`
	}
	servers := map[string]declaration{}
	for _, name := range names {
		servers[name] = declaration{program, []string{word, name}, env}
	}
	return json.Marshal(map[string]any{"mcpServers": servers})
}

// Serve is the server of a name on standard input and output, until the input ends.
func Serve(name string) error {
	for _, s := range parse() {
		if s.name == name {
			server := sdk.NewServer(&sdk.Implementation{Name: name, Title: s.about, Version: "1"}, nil)
			for _, k := range s.kinds {
				for _, t := range k.tools() {
					server.AddTool(t.definition(), t.handler(name))
				}
			}
			return server.Run(context.Background(), &sdk.StdioTransport{})
		}
	}
	return fmt.Errorf("there is no server %q: %s", name, strings.Join(Names(), ", "))
}

// tool is one of the five that each kind of things has.
type tool struct {
	name, about string
	needs       []string
	may         []string
	destroys    bool
	do          func(map[string]string) (string, error)
}

func (k *kind) tools() []tool {
	return []tool{
		{
			"list_" + k.name + "s",
			"Lists every " + k.name + " (" + k.about + "), or only those with the given values.", nil, k.fields, false,
			k.list,
		},
		{"get_" + k.name, "Shows one " + k.name + ": " + k.about + ".", []string{"id"}, nil, false, k.get},
		{
			"create_" + k.name, "Makes a new " + k.name + ": " + k.about + ".", k.fields[:1], k.fields[1:], false,
			k.create,
		},
		{
			"update_" + k.name, "Changes the given values of one " + k.name + ": " + k.about + ".",
			[]string{"id"},
			k.fields, false, k.update,
		},
		{
			"delete_" + k.name, "Deletes one " + k.name + " for good: " + k.about + ".",
			[]string{"id"},
			nil, true,
			k.delete,
		},
	}
}

func (t tool) definition() *sdk.Tool {
	properties := map[string]any{}
	for _, name := range slices.Concat(t.needs, t.may) {
		properties[name] = map[string]any{"type": "string"}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(t.needs) > 0 {
		schema["required"] = t.needs
	}
	return &sdk.Tool{
		Name: t.name, Description: t.about, InputSchema: schema,
		Annotations: &sdk.ToolAnnotations{DestructiveHint: &t.destroys},
	}
}

func (t tool) handler(server string) sdk.ToolHandler {
	return func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var arguments map[string]any
		given := map[string]string{}
		if err := json.Unmarshal(r.Params.Arguments, &arguments); err != nil {
			return nil, err
		}
		for name, value := range arguments {
			given[name] = fmt.Sprint(value)
		}
		answer, err := t.do(given)
		note(Call{server, t.name, arguments, err != nil})
		if err != nil {
			answer = err.Error()
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: answer}}, IsError: err != nil}, nil
	}
}

// note puts a call down. A file that cannot be written ends the server: an evaluation must not count what it did not
// see.
func note(c Call) {
	path := os.Getenv(CallsFile)
	if path == "" {
		return
	}
	line, err := json.Marshal(c)
	if err == nil {
		var f *os.File
		if f, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil { //nolint:gosec // the evaluation's own
			_, err = f.Write(append(line, '\n'))
			_ = f.Close()
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Calls reads the file.
func Calls(path string) ([]Call, error) {
	data, err := os.ReadFile(path) //nolint:gosec // the evaluation's own
	if os.IsNotExist(err) {
		return nil, nil
	}
	var all []Call
	for line := range strings.Lines(string(data)) {
		var c Call
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, err
}
