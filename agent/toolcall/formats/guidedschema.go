package formats

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// guidedSchema is the union of the calls that a reply may make and an answer. Its bytes depend on nothing but the tools
// and the hints. nil: nothing to constrain.
func guidedSchema(tools []model.Tool, hints toolcall.Hints) json.RawMessage {
	left, nothingLeft, required := "", "", ""
	if hints.AskDone {
		left, nothingLeft, required = `"done":{"const":"no"},`, `"done":{"const":"yes"},`, `"done",`
	}
	does := func(tool string) string {
		words := `{"enum":["look","change","run","compute"]}`
		if word := hints.Does[tool]; word != "" {
			words = `{"const":"` + word + `"}`
		}
		return left + `"do":` + words + ","
	}
	branches := callBranches(tools, hints, "tool", does, required+`"do",`)
	if len(tools) == 0 {
		return nil
	}
	words := `{"type":"string"}`
	if hints.AnswerSeparately {
		words = `{"const":""}`
	}
	answer := `{"type":"object","properties":{` + nothingLeft + `"do":{"const":"talk"},"answer":` + words +
		`},"required":[` + required + `"do","answer"],"additionalProperties":false}`
	switch {
	case hints.RequireAnswer, len(branches) == 0:
		branches = []string{answer}
	case !hints.RequireCall:
		branches = append(branches, answer)
	}
	return union(branches)
}

// callSchema constrains a reply to calls alone, for formats that are free otherwise; nil unless the hints ask for it.
func callSchema(tools []model.Tool, hints toolcall.Hints, nameKey string) json.RawMessage {
	if !hints.RequireCall {
		return nil
	}
	branches := callBranches(tools, hints, nameKey, func(string) string { return "" }, "")
	if len(branches) == 0 {
		return nil
	}
	return union(branches)
}

func union(branches []string) json.RawMessage {
	if len(branches) == 1 {
		return json.RawMessage(branches[0])
	}
	return json.RawMessage(`{"anyOf":[` + strings.Join(branches, ",") + "]}")
}

// callBranches gives one schema per allowed tool. The name comes first, after the properties that a format puts before
// it: the model decides what to do, then how.
func callBranches(
	tools []model.Tool, hints toolcall.Hints, nameKey string, before func(tool string) string, beforeRequired string,
) []string {
	var branches []string
	for _, t := range tools {
		if hints.Only != nil && !slices.Contains(hints.Only, t.Name) {
			continue
		}
		arguments := hints.Arguments[t.Name]
		if arguments == nil {
			arguments = []json.RawMessage{t.Parameters}
		}
		for _, schema := range arguments {
			branches = append(branches, fmt.Sprintf(
				`{"type":"object","properties":{%s"%s":{"const":%s},"arguments":%s},"required":[%s"%s","arguments"],`+
					`"additionalProperties":false}`,
				before(t.Name), nameKey, values.Quote(t.Name), structure(schema), beforeRequired, nameKey,
			))
		}
	}
	return branches
}

// structure keeps what constrains and drops what only describes: descriptions are in the prompt.
func structure(raw json.RawMessage) json.RawMessage {
	members, err := values.ReadObject(raw)
	if err != nil {
		if len(raw) == 0 {
			return json.RawMessage(`{"type":"object"}`)
		}
		return values.Compact(raw)
	}
	kept := members[:0]
	for _, m := range members {
		switch m.Key {
		case "description", "title", "default", "examples", "$schema", "$id", "$comment":
			continue
		case "properties", "$defs", "definitions":
			named, err := values.ReadObject(m.Value)
			if err != nil {
				continue
			}
			for i := range named {
				named[i].Value = structure(named[i].Value)
			}
			m.Value = values.WriteObject(named)
		case "items", "additionalProperties":
			m.Value = structure(m.Value)
		case "anyOf", "oneOf", "allOf":
			m.Value = structures(m.Value)
		default:
			m.Value = values.Compact(m.Value)
		}
		kept = append(kept, m)
	}
	return values.WriteObject(kept)
}

func structures(raw json.RawMessage) json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return values.Compact(raw)
	}
	all := joinAll(list, ",", func(item json.RawMessage) string { return string(structure(item)) })
	return json.RawMessage("[" + all + "]")
}
