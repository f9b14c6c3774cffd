package transcript

import "strings"

// CodeBlock is a fenced code block at the top level of a text, which is closed.
type CodeBlock struct {
	Info  string // behind the fence, without blanks around it
	Text  string // what is in it as a program has it: with LF, and without the indentation of the fence
	Span  Span   // all of it, without the line end of its last line
	First Span   // the line that opens it, without its line end
	Body  Span   // the lines in it
}

// CodeBlocks finds those of a text. The time is linear in the length of the text.
func CodeBlocks(markdown string) []CodeBlock {
	if !strings.Contains(markdown, "```") && !strings.Contains(markdown, "~~~") {
		return nil
	}
	var found []CodeBlock
	var track tracker
	var block CodeBlock
	var text strings.Builder
	all := newLines(markdown, 0)
	for line := range all.each {
		switch track.feed(markdown[line.Start:line.End]) {
		case fenceOpens:
			block = CodeBlock{Info: track.fence.info, First: line, Body: Span{Start: all.pos}}
			text.Reset()
		case fenceBody:
			text.WriteString(outdent(markdown[line.Start:line.End], track.fence.indent) + "\n")
		case fenceCloses:
			block.Body.End, block.Span = line.Start, Span{Start: block.First.Start, End: line.End}
			block.Text = text.String()
			found = append(found, block)
		case prose, headingLine, htmlCloses:
		}
	}
	return found
}
