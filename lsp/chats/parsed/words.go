package parsed

import (
	"strings"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/slash"
	"github.com/assent-ls/assent/agent/transcript"
)

// WordsBefore are the user's own words down to an offset in them; start is where they begin.
func (v View) WordsBefore(offset int) (words string, start int, ok bool) {
	at, ok := v.Chat.TurnAt(offset)
	if !ok || v.Chat.Turns[at].Role != transcript.You {
		return "", 0, false
	}
	for text := range Blocks[transcript.Text](v.Chat.Turns[at]) {
		if text.Span.Start <= offset && offset <= text.Span.End {
			return v.Slice(text.Span.Start, offset), text.Span.Start, true
		}
	}
	return "", 0, false
}

// Mentions lists the mentions of a turn, with their places in the document.
func (v View) Mentions(turn transcript.Turn) []attach.Mention {
	var all []attach.Mention
	if turn.Role != transcript.You {
		return nil
	}
	for text := range Blocks[transcript.Text](turn) {
		all = append(all, v.MentionsIn(text)...)
	}
	return all
}

func (v View) MentionsIn(text transcript.Text) []attach.Mention {
	all := attach.FindMentions(v.Slice(text.Span.Start, text.Span.End))
	for i := range all {
		all[i].Span.Start += text.Span.Start
		all[i].Span.End += text.Span.Start
	}
	return all
}

// FrontLine is the key of the line of the front matter at an offset, and where its value is; ok is false if there
// is none.
func (v View) FrontLine(offset int) (key string, value transcript.Span, ok bool) {
	front := v.Chat.Front.Span
	if offset <= front.Start || offset > front.End {
		return "", transcript.Span{}, false
	}
	line := v.LineAt(offset)
	line.End = min(line.End, front.End)
	key, rest, ok := strings.Cut(v.Slice(line.Start, line.End), ":")
	if !ok {
		return "", transcript.Span{}, false
	}
	start := line.End - len(strings.TrimLeft(rest, " \t"))
	return strings.TrimSpace(key), transcript.Span{Start: start, End: start + len(strings.TrimSpace(rest))}, true
}

// CommandWord is the command that a turn begins with: its name with the slash.
type CommandWord struct {
	Name, Arguments string
	Span            transcript.Span // of the name
	Words           transcript.Span // of all words of the block
}

// CommandOf finds the command that a turn begins with.
func (v View) CommandOf(turn transcript.Turn) (w CommandWord, ok bool) {
	if turn.Role != transcript.You || turn.Empty() {
		return w, false
	}
	text, ok := turn.Blocks[0].(transcript.Text)
	if !ok {
		return w, false
	}
	w.Words = text.Span
	written := v.Slice(text.Span.Start, text.Span.End)
	if w.Name, w.Arguments, ok = slash.Parse(written); !ok {
		return w, false
	}
	at := text.Span.Start + strings.IndexByte(written, '/')
	w.Span = transcript.Span{Start: at, End: at + 1 + len(w.Name)}
	return w, true
}

func (v View) UnsentWord() (w CommandWord, ok bool) {
	turn, _ := v.Unsent()
	return v.CommandOf(turn)
}

// AskedBefore is where the last question is above a command.
func (v View) AskedBefore(w CommandWord) (offset int, ok bool) {
	for _, turn := range v.Chat.Turns {
		if turn.Role == transcript.You && !turn.Empty() && turn.Span.End <= w.Span.Start {
			offset, ok = turn.Span.Start, true
		}
	}
	return offset, ok
}
