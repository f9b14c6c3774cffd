package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/assent-ls/assent/lsp"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/settings"
)

// vscodeManifest replaces contributes.commands and contributes.configuration and leaves every other byte alone.
func vscodeManifest(old []byte) ([]byte, error) {
	if len(old) == 0 {
		return nil, errors.New("the file is missing")
	}
	out := old
	for key, value := range maps.All(map[string]any{"commands": vscodeCommands(), "configuration": vscodeConfiguration()}) {
		start, end, err := find(out, "contributes", key)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("    ", "  ")
		if err := encoder.Encode(value); err != nil {
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
}

// vscodeCommands are the commands of the palette. Answers to a question are left out: without an id they would only show the
// pending call, which has a command of its own.
func vscodeCommands() []vscodeCommand {
	var commands []vscodeCommand
	for _, c := range lsp.Commands() {
		if _, answers := c.Args.(ext.Asked); !answers {
			commands = append(commands, vscodeCommand{c.Name, c.Title, "Assent"})
		}
	}
	return commands
}

// vscodeConfiguration gives each setting that could loosen something the scope "machine": VS Code then ignores it in a
// folder's .vscode/settings.json.
func vscodeConfiguration() map[string]any {
	properties := map[string]any{}
	for i, f := range settings.Fields() {
		if f.Scope == settings.Own {
			continue // the server does not take it from an editor
		}
		schema := f.Schema()
		schema["order"] = i
		schema["scope"] = "machine"
		if f.Scope == settings.Any {
			schema["scope"] = "window"
		}
		properties["assent."+f.Name] = schema
	}
	return map[string]any{"title": "Assent", "properties": properties}
}

// find returns where the value under a path of keys stands in a JSON object.
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
