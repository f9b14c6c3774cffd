package transcript

import "strings"

// Parse reads a document. It never fails: what cannot be read becomes a Problem, and text that is not ours stays
// text. The time is linear in the length of the text.
func Parse(text string) *Chat {
	chat := &Chat{}
	start := parseFront(text, chat)
	p := parser{text: text, chat: chat, lines: newLines(text, start), textStart: -1}
	p.run()
	return chat
}

// parser reads a document from the start of a turn, or from the end of the front matter, to the end.
type parser struct {
	text  string
	clone bool                 // the parts must not keep the whole text in memory
	known func(start int) bool // if not nil: reading ends before the turn that begins there
	ended bool                 // known said so
	chat  *Chat
	lines lines
	track tracker
	inert inert

	turn  Turn       // the turn that is being read; its Role is 0 before the first
	block *openBlock // the reserved block that is open

	textStart, textEnd int        // the lines of prose gathered so far, without blank lines around them; -1: none
	additions          []addition // the parts of them that Assent added

	closer, beforeCloser Span // a line that closed a fence or HTML, if it was the last line, and the line before it
	last                 Span

	headingInFence  Span // the first heading of a turn inside the open fence
	ownFenceFollows bool // a reserved fence follows it
}

type openBlock struct {
	fence fence
	start int // of the opening fence
	body  int
}

// addition is a part of prose that Assent added: a backslash, or a closing line with closedMark.
type addition struct {
	Span
	closerEnd int // of the closing line; 0 for a backslash
}

// run reads to the end and reports whether a reserved block was still open there.
func (p *parser) run() (blockOpen bool) {
	for span := range p.lines.each {
		if p.line(span); p.ended {
			return false
		}
		p.last = span
	}
	if p.track.leaf == fenced && len(p.track.open) == 0 {
		p.reportHeadingInFence()
	}
	if blockOpen = p.block != nil; blockOpen {
		p.endBlock(len(p.text), len(p.text))
	}
	p.endTurn(len(p.text))
	if len(p.chat.Turns) == 0 && p.chat.Preamble.Markdown != "" {
		p.chat.report(Problem{
			Span: p.chat.Preamble.Span, Message: "There is no `## You` heading yet, so there is nothing to send.",
			FixAt: p.chat.Preamble.Span.Start, Fix: "## You\n\n", FixName: "Put `## You` before this text",
		})
	}
	return blockOpen
}

func (p *parser) line(span Span) {
	s := p.text[span.Start:span.End]
	if p.block == nil && s != "" && mayBeOwn[s[0]] {
		p.findAddition(s, span)
		if p.ownImage(s, span) {
			return
		}
	}
	disarmed := p.disarmed(s, span)
	wasCloser := false
	event := p.track.feed(s)
	p.inert.ended(s, event, &p.track)
	switch event {
	case headingLine:
		if p.track.role != 0 {
			p.endTurn(span.Start)
			p.ended = p.known != nil && p.known(span.Start)
			p.turn = Turn{Role: p.track.role, Heading: span, Span: Span{Start: span.Start}}
			return
		}
		p.prose(s, span, disarmed)
	case fenceOpens:
		p.headingInFence, p.ownFenceFollows = Span{}, false
		if reserved(p.turn.Role, firstWord(p.track.fence.info)) {
			p.endText()
			p.block = &openBlock{p.track.fence, span.Start, p.lines.pos}
			return
		}
		p.prose(s, span, disarmed)
	case fenceBody:
		p.findHeadingInFence(s, span)
		p.prose(s, span, disarmed)
	case fenceCloses:
		if p.ownFenceFollows {
			p.reportHeadingInFence()
		}
		if p.block != nil {
			p.endBlock(span.Start, span.End)
			return
		}
		p.prose(s, span, disarmed)
		wasCloser = true
	case htmlCloses:
		p.prose(s, span, disarmed)
		wasCloser = true
	case prose:
		p.prose(s, span, disarmed)
	}
	p.closer = Span{}
	if wasCloser {
		p.closer, p.beforeCloser = span, p.last
	}
}

// firstWord is what is before the first blank.
func firstWord(s string) string {
	if end := strings.IndexAny(s, " \t"); end >= 0 {
		return s[:end]
	}
	return s
}

func (c *Chat) report(p Problem) { c.Problems = append(c.Problems, p) }

// mayBeOwn holds the first bytes of lines in which ownMark may find something.
var mayBeOwn = [256]bool{' ': true, '\\': true, '<': true, '!': true, '`': true, '~': true}

// findAddition finds what Assent added to a line of prose, before the line is tracked.
func (p *parser) findAddition(s string, span Span) {
	at, m := ownMark(s, true)
	if m != yes || !p.track.top(leading(s, ' ')) {
		return
	}
	switch {
	case p.turn.Role == Assistant && s[at] == '\\' && isInline(s, at): // disarmed finds it
	case s[at] == '\\':
		p.additions = append(p.additions, addition{Span: Span{span.Start + at, span.Start + at + 1}})
	case s[at] == '<' && p.closer.End > 0 && p.textStart >= 0:
		p.additions = append(p.additions, addition{Span{p.beforeCloser.End, span.End}, p.closer.End})
	}
}

