package transcript

import "strings"

// Render writes a whole document. Parse reads it back as c, apart from the spans and as far as c is normal: texts as
// [NormalText] gives them and never empty or adjacent, durations as [RoundTook] gives them, arguments as
// [ParseArguments] gives them, in a You turn only Text, Context, Reason, Answer and images of contexts.
func Render(c Chat) string {
	var b strings.Builder
	front := formatFront(c.Front)
	preamble := normalPreamble(c.Preamble.Markdown)
	if front == "" && strings.HasPrefix(preamble, "---") {
		front = "---\n---\n" // so that the text is not taken for front matter
	}
	b.WriteString(front)
	w := &Writer{newlines: 2}
	if front != "" {
		w.newlines = 1
	}
	b.WriteString(w.Text(preamble))
	for _, t := range c.Turns {
		if t.Role == You {
			b.WriteString(w.YouHeading())
		} else {
			b.WriteString(w.AssistantHeading())
		}
		for _, block := range t.Blocks {
			b.WriteString(w.write(block))
		}
	}
	b.WriteString(w.End())
	return b.String()
}

// UserText writes a text into a turn of the user so that all of it is their words, whatever it holds. Context is what
// is sent with it.
func UserText(text string, context ...Context) string {
	text = NormalText(text)
	var blocks []Block
	if text != "" {
		blocks = append(blocks, Text{Markdown: text})
	}
	for _, c := range context {
		blocks = append(blocks, c)
	}
	if blocks == nil {
		return ""
	}
	turn := Render(Chat{Turns: []Turn{{Role: You, Blocks: blocks}}})
	return NormalText(strings.TrimPrefix(turn, YouHeading))
}

// write writes one block whole.
func (w *Writer) write(block Block) string {
	switch block := block.(type) {
	case Text:
		return w.Text(block.Markdown)
	case Thinking:
		w.closeStreams()
		w.writeThinking(block.Text, header{word: "thinking", notSent: block.NotSent})
		return w.take()
	case Call:
		return w.Call(block)
	case Malformed:
		return w.block(formatMalformed(block))
	case Result:
		return w.Result(block)
	case Context:
		return w.Context(block)
	case Image:
		return w.Image(block)
	case Reason:
		return w.block(formatOwn("reason", block.ID, block.NotSent, block.Text))
	case Answer:
		return w.block(formatOwn("answer", block.ID, block.NotSent, block.Text))
	}
	return ""
}

// normalPreamble is NormalText without byte order marks, which are not part of a document.
func normalPreamble(text string) string {
	for {
		normal := NormalText(strings.TrimLeft(text, "\uFEFF"))
		if normal == text {
			return text
		}
		text = normal
	}
}
