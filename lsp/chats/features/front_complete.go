package features

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/parsed"
)

// completeFront lists what can be written at an offset in the front matter: keys, and the values of some.
func completeFront(ctx context.Context, c *chats.Chat, view parsed.View, offset int) []Completion {
	key, value, ok := view.FrontLine(offset)
	if !ok {
		return completeFrontKey(view, offset)
	}
	if offset < value.Start {
		return nil
	}
	space := ""
	if value.Start > 0 && view.Slice(value.Start-1, value.Start) == ":" {
		space = " "
	}
	switch key {
	case "model":
		return completeModels(ctx, c, space, value)
	case "think":
		return completeValues(transcript.ThinkValues, thinkDocs, space, value)
	case "mode":
		return completeValues([]string{"plan", "ask"}, modeDocs, space, value)
	case "prompt":
		return completePresets(c, space, value)
	case "tools":
		return completeTools(c, view, value, offset, space)
	}
	return nil
}

// completeValues lists the values of a key, with what they mean.
func completeValues(
	values []string, docs map[string]string, before string, replace transcript.Span,
) (list []Completion) {
	for _, v := range values {
		list = append(list, Completion{Text: before + v, Doc: docs[v], Replace: replace})
	}
	return list
}

// completePresets lists the presets of the system prompt for a place where one is named.
func completePresets(c *chats.Chat, before string, replace transcript.Span) (list []Completion) {
	for _, p := range c.Presets() {
		list = append(list, Completion{Text: before + p.Name, Doc: p.Description, Replace: replace})
	}
	return list
}

// completeTools lists the tools for the word of a list that an offset is in, without those that the list has; the
// brackets are written where there are none.
func completeTools(
	c *chats.Chat, view parsed.View, value transcript.Span, offset int, space string,
) (list []Completion) {
	written := view.Slice(value.Start, value.End)
	at := min(offset-value.Start, len(written)) // behind the value may be blanks
	if strings.Contains(written[:at], "]") {
		return nil // the list is over
	}
	begins := strings.LastIndexAny(written[:at], "[, \t") + 1
	ends := at + len(written[at:])
	if n := strings.IndexAny(written[at:], "], \t"); n >= 0 {
		ends = at + n
	}
	replace := transcript.Span{Start: value.Start + begins, End: value.Start + ends}
	if offset > value.End {
		begins, ends, replace = at, at, transcript.Span{Start: offset, End: offset}
	}
	others := strings.FieldsFunc(
		written[:begins]+" "+written[ends:], func(r rune) bool { return strings.ContainsRune("[], \t", r) },
	)
	before, after := "", ""
	if !strings.HasPrefix(written, "[") {
		before, after, replace, others = space+"[", "]", value, nil
	}
	for _, s := range c.Session.Tools() {
		if slices.Contains(others, s.Name) {
			continue
		}
		list = append(
			list, Completion{Text: before + s.Name + after, Doc: parsed.OneLine(s.Description), Replace: replace},
		)
	}
	return list
}

// completeFrontKey lists the keys for a line of the front matter that has none yet.
func completeFrontKey(v parsed.View, offset int) (list []Completion) {
	front := v.Chat.Front.Span
	if offset <= front.Start || offset >= front.End {
		return nil
	}
	line := v.LineAt(offset)
	if line.Start <= front.Start || line.End >= front.End ||
		strings.Trim(v.Slice(line.Start, line.End), "abcdefghijklmnopqrstuvwxyz_") != "" {
		return nil // one of the fences, or nothing that begins a key
	}
	text := v.Slice(front.Start, front.End)
	for _, key := range frontKeys() {
		if !strings.Contains(text, "\n"+key.Text+":") {
			list = append(
				list, Completion{Text: key.Text + ": ", Doc: key.Doc, Kind: KeyCompletion, Replace: line},
			)
		}
	}
	return list
}

// frontKeys are the keys of the front matter, with what they mean.
func frontKeys() []Completion {
	list := []Completion{
		{Text: "model", Doc: "The model that answers in this chat."},
		{Text: "title", Doc: "What the chat is called."},
		{Text: "tools", Doc: "The only tools of this chat, as a list: `[read_file, edit_file]`."},
		{
			Text: "mode",
			Doc:  "How much is asked about: `plan` or `ask`. A chat can only ask for less than your setting.",
		},
		{Text: "prompt", Doc: "The preset of the system prompt."},
		{Text: "think", Doc: "Whether, or how long, the model thinks before it answers."},
	}
	for field := range reflect.TypeFor[transcript.Sampling]().Fields() {
		tag := field.Tag
		list = append(
			list,
			Completion{
				Text: tag.Get("yaml"),
				Doc: fmt.Sprintf(
					"A number from %s to %s, which comes before your settings.", tag.Get("min"), tag.Get("max"),
				),
			},
		)
	}
	return list
}

// modeDocs say what the values of the line `mode` of the front matter mean.
var modeDocs = map[string]string{
	"plan": "Nothing that changes anything runs, or is asked about.",
	"ask":  "What your rules allow runs, and the rest is asked about.",
}

// thinkDocs say what the values of the line `think` of the front matter mean.
var thinkDocs = map[string]string{
	"true": "Thinks before it answers.", "false": "Answers at once.",
	"low":    "Thinks a little, if the model knows levels.",
	"medium": "Thinks, if the model knows levels.", "high": "Thinks long, if the model knows levels.",
}
