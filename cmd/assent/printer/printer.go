// Package printer shows a run to a person at a terminal or in a pipe.
package printer

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/internal/visible"
)

// maxPart is the length from which a line of output is printed before it ends.
const maxPart = 4 << 10

// pullStep is after how many percent of a model that is fetched a line says so.
const pullStep = 10

// Printer shows the events of a run to a person: what the model says on Out, everything else on Notes.
type Printer struct {
	Out, Notes io.Writer
	Line       *terminal.Line // nil: what goes on is noted, and only in part

	thinking bool
	used     string            // what the last reply took of the context
	midLine  bool              // the last thing on out did not end its line
	pulled   int               // percent of the model that were told; they are told in steps
	part     map[string]string // by call: the line of its output that has no end yet
}

// Emit implements agent.Sink.
func (p *Printer) Emit(e event.Event) {
	switch e := e.(type) {
	case event.Started:
		line := fmt.Sprintf("model %s, context %d tokens", e.Model, e.ContextSize)
		if e.Host != "" {
			line = fmt.Sprintf("model %s, which runs at %s, context %d tokens", e.Model, e.Host, e.ContextSize)
		}
		if e.Why != "" {
			line += ": " + e.Why
		}
		p.note(line)
	case event.Progress:
		switch {
		case p.Line != nil && e.Stage != event.Pulling:
			p.goesOn(e)
		case e.Stage == event.Queued, e.Stage == event.Loading:
			p.note(progressText(e))
		case e.Stage == event.Pulling && (e.Percent() == 0 && p.pulled == 0 || e.Percent() >= p.pulled+pullStep):
			p.pulled = e.Percent() / pullStep * pullStep
			p.note(progressText(e))
		}
	case event.TextDelta:
		p.thinking = false
		p.say(e.Text)
	case event.ThinkingDelta:
		if !p.thinking {
			p.marked(terminal.Dim, "thinking …", "")
		}
		p.thinking = true
	case event.CallAdded:
		p.call(e)
	case event.CallMalformed:
		if e.Malformed.Raw == "" {
			p.note(e.Malformed.Reason)
			break
		}
		p.marked(terminal.Red, "✗", " a call that cannot be read: "+e.Malformed.Reason)
	case event.CallOutput:
		p.output(e)
	case event.CallEnded:
		p.outputEnded(e.ID)
		p.marked(endedText(e))
	case event.StepEnded:
		p.used = e.Usage.String()
	case event.Finished:
		p.Line.Clear()
		p.endLine()
		if p.used != "" {
			p.marked(terminal.Dim, p.used, "")
		}
		if e.Sentence != "" {
			p.note(e.Sentence)
		}
	case event.ContextAdded, event.StepStarted, event.RequestSent, event.RequestEnded:
	case event.CallWaiting:
		p.Line.Clear()
	}
}

func (p *Printer) call(e event.CallAdded) {
	body, err := transcript.FormatArguments(e.Call.Arguments)
	if err != nil {
		body = string(e.Call.Arguments)
	}
	p.marked(terminal.Bold, "→ "+e.Call.Name, "")
	for line := range strings.Lines(body) {
		p.note("    " + strings.TrimRight(line, "\n"))
	}
}

// output prints the whole lines of what a running call shows.
func (p *Printer) output(e event.CallOutput) {
	if e.Omitted > 0 {
		p.outputEnded(e.ID)
		p.note(fmt.Sprintf("  │ [%d bytes not shown]", e.Omitted))
	}
	if p.part == nil {
		p.part = map[string]string{}
	}
	for line := range strings.Lines(p.part[e.ID] + e.Text) {
		p.part[e.ID] = strings.TrimSuffix(line, "\n")
		if p.part[e.ID] != line || len(line) > maxPart {
			p.outputEnded(e.ID)
		}
	}
}

// outputEnded prints the line of a call's output that has no end.
func (p *Printer) outputEnded(call string) {
	if line, ok := p.part[call]; ok {
		p.note("  │ " + line)
		delete(p.part, call)
	}
}

func (p *Printer) say(text string) {
	fmt.Fprint(p.Out, text)
	if text != "" {
		p.midLine = !strings.HasSuffix(text, "\n")
	}
}

func (p *Printer) endLine() {
	if p.midLine {
		fmt.Fprintln(p.Out)
		p.midLine = false
	}
}

func (p *Printer) note(line string) { p.marked("", "", line) }

// marked prints a note that begins with a text in a style.
func (p *Printer) marked(style terminal.Style, mark, line string) {
	p.endLine()
	terminal.Print(
		p.Notes,
		terminal.Piece{Text: visible.Line(mark), Style: style}, terminal.Piece{Text: visible.Line(line) + "\n"},
	)
}

// goesOn says what the run does on the line that is written over, unless a line of the reply is there.
func (p *Printer) goesOn(e event.Progress) {
	p.Line.Clear()
	text := doing[e.Stage]
	if out, ok := p.Out.(*terminal.Writer); text == "" || p.midLine && ok && out.Live() {
		return
	}
	if e.Tokens > 0 {
		text += fmt.Sprintf(" ~%d tokens", e.Tokens)
	}
	if e.Note != "" {
		text += ": " + e.Note
	}
	p.Line.Set(func(shown time.Duration) string {
		if left := (e.Left - shown).Round(time.Second); left > 0 {
			return fmt.Sprintf("%s, about %v left", text, left)
		}
		if shown < time.Second {
			return text + " …"
		}
		return fmt.Sprintf("%s … %v", text, shown.Round(time.Second))
	})
}

// doing describes the stages of a run that progress is printed for.
var doing = map[event.Stage]string{
	event.Queued: "waiting for the model", event.Loading: "loading the model", event.Reading: "reading",
	event.Writing: "writing", event.Pulling: "fetching the model",
}

func progressText(e event.Progress) string {
	text := doing[e.Stage]
	if e.Note != "" {
		text += ": " + e.Note
	}
	return text + " …"
}

// endedText is one line about a result: the document holds all of it.
func endedText(e event.CallEnded) (style terminal.Style, mark, line string) {
	style, mark = terminal.Green, "✓"
	switch {
	case e.Denied, e.NotRun:
		style, mark = terminal.Yellow, "–"
	case e.Result.Failed:
		style, mark = terminal.Red, "✗"
	}
	first, rest, more := strings.Cut(strings.TrimSpace(e.Result.Text()), "\n")
	if n := strings.Count(rest, "\n") + 1; more && n == 1 {
		first += " … (1 more line)"
	} else if more {
		first += fmt.Sprintf(" … (%d more lines)", n)
	}
	return style, mark, " " + e.Name + ": " + first
}