// ownImage reads a line that is an image of a result or a context.
func (p *parser) ownImage(s string, span Span) bool {
	indent := leading(s, ' ')
	image, ok := ownImage(s[indent:])
	if !ok || indent > maxIndent || image.Context != (p.turn.Role == You) || p.turn.Role == 0 || !p.track.top(indent) {
		return false
	}
	p.endText()
	image.Path, image.Span, p.closer = strings.Clone(image.Path), span, Span{}
	image.Of = strings.Clone(image.Of)
	p.turn.Blocks = append(p.turn.Blocks, image)
	p.track.closeTo(0)
	return true
}

// findHeadingInFence looks for signs that a fence was meant to end earlier.
func (p *parser) findHeadingInFence(s string, span Span) {
	if s == "" || s[0] != '#' && !mayBeOwn[s[0]] {
		return
	}
	indent := leading(s, ' ')
	if indent > maxIndent {
		return
	}
	switch {
	case p.headingInFence.End == 0:
		if headingRole(s[indent:]) != 0 {
			p.headingInFence = span
		}
	case !p.ownFenceFollows:
		// Assent's own fences are longer than what is in them, but for thinking.
		f := p.track.fence
		_, m := ownMark(s, true)
		p.ownFenceFollows = m == yes && leading(s[indent:], f.char) >= f.size && parseHeader(f.info).word != "thinking"
	}
}

func (p *parser) reportHeadingInFence() {
	if p.headingInFence.End == 0 {
		return
	}
	p.chat.report(Problem{
		Span:    p.headingInFence,
		Message: "This heading is inside a code fence that was not closed before it, so no turn begins here.",
		FixAt:   p.headingInFence.Start, Fix: p.track.fence.String() + "\n\n",
		FixName: "Close the fence before this heading",
	})
	p.headingInFence = Span{}
}

// disarmed finds the backslashes that make what a model says harmless in a line, before the line is tracked.
func (p *parser) disarmed(s string, span Span) []addition {
	if p.turn.Role != Assistant || p.block != nil || !strings.ContainsAny(s, "`!<[]") || p.track.inCode(s) {
		return nil
	}
	p.inert.begin(s)
	var found []addition
	for _, backslashes := range p.inert.added(s) {
		found = append(found, addition{Span: backslashes.moved(span.Start)})
	}
	return found
}

func (p *parser) prose(s string, span Span, disarmed []addition) {
	if p.block != nil || isBlank(s) {
		return
	}
	p.additions = append(p.additions, disarmed...)
	if p.textStart < 0 {
		p.textStart = span.Start
	}
	p.textEnd = span.End
}

// endText makes a Text of the prose gathered so far.
func (p *parser) endText() {
	if p.textStart < 0 {
		p.additions = p.additions[:0]
		return
	}
	span := Span{p.textStart, p.textEnd}
	if markdown := NormalText(p.authored(span)); markdown != "" {
		text := Text{Markdown: markdown, Span: span}
		if p.turn.Role == 0 {
			p.chat.Preamble = text
		} else {
			p.turn.Blocks = append(p.turn.Blocks, text)
		}
	}
	p.textStart, p.additions = -1, p.additions[:0]
}

// authored is the text in span without what Assent added.
func (p *parser) authored(span Span) string {
	if len(p.additions) == 0 {
		return p.part(span.Start, span.End)
	}
	var b strings.Builder
	at := span.Start
	for _, c := range p.additions {
		if c.closerEnd > 0 && c.End < span.End {
			c.Start = c.closerEnd // the text goes on: then the fence has to end where it was closed
		}
		b.WriteString(p.text[at:max(at, c.Start)])
		at = c.End
	}
	b.WriteString(p.text[at:span.End])
	return b.String()
}

func (p *parser) part(start, end int) string {
	if p.clone {
		return strings.Clone(p.text[start:end])
	}
	return p.text[start:end]
}

// endBlock reads the reserved block whose body ends at bodyEnd and whose closing fence ends at end.
func (p *parser) endBlock(bodyEnd, end int) {
	b := p.block
	p.block = nil
	b.fence.info = strings.Clone(b.fence.info)
	body := p.part(min(b.body, bodyEnd), bodyEnd)
	if b.fence.indent > 0 {
		body = outdent(normalNewlines(body), b.fence.indent)
	}
	block, problem := newBlock(b.fence, body, Span{b.start, end})
	p.turn.Blocks = append(p.turn.Blocks, block)
	if problem != "" {
		p.chat.report(Problem{Span: Span{b.start, end}, Message: problem})
	}
}

// outdent takes up to n spaces off the start of every line.
func outdent(body string, n int) string {
	return mapLines(body, func(line string) string { return line[min(n, leading(line, ' ')):] })
}

func (p *parser) endTurn(end int) {
	p.endText()
	if p.turn.Role != 0 {
		p.turn.Span.End = end
		p.chat.Turns = append(p.chat.Turns, p.turn)
	}
	p.closer = Span{}
}

// closing is what closes the fence or HTML block that is open at the top level.
func (t *tracker) closing(blockOpen bool) string {
	switch {
	case len(t.open) > 0:
	case t.leaf == fenced && blockOpen:
		return t.fence.String()
	case t.leaf == fenced:
		return t.fence.String() + "\n" + closedMark
	case t.leaf == html && t.html < htmlToBlank:
		return htmlClosers[t.html] + "\n" + closedMark
	}
	return ""
}
