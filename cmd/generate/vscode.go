package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/lsp"
	"github.com/assent-ls/assent/lsp/ext"
)

// ownCommands begins the names of the extension's own commands: their rows are written by hand.
const ownCommands = "assent.vscode."

// vscodeManifest replaces contributes.configuration, which settings VS Code takes from a trusted folder alone, and, but
// for icons and the extension's own commands, contributes.commands. It leaves every other byte alone.
func vscodeManifest(old []byte) ([]byte, error) {
	if len(old) == 0 {
		return nil, errors.New("the file is missing")
	}
	start, end, err := find(old, "contributes", "commands")
	if err != nil {
		return nil, err
	}
	var there []vscodeCommand
	if err := json.Unmarshal(old[start:end], &there); err != nil {
		return nil, fmt.Errorf("contributes.commands: %w", err)
	}
	out := old
	for _, part := range []struct {
		path   []string
		indent string
		value  any
	}{
		{[]string{"contributes", "commands"}, "    ", vscodeCommands(there)},
		{[]string{"contributes", "configuration"}, "    ", vscodeConfiguration()},
		{[]string{"capabilities", "untrustedWorkspaces", "restrictedConfigurations"}, "      ", vscodeRestricted()},
	} {
		start, end, err := find(out, part.path...)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent(part.indent, "  ")
		if err := encoder.Encode(part.value); err != nil {
			return nil, err
		}
		out = append(append(bytes.Clone(out[:start]), bytes.TrimSpace(b.Bytes())...), out[end:]...)
	}
	return out, nil
}

type vscodeCommand struct {
	Command  string `json:"command"`
	Title    string `json:"title"`
	Category string `json:"category"`
	Icon     string `json:"icon,omitempty"`
}

// vscodeCommands are the commands of the palette. Answers to a question are left out: without an id they would only
// show the pending call, which has a command of its own. Of what is there already it keeps icons, and the commands of
// the extension itself.
func vscodeCommands(there []vscodeCommand) []vscodeCommand {
	icons := map[string]string{}
	for _, c := range there {
		icons[c.Command] = c.Icon
	}
	var commands []vscodeCommand
	for _, c := range lsp.Commands() {
		if _, answers := c.Args.(ext.Asked); !answers {
			commands = append(commands, vscodeCommand{c.Name, c.Title, "Assent", icons[c.Name]})
		}
	}
	for _, c := range there {
		if strings.HasPrefix(c.Command, ownCommands) {
			commands = append(commands, c)
		}
	}
	return commands
}

// vscodeGroup is a titled part of the page of settings.
type vscodeGroup struct {
	Title      string                    `json:"title"`
	Order      int                       `json:"order"`
	Properties map[string]map[string]any `json:"properties"`
}

// vscodeConfiguration is the page of settings. It gives each setting that could loosen something the scope "machine":
// VS Code then ignores it in a folder's .vscode/settings.json.
func vscodeConfiguration() []vscodeGroup {
	var groups []vscodeGroup
	for i, g := range settings.Groups() {
		properties := map[string]map[string]any{}
		for order, f := range g.In() {
			if f.Scope == settings.Own || f.Scope == settings.Fewer {
				continue // the server does not take it from an editor
			}
			properties["assent."+f.Name] = vscodeSetting(f, order)
		}
		if len(properties) > 0 {
			groups = append(groups, vscodeGroup{g.Title, i, properties})
		}
	}
	return groups
}

// vscodeSetting is a setting on the page of settings.
func vscodeSetting(f settings.Field, order int) map[string]any {
	schema := f.Schema()
	delete(schema, "description")
	schema["markdownDescription"] = vscodeLinks(f)
	if docs, ok := schema["enumDescriptions"]; ok {
		delete(schema, "enumDescriptions")
		schema["markdownEnumDescriptions"] = docs
	}
	schema["order"] = order
	schema["scope"] = "machine"
	if f.Scope == settings.Any {
		schema["scope"] = "window"
	}
	return schema
}

// camel matches the names of settings that no plain word is.
var camel = regexp.MustCompile(`\b[a-z]+[A-Z]\w*\b`)

// vscodeLinks is what is said of a setting, with links to the other settings that VS Code knows.
func vscodeLinks(f settings.Field) string {
	return camel.ReplaceAllStringFunc(f.Markdown(), func(name string) string {
		for _, other := range settings.Fields() {
			if other.Name == name && name != f.Name && other.Scope != settings.Own && other.Scope != settings.Fewer {
				return "`#assent." + name + "#`"
			}
		}
		return name
	})
}

// vscodeRestricted are the settings that a folder may choose, but only one that is trusted in VS Code, and which
// program is started.
func vscodeRestricted() []string {
	names := []string{"assent.path"}
	for _, f := range settings.Fields() {
		if f.Scope == settings.Any {
			names = append(names, "assent."+f.Name)
		}
	}
	return names
}

// find returns where the value under a path of keys is in a JSON object.
func find(data []byte, path ...string) (start, end int, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	for _, key := range path {
		if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
			return 0, 0, fmt.Errorf("no object around %q", key)
		}
		for {
			token, err := decoder.Token()
			if err != nil || token == json.Delim('}') {
				return 0, 0, fmt.Errorf("no key %q", key)
			}
			if token == key {
				break
			}
			var skipped json.RawMessage
			if err := decoder.Decode(&skipped); err != nil {
				return 0, 0, err
			}
		}
	}
	var value json.RawMessage
	if err := decoder.Decode(&value); err != nil {
		return 0, 0, err
	}
	end = int(decoder.InputOffset())
	return end - len(value), end, nil
}
