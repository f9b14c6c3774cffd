// Package toolsview prints the tools of a workspace, how they ask for approval and how their calls ended, for `assent
// tools`.
package toolsview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/overview"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/web"
)

// Tool is a tool with what decides whether it is on.
type Tool struct {
	overview.Tool

	Switch settings.Switch
}

// List prints two lines for each tool.
func List(out io.Writer, list []Tool) {
	wide := 0
	for _, t := range list {
		wide = max(wide, utf8.RuneCountInString(name(t)))
	}
	for _, t := range list {
		pad := strings.Repeat(" ", wide-utf8.RuneCountInString(name(t))+2)
		terminal.Print(
			out, terminal.Piece{Text: name(t), Style: terminal.Bold}, terminal.Piece{Text: pad},
			terminal.Piece{Text: t.Switch.String(), Style: styleOf(t.Switch)},
			terminal.Piece{Text: rest(t) + "\n    " + t.Does() + "\n"},
		)
	}
}

func name(t Tool) string { return visible.Line(t.Name) }

func styleOf(s settings.Switch) terminal.Style {
	if s.Off {
		return terminal.Yellow
	}
	return terminal.Green
}

// rest is the end of the line of a tool.
func rest(t Tool) string {
	text := ", " + t.Verdict()
	if t.Origin != tools.BuiltIn {
		text += ", of " + visible.Line(string(t.Origin))
	}
	if ended := t.Totals.Ended(); ended != "" {
		text += "; " + ended
	}
	return text
}

// Origin names where a tool comes from.
func Origin(s tools.Spec) string {
	if s.Origin == tools.BuiltIn {
		return "Assent"
	}
	return string(s.Origin)
}

// Table prints a line for each tool that can be called; nothing if there is none.
func Table(out io.Writer, specs []tools.Spec) error {
	if len(specs) == 0 {
		return nil
	}
	rows := [][]string{{"TOOL", "OF", "DOES"}}
	for _, s := range specs {
		rows = append(rows, []string{s.Name, Origin(s), s.Effect.Reason()})
	}
	return terminal.PlainTable(out, rows)
}

// One prints all that is known about a tool, with what a model is told of it.
func One(out io.Writer, t Tool) error {
	var schema bytes.Buffer
	if err := json.Indent(&schema, t.Parameters, "", "  "); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s of %s, %v, %s\n%s\n", t.Name, Origin(t.Spec), t.Switch, t.Verdict(), t.Why())
	for _, rule := range t.Asks.Rules {
		fmt.Fprintf(out, "Before that: %s.\n", visible.Line(rule))
	}
	if ended := t.Totals.Ended(); ended != "" {
		fmt.Fprintf(out, "Its calls: %s, %v the longest.\n", ended, t.Totals.Longest)
	}
	fmt.Fprintf(out, "\n%s\n\n%s\n", t.Description, schema.String())
	return nil
}

// Names are the names of tools, as models see them.
func Names(list []Tool) (names []string) {
	for _, t := range list {
		names = append(names, t.Name)
	}
	return names
}

// Named finds the name in the settings of the tool that a person means. now is what the settings say of their word: a
// tool that they name may be switched on although it is not there. The error says what is probably meant.
func Named(list []Tool, word string, now settings.Switch) (string, error) {
	names := Names(list)
	for _, t := range list {
		if word == t.Setting || word == t.Name {
			return t.Setting, nil
		}
		names = append(names, t.Setting)
	}
	switch {
	case now.Off && now.Setting == "toolsOff":
		return word, nil
	case word == web.Fetch:
		return "", usage.Error("web_fetch is switched on and off by the setting webFetch, or --web-fetch")
	case word == web.Search:
		return "", usage.Error(
			"web_search is switched on and off by the setting searchEndpoint, or --search-endpoint",
		)
	}
	slices.Sort(names)
	return "", usage.None("tool", word, slices.Compact(names), "assent tools")
}

// Line is a tool in a list for programs.
type Line struct {
	Name      string           `json:"name"`
	Setting   string           `json:"setting" jsonschema:"its name in the settings"`
	Origin    string           `json:"origin"`
	Does      string           `json:"does"`
	On        bool             `json:"on"`
	By        *settings.Source `json:"by,omitempty" jsonschema:"what switches it off"`
	Effect    string           `json:"effect"`
	Approval  string           `json:"approval" jsonschema:"run, ask or refuse"`
	Why       string           `json:"why"`
	Rules     []string         `json:"rules"`
	Ran       int              `json:"ran"`
	Failed    int              `json:"failed"`
	Denied    int              `json:"denied"`
	Wrong     int              `json:"wrong"`
	TookMS    int64            `json:"tookMs"`
	LongestMS int64            `json:"longestMs"`
}

// Callable is a tool that can be called, in a list for programs.
type Callable struct {
	Name   string `json:"name"`
	Origin string `json:"origin"`
	Effect string `json:"effect"`
	Does   string `json:"does" jsonschema:"what the effect means"`
}

// Callables are such tools.
func Callables(specs []tools.Spec) (lines []Callable) {
	for _, s := range specs {
		lines = append(lines, Callable{s.Name, Origin(s), string(s.Effect), s.Effect.Reason()})
	}
	return lines
}

// Shown is a tool with what a model is told of it, for programs.
type Shown struct {
	Line

	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters" jsonschema:"the JSON Schema of its arguments"`
}

// Show is one tool for programs.
func Show(t Tool) Shown { return Shown{Lines([]Tool{t})[0], t.Description, t.Parameters} }

// Lines are the tools for programs.
func Lines(list []Tool) (lines []Line) {
	words := map[policy.Verdict]string{policy.Run: "run", policy.Ask: "ask", policy.Refuse: "refuse"}
	for _, t := range list {
		line := Line{
			Name: t.Name, Setting: t.Setting, Origin: Origin(t.Spec), Does: t.Does(), On: !t.Switch.Off,
			Effect: string(t.Effect), Why: t.Why(), Rules: append([]string{}, t.Asks.Rules...),
			Approval: words[t.Asks.Verdict],
			Ran:      t.Totals.Ran, Failed: t.Totals.Failed, Denied: t.Totals.Denied, Wrong: t.Totals.Wrong,
			TookMS: t.Totals.Took.Milliseconds(), LongestMS: t.Totals.Longest.Milliseconds(),
		}
		if t.Switch.Off {
			line.By = &t.Switch.By
		}
		lines = append(lines, line)
	}
	return lines
}
