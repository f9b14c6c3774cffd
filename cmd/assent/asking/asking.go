// Package asking gets answers to questions from a person at a terminal.
package asking

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/arguments"
	"github.com/assent-ls/assent/tools/policy"
)

// Asker asks a person at a terminal. It is used by one goroutine.
type Asker struct{ Terminal *terminal.Terminal }

// Ask shows a question, all of it, and returns the answer; refused says why the last answer was not taken, or is nil.
// The end of the input and anything unclear is a denial.
func (a *Asker) Ask(q event.Question, refused error) event.Answer {
	heading, preview := Describe(q)
	if refused != nil {
		heading += "\n" + visible.Line("Your answer was not taken: "+refused.Error())
	}
	prompt := choices(q)
	a.Terminal.Begin()
	if fields, err := arguments.FormFields(q.Form); refused == nil && q.From != "" && err == nil && arePieces(fields) {
		if answer, ok := a.reply(q, ""); ok { // each piece is shown with its question
			return answer
		}
	}
	if !a.Terminal.Show(heading, preview, prompt) {
		return event.Answer{Kind: event.Deny}
	}
	for {
		line, err := a.Terminal.Ask(prompt)
		if err != nil {
			return event.Answer{Kind: event.Deny}
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		word = strings.ToLower(word)
		switch {
		case word == "r" && q.Mention == "" && (q.From == "" || q.Why):
			return event.Answer{Kind: event.Deny, Text: a.words(rest, "why")}
		case word == "y" && q.Effect.ByPerson():
			if answer, ok := a.reply(q, rest); ok {
				return answer
			}
		case rest == "" && chosen(q, word) != "":
			if answer, ok := a.said(q, chosen(q, word)); ok {
				return answer
			}
		case rest != "":
		case word == "y":
			return event.Answer{Kind: event.Once}
		case word == "t" && q.CanTry():
			return event.Answer{Kind: event.Try}
		case word == "w" && q.CanGoOnline():
			return event.Answer{Kind: event.Online}
		case word == "n" || word == "":
			return event.Answer{Kind: event.Deny}
		default:
			for i, offer := range q.Offers {
				if word == keys(q)[i] {
					return event.Answer{Offer: offer.ID}
				}
			}
		}
	}
}

// Describe words a question: its heading with all that must be read before an answer, and what would happen.
func Describe(q event.Question) (heading, preview string) {
	lines := strings.Split(q.Heading(), "\n")
	if len(q.More) == 0 {
		lines, preview = append(lines, q.Reasons()...), q.Preview
	} else {
		for _, call := range q.Calls() {
			preview += strings.Join(append([]string{call.Named()}, call.Reasons()...), "\n") + "\n" + call.Preview +
				"\n"
		}
	}
	for i := range lines {
		lines[i] = visible.Line(lines[i])
	}
	return strings.Join(lines, "\n"), preview
}

// words are those that a person typed after their choice, or types now. The end of the input is no words.
func (a *Asker) words(typed, prompt string) string {
	if strings.TrimSpace(typed) == "" {
		typed, _ = a.Terminal.Ask(prompt)
	}
	return strings.TrimSpace(typed)
}

// reply is the answer to a call that asks the person something; ok is false if it is none.
func (a *Asker) reply(q event.Question, typed string) (answer event.Answer, ok bool) {
	fields, err := arguments.FormFields(q.Form)
	if len(q.Form) == 0 || err != nil || typed != "" {
		return a.said(q, a.words(typed, "answer"))
	}
	if q.From != "" && arePieces(fields) {
		lines, err := decide(fields, a.piece)
		if err != nil {
			return event.Answer{Kind: event.Deny}, true
		}
		return a.said(q, arguments.FormText(lines))
	}
	lines := make([]arguments.FormField, 0, len(fields))
	for _, f := range fields {
		prompt := visible.Line(f.Name + " (" + f.Says + ")")
		if f.Default != "" {
			prompt = visible.Line(fmt.Sprintf("%s (%s; empty: %s)", f.Name, f.Says, f.Default))
		}
		line, err := a.Terminal.Ask(prompt)
		if err != nil {
			return event.Answer{Kind: event.Deny}, true
		}
		f.Default = cmp.Or(strings.TrimSpace(line), f.Default)
		lines = append(lines, f)
	}
	return a.said(q, arguments.FormText(lines))
}

// said is the answer that a person typed; ok is false if it does not fit the form, which is said.
func (a *Asker) said(q event.Question, text string) (answer event.Answer, ok bool) {
	if len(q.Form) == 0 {
		return event.Answer{Kind: event.Once, Text: text}, true
	}
	form, err := arguments.ReadForm(q.Form, text)
	if err != nil {
		a.Terminal.Show(visible.Line("Your answer was not taken: "+err.Error()), "", "")
		return event.Answer{}, false
	}
	return event.Answer{Kind: event.Once, Form: form}, true
}

// chosen is the answer that a person picked by its number; empty: none.
func chosen(q event.Question, word string) string {
	if n, err := strconv.Atoi(word); err == nil && n >= 1 && n <= len(q.Choices) {
		return q.Choices[n-1]
	}
	return ""
}

// keys are the words to type for the offers of a question: a letter for the first of a scope, else its number.
func keys(q event.Question) []string {
	letters := map[policy.Scope]string{policy.Chat: "c", policy.Workspace: "a"}
	out := make([]string, len(q.Offers))
	for i, offer := range q.Offers {
		out[i] = strconv.Itoa(i + 1)
		if letter, free := letters[offer.Scope]; free {
			out[i] = letter
			delete(letters, offer.Scope)
		}
	}
	return out
}

// choices names the answers to a question and what each allows.
func choices(q event.Question) string {
	switch {
	case q.Pull:
		return "[y] pull it  [n] deny"
	case q.Model != "":
		return "[y] send it  [n] deny"
	}
	all := "[y] " + visible.Line(cmp.Or(q.Yes, "once"))
	if q.Outside != "" {
		all = "[y] run it outside the sandbox, with your own rights"
	}
	if q.Effect.ByPerson() {
		all = "[y] answer"
		for i, choice := range q.Choices {
			all += fmt.Sprintf("  [%d] %s", i+1, visible.Line(choice))
		}
	}
	if q.CanTry() {
		all += "  [t] try it on a copy"
	}
	if q.CanGoOnline() {
		all += "  [w] run with the network"
	}
	for i, key := range keys(q) {
		title := q.Offers[i].Title
		all += "  [" + key + "] " + visible.Line(strings.ToLower(title[:1])+title[1:])
	}
	no := visible.Line(strings.ToLower(cmp.Or(q.No, "deny")))
	if q.Mention != "" || q.From != "" && !q.Why { // there is no model yet that would read why
		return all + "  [n] " + no
	}
	return all + "  [n] " + no + "  [r] " + no + " and say why"
}
