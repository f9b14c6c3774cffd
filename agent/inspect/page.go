package inspect

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/prompts"
)

// maxWire is how many bytes of a request are on its page besides its parts: an editor opens it, and images are long.
const maxWire = 1 << 20

// Page is the request as a document for a person, in Markdown. What others wrote is in fences, where a preview
// makes nothing of it, and what cannot be seen is written out.
func (r Request) Page() (string, error) {
	w, err := readBody(r.Body)
	if err != nil {
		return "", fmt.Errorf("the request cannot be read: %w", err)
	}
	var b strings.Builder
	b.WriteString("# What the model sees\n\n")
	r.writeHead(&b)
	b.WriteString("\n## Parts\n\n")
	r.writeParts(&b)
	section := func(title, language, text string) {
		b.WriteString("\n## " + title + "\n\n")
		writeFenced(&b, language, text)
	}
	section("Settings of the request", "json", indented(w.settings))
	for i, m := range w.Messages {
		fmt.Fprintf(&b, "\n## Message %d of %d: %s\n\n", i+1, len(w.Messages), m.Role)
		m.write(&b)
	}
	if len(w.Tools) > 0 {
		section("Tools", "json", indented(w.Tools))
	}
	if len(w.Format) > 0 {
		section("What the reply is constrained to", "json", indented(w.Format))
	}
	if err := r.writeOthers(&b); err != nil {
		return "", err
	}
	rendered := r.Rendered
	if r.Unrendered != "" {
		rendered = visible.Line(r.Unrendered)
	}
	section("The prompt as the server writes it for the model", "", rendered)
	b.WriteString("\n## The request over the wire\n\n")
	if len(r.Body) > maxWire {
		fmt.Fprintf(&b, "It has %d bytes: `assent inspect --json` prints them.\n", len(r.Body))
	} else {
		writeFenced(&b, "json", visible.JSON(string(r.Body)))
	}
	return b.String(), nil
}

// writeHead says what the request is, and what is odd about it.
func (r Request) writeHead(b *strings.Builder) {
	if r.Unsent == "" {
		b.WriteString("This is the request that Send would make now.\n\n")
	} else {
		b.WriteString("Send would make no request now: " + visible.Line(r.Unsent) +
			". This is what the model sees of the chat as it is now.\n\n")
	}
	var head strings.Builder
	line := func(name, value string) { head.WriteString(name + ": " + visible.Line(value) + "\n") }
	line("chat", r.Chat)
	named := r.Model.Name
	if r.Why != "" {
		named += ", chosen because it is " + r.Why
	}
	if host := r.Model.Elsewhere(); host != "" {
		named += ", which runs at " + host
	}
	line("model", named)
	if r.Model.Server != "" {
		line("server", r.Model.Server)
	}
	line("format of tool calls", r.Format)
	if len(r.Flags) > 0 {
		line("flags of this launch", strings.Join(r.Flags, ", "))
	}
	size := fmt.Sprintf("~%d of %d tokens, of which the server has counted %d",
		r.Estimate.Tokens, r.Request.ContextSize, r.Estimate.Counted)
	if r.Estimate.Exact {
		size = fmt.Sprintf("%d of %d tokens, as the server counts them", r.Estimate.Tokens, r.Request.ContextSize)
	}
	line("size", fmt.Sprintf("%s; %d bytes over the wire", size, len(r.Body)))
	if r.Uncounted != "" {
		line("note", r.Uncounted)
	}
	if r.Unsettled {
		line(
			"note",
			"the model was not used yet: Send loads it first, and may find that another size of the context "+
				"(num_ctx) suits it",
		)
	}
	if r.Profile.Rereads {
		line(
			"note",
			"the chat template of this family writes an answer in another way once a new question follows, "+
				"so the server reads the last answer again then",
		)
	}
	for _, note := range r.Notes {
		line("note", note)
	}
	for _, added := range r.Attached {
		if added.NotSent {
			line("note", added.Name+": "+added.Text())
		}
	}
	writeFenced(b, "", head.String()+layers(r.Prompt))
}

// layers lists the layers of a system prompt, used or not.
func layers(prompt prompts.Prompt) string {
	var b strings.Builder
	for _, layer := range prompt.Layers {
		b.WriteString("system prompt, " + visible.Line(layer.String()) + "\n")
	}
	return b.String() + "hash of the system prompt: " + prompt.Hash() + "\n"
}

// PromptPage is a system prompt, of about so many tokens, as a document for a person, in Markdown.
func PromptPage(prompt prompts.Prompt, tokens int) string {
	var b strings.Builder
	b.WriteString("# The system prompt\n\n")
	size := fmt.Sprintf("size: %d characters, ~%d tokens\n", utf8.RuneCountInString(prompt.Text), tokens)
	writeFenced(&b, "", layers(prompt)+size)
	b.WriteString("\n## Its text\n\n")
	writeFenced(&b, "", prompt.Text)
	return b.String()
}

func (r Request) writeParts(b *strings.Builder) {
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PART\tTOKENS\tFROM")
	for _, p := range r.Parts() {
		fmt.Fprintf(
			w, "%s%s\t~%d\t%s\n", strings.Repeat("  ", p.Level), visible.Line(p.Name), p.Tokens, visible.Line(p.From),
		)
	}
	_ = w.Flush() // a buffer takes all
	writeFenced(b, "", table.String())
}

// writeFenced writes a text in a fence that it cannot close.
func writeFenced(b *strings.Builder, language, text string) {
	text = visible.Text(strings.TrimSuffix(text, "\n"))
	fence := transcript.FenceAround(text)
	b.WriteString(fence + language + "\n" + text + "\n" + fence + "\n")
}
