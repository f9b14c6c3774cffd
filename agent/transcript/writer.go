package transcript

import "strings"

// Writer turns a reply, as it streams, into the pieces of Markdown to append to a document. Every method returns what
// has to be appended now, possibly nothing. For any way of cutting the same text into deltas the pieces join to the
// same document, and it reads back as what was written (texts as [NormalText] gives them). A Writer is used by one
// goroutine.
type Writer struct {
	out      strings.Builder
	newlines int    // line ends at the end of the document; 2 also at its start
	role     Role   // whose turn it is; 0 before the first
	closer   string // closes what the document had open when the Writer began
	text     *stream
	style    *proseStyle // of text, while it is prose
	thinking *stream
}

// thinkingFence is longer than the fences that models write when they think.
var thinkingFence = fence{char: '`', size: 4}

// NewWriter continues a document, of which before is all that is before the place to append at. If before ends
// inside a fence (a person's, or that of a reply that broke off) the next piece closes it. What is after the place
// must be on a line of its own.
func NewWriter(before string) *Writer {
	w := &Writer{}
	chat := &Chat{}
	p := parser{text: before, chat: chat, lines: newLines(before, parseFront(before, chat)), textStart: -1}
	blockOpen := p.run()
	w.closer, w.role = p.track.closing(blockOpen), p.turn.Role
	end := normalNewlines(before[max(0, len(before)-len("\r\n\r\n")):])
	w.newlines = min(2, len(end)-len(strings.TrimRight(end, "\n")))
	if strings.Trim(before, "\r\n") == "" {
		w.newlines = 2
	}
	return w
}

// YouHeading begins a turn of the user, on a line of its own.
const YouHeading = "## You\n\n"

// YouHeading begins a turn of the user.
func (w *Writer) YouHeading() string { return w.heading(You, YouHeading) }

// AssistantHeading begins a turn of the model.
func (w *Writer) AssistantHeading() string { return w.heading(Assistant, "## Assistant\n\n") }

func (w *Writer) heading(role Role, line string) string {
	w.separate()
	w.role = role
	w.out.WriteString(line)
	w.newlines = 2
	return w.take()
}

// Text takes the next piece of prose, in a turn of the model of what it says.
func (w *Writer) Text(delta string) string {
	if w.text == nil {
		w.style = &proseStyle{model: w.role == Assistant}
		w.text = &stream{out: &w.out, style: w.style, open: w.startBlock}
	}
	if hasVisible(delta) {
		w.closeThinking()
	}
	w.text.push(delta)
	return w.take()
}

// Thinking takes the next piece of the model's reasoning.
func (w *Writer) Thinking(delta string) string {
	w.writeThinking(delta, header{word: "thinking"})
	return w.take()
}

func (w *Writer) writeThinking(delta string, h header) {
	if w.thinking == nil {
		w.thinking = &stream{out: &w.out, style: thinkingStyle{thinkingFence}, open: func() {
			w.startBlock()
			w.out.WriteString(thinkingFence.String() + h.String() + "\n")
		}}
	}
	if hasVisible(delta) {
		w.closeText()
	}
	w.thinking.push(delta)
}

// hasVisible reports whether a delta is more than whitespace and line ends: only that ends what was written before it.
func hasVisible(delta string) bool { return strings.Trim(delta, " \t\r\n") != "" }

// Call writes a tool call.
func (w *Writer) Call(c Call) string { return w.block(formatCall(c)) }

// Malformed writes something that was meant as a call and cannot run, and why, in one sentence.
func (w *Writer) Malformed(id, raw, reason string) string {
	return w.block(formatMalformed(Malformed{ID: id, Raw: raw, Reason: reason}))
}

// Result writes the result of a call.
func (w *Writer) Result(r Result) string { return w.block(formatResult(r)) }

// Context writes what is sent along with a turn of the user.
func (w *Writer) Context(c Context) string { return w.block(formatContext(c)) }

// Image writes an image of the result or the context above.
func (w *Writer) Image(i Image) string { return w.block(formatImage(i)) }

// Reason writes a block with an empty line, in which the user writes why the call is denied.
func (w *Writer) Reason(id string) string { return w.block(formatOwn("reason", id, false, "")) }

// Answer writes a block in which the user writes the answer to a call that asks them: with a form to fill in, or an
// empty line.
func (w *Writer) Answer(id, form string) string { return w.block(formatOwn("answer", id, false, form)) }

// End closes whatever is open and ends the line. The Writer may be used on.
func (w *Writer) End() string {
	w.closeStreams()
	w.closeBefore()
	if w.newlines == 0 {
		w.out.WriteByte('\n')
		w.newlines = 1
	}
	return w.take()
}

func (w *Writer) block(block string) string {
	w.separate()
	w.out.WriteString(block + "\n")
	w.newlines = 1
	return w.take()
}

// separate closes what is open and leaves one blank line.
func (w *Writer) separate() {
	w.closeStreams()
	w.startBlock()
}

// startBlock is separate when no stream of this Writer is open. Something without a line end follows.
func (w *Writer) startBlock() {
	w.closeBefore()
	for ; w.newlines < 2; w.newlines++ {
		w.out.WriteByte('\n')
	}
	w.newlines = 0
}

func (w *Writer) closeBefore() {
	if w.closer == "" {
		return
	}
	if w.newlines == 0 {
		w.out.WriteByte('\n')
	}
	w.out.WriteString(w.closer)
	w.closer, w.newlines = "", 0
}

// closeStreams ends the text and the thinking. At most one of them holds anything visible.
func (w *Writer) closeStreams() {
	w.closeText()
	w.closeThinking()
}

func (w *Writer) closeText() {
	if w.text == nil {
		return
	}
	w.text.end()
	if closing := w.style.track.closing(false); closing != "" {
		w.out.WriteString("\n" + closing)
	}
	w.text, w.style = nil, nil
}

func (w *Writer) closeThinking() {
	if w.thinking == nil {
		return
	}
	w.thinking.end()
	if w.thinking.begun {
		w.out.WriteString("\n" + thinkingFence.String() + "\n")
		w.newlines = 1
	}
	w.thinking = nil
}

func (w *Writer) take() string {
	piece := w.out.String()
	w.out.Reset()
	return piece
}
