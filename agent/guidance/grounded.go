package guidance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/assent-ls/assent/agent/guidance/intent"
	"github.com/assent-ls/assent/agent/guidance/schema"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/tools"
)

// ofOthers is the tool of others with a name; ok is false for all other names.
func (g *Guide) ofOthers(name string) (spec tools.Spec, ok bool) {
	spec, known := g.spec(name)
	return spec, known && spec.Origin != tools.BuiltIn
}

// grounded is a call without the arguments that a small model made up. It fills in every argument that there is: asked
// for the stock of an article it looks for articles with a price and a stock of its own invention, and finds none. So
// where a constrained model looks something up with a tool of others, an argument that may be left out is left out if
// its words were said by nobody. changed reports that one was.
func (g *Guide) grounded(call toolcall.Call) (out toolcall.Call, changed bool) {
	spec, ok := g.ofOthers(call.Name)
	if !ok || g.source.without(ruleGrounded) || intent.NamesChange(spec.Name) {
		return call, false
	}
	var declared struct {
		Required   []string
		Properties map[string]struct{ Enum []any }
	}
	var arguments map[string]any
	if json.Unmarshal(spec.Parameters, &declared) != nil || json.Unmarshal(call.Arguments, &arguments) != nil {
		return call, false
	}
	said := g.said()
	for name, value := range arguments {
		text, isText := value.(string)
		if !isText || slices.Contains(declared.Required, name) || len(declared.Properties[name].Enum) > 0 ||
			isTime().MatchString(text) {
			continue
		}
		if slices.ContainsFunc(wordsOf(text), func(w string) bool { return !said[w] }) {
			delete(arguments, name)
			changed = true
		}
	}
	if !changed {
		return call, false
	}
	text, err := json.Marshal(arguments)
	if err == nil {
		call.Arguments = text
	}
	return call, err == nil
}

// lookups narrows the arguments of the tools of others: see schema.Lookup.
func (g *Guide) lookups(arguments map[string][]json.RawMessage) {
	if g.source.without(ruleGrounded) {
		return
	}
	said, empty := g.words(), g.foundNothing()
	for _, t := range g.Tools {
		if spec, ok := g.ofOthers(t.Name); ok {
			if narrowed := schema.Lookup(spec.Parameters, said, empty[t.Name]); narrowed != nil {
				arguments[t.Name] = []json.RawMessage{narrowed}
			}
		}
	}
}

// words are what may be an identifier: the words of the person and of results, those of the last message first, without
// those with which a call failed since.
func (g *Guide) words() []string {
	var words []string
	tried := map[string]bool{}
	add := func(text string) {
		for _, word := range strings.FieldsFunc(
			text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`,;:=()[]{}<>", r) },
		) {
			word = strings.Trim(word, ".!?-")
			if (len(word) > 2 || strings.ContainsAny(word, "0123456789")) && !tried[word] &&
				!slices.Contains(words, word) && len(words) < schema.MaxSaid {
				words = append(words, word)
			}
		}
	}
	last := g.lastMessage()
	for _, r := range g.results() {
		var arguments map[string]any
		if r.Failed && json.Unmarshal(r.call.Arguments, &arguments) == nil {
			for _, value := range arguments {
				tried[fmt.Sprint(value)] = true
			}
		}
	}
	if last < 0 {
		return words
	}
	for _, turn := range g.Turns[last:] {
		add(turn.Asked)
		if turn.Role == model.RoleTool {
			add(tools.Unfence(turn.Text))
		}
	}
	for _, turn := range slices.Backward(g.Turns[:last]) {
		add(turn.Asked)
	}
	return words
}

// result is one of a call that was made since the last message.
type result struct {
	toolcall.Turn
	call toolcall.Call
}

func (g *Guide) results() []result {
	calls := map[string]toolcall.Call{}
	var all []result
	for _, turn := range g.Turns[g.lastMessage()+1:] {
		for _, call := range turn.Calls {
			calls[call.ID] = call
		}
		if turn.Role == model.RoleTool {
			all = append(all, result{turn, calls[turn.CallID]})
		}
	}
	return all
}

// lastResult is the last one; ok is false if there is none.
func (g *Guide) lastResult() (last result, ok bool) {
	all := g.results()
	if len(all) == 0 {
		return result{}, false
	}
	return all[len(all)-1], true
}

// foundNothing are the tools of others that found nothing by arguments that may be left out.
func (g *Guide) foundNothing() map[string]bool {
	found := map[string]bool{}
	for _, r := range g.results() {
		if _, ok := g.ofOthers(r.Name); ok && !r.Failed && len(r.call.Arguments) > len("{}") &&
			saysNothing().MatchString(strings.TrimSpace(tools.Unfence(r.Text))) {
			found[r.Name] = true
		}
	}
	return found
}

// saysNothing matches a short result that says that there is nothing, in words or as data.
var saysNothing = lazyregexp.New(`(?is)^\W*$|^.{0,30}\b(no|not|none|nothing|null|empty|zero|0)\b.{0,60}$`)

// isTime finds a day or a time, which a model may have worked out.
var isTime = lazyregexp.New(`^\d{4}-\d\d|\d:\d\d|^\d{1,2}[./]\d{1,2}[./]`)

// said are the words of the person and of results.
func (g *Guide) said() map[string]bool {
	said := map[string]bool{}
	for _, turn := range g.Turns {
		for _, word := range wordsOf(turn.Asked) {
			said[word] = true
		}
		if turn.Role == model.RoleTool {
			for _, word := range wordsOf(tools.Unfence(turn.Text)) {
				said[word] = true
			}
		}
	}
	return said
}

// wordsOf are the words of a text in lower case.
func wordsOf(text string) []string {
	return strings.FieldsFunc(
		strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) },
	)
}
