// Package formats has every format of tool calls by name: the general ones, and a row for each family of models.
package formats

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// entries lists every format: the three general ways first, then the families. They are made once, since they cannot
// change; their grammars are built when they are first needed.
var entries = sync.OnceValue(func() []entry {
	general := []entry{
		{
			Info{
				nativeName,
				[]string{"ollama", "openai-tools", "E1", "E5"},
				"the server's own calls; printed JSON is accepted too",
			},
			Native(),
		},
		{
			Info{textName, []string{"fenced-json", "json", "prompt", "D12", "D13"}, "JSON in a code fence, or alone"},
			Described(),
		},
		{Info{"guided", []string{"constrained"}, "the reply is constrained to a call or an answer"}, Guided()},
	}
	return slices.Concat(general, jsonFamilies(), headedFamilies(), taggedFamilies(), pythonFamilies())
})

// List gives every format with its aliases.
func List() []Info {
	all := entries()
	infos := make([]Info, len(all))
	for i, e := range all {
		infos[i] = e.info
	}
	return infos
}

// Example is how a model writes a call of a tool "ping" in a format. Empty: the model server writes it.
func Example(f toolcall.Format) string {
	ping := toolcall.Turn{
		Role: model.RoleAssistant, Calls: []toolcall.Call{{Name: "ping", Arguments: json.RawMessage(`{"host":"db1"}`)}},
	}
	messages := f.Request("", []toolcall.Turn{ping}, nil, toolcall.Hints{}).Messages
	return messages[len(messages)-1].Text
}

// Names gives the name of every format.
func Names() []string {
	var names []string
	for _, info := range List() {
		names = append(names, info.Name)
	}
	return names
}

// openThought, added to a name, says that the prompt already opens a thought.
const openThought = "+thinking"

// ByName finds a format by name or alias; case does not matter. "+thinking" after the name of a family says that its
// prompt opens a thought, so that a reply begins inside one. The error names those that are like it.
func ByName(name string) (toolcall.Format, error) {
	plain, prompted := strings.CutSuffix(strings.ToLower(name), openThought)
	for _, e := range entries() {
		if !strings.EqualFold(e.info.Name, plain) &&
			!slices.ContainsFunc(e.info.Aliases, func(a string) bool { return strings.EqualFold(a, plain) }) {
			continue
		}
		f := e.format.(*family)
		switch {
		case !prompted:
			return f, nil
		case f.request != nil || f.name == textName:
			return nil, fmt.Errorf("the format %s has no thoughts that a prompt opens", f.name)
		}
		return f.thinking(), nil
	}
	return nil, fmt.Errorf("there is no tool-call format %s; `assent decode --list` shows all", near(name))
}

// near quotes a name, with those that may be meant.
func near(name string) string {
	const (
		most = 3
		long = 40 // bytes
	)
	name = strings.ToValidUTF8(name[:min(len(name), long)], "")
	similar := Names()
	slices.SortStableFunc(similar, func(a, b string) int {
		return cmp.Compare(
			levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(a)),
			levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(b)),
		)
	})
	return fmt.Sprintf("%q, perhaps you mean %s", name, strings.Join(similar[:most], ", "))
}
