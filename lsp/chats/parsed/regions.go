package parsed

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/journal"
)

// regionsOf finds where the replies of a journal are, or belong: each below the question with its name. They are in
// the chat in the order of the journal.
func regionsOf(view View, replies []journal.Reply) []documents.Span {
	turns, asked := view.Chat.Turns, map[string]int{}
	for i, name := range QuestionNames(turns) {
		if turns[i].Role == transcript.You {
			asked[journal.Hash(name)] = i
		}
	}
	regions := make([]documents.Span, len(replies))
	next, sure := len(turns), false // the question of the next reply; sure: it was found by its name
	for i, reply := range slices.Backward(replies) {
		turn, named := asked[reply.Base]
		if named && turn < next {
			regions[i], next, sure = view.below(turn), turn, true
			continue
		}
		// The question was changed meanwhile, or has another name since an earlier one with the same words was: its
		// reply may still be there, with nothing missing, below the question before that of the next reply.
		if named || sure {
			if before := lastAnswered(turns[:next]); before >= 0 && view.holds(reply, view.below(before)) {
				regions[i], next = view.below(before), before
				continue
			}
		}
		if named {
			regions[i] = view.below(turn)
			continue
		}
		last, at := view.belowLast()
		if !view.resembles(reply, at) { // the last line of many replies is the same
			at = documents.At(at.End)
		}
		if regions[i] = at; view.holds(reply, at) {
			next = min(next, last)
		}
	}
	return regions
}

// lastAnswered is the last question that has a reply below it, or -1.
func lastAnswered(turns []transcript.Turn) int {
	for i := len(turns) - 2; i >= 0; i-- {
		if turns[i].Role == transcript.You && turns[i+1].Role == transcript.Assistant {
			return i
		}
	}
	return -1
}

// Unasked is a view without the question at its end.
func (v View) Unasked() View {
	if _, ok := v.Unsent(); ok {
		v.Chat = &transcript.Chat{Turns: v.Chat.Turns[:len(v.Chat.Turns)-1]}
	}
	return v
}

// holds reports whether the end of a reply is in a region.
func (v View) holds(reply journal.Reply, at documents.Span) bool {
	_, missing := gapOf(v, reply, at)
	return !missing
}

// resembles reports whether a region may hold a reply, or a part of it: half of the lines of one of them are in the
// other.
func (v View) resembles(reply journal.Reply, at documents.Span) bool {
	ours, theirs := wordLines(reply.Text), wordLines(v.Slice(at.Start, at.End))
	return shared(ours, theirs) || shared(theirs, ours)
}

// wordLines are the lines of a reply that have words, without headings.
func wordLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = trimLine(line); !strings.HasPrefix(line, "## ") && strings.ContainsFunc(line, unicode.IsLetter) {
			lines = append(lines, line)
		}
	}
	return lines
}

// shared reports whether half of some lines are among others.
func shared(lines, others []string) bool {
	there, found := map[string]bool{}, 0
	for _, line := range others {
		there[line] = true
	}
	for _, line := range lines {
		if there[line] {
			found++
		}
	}
	return 2*found >= len(lines)
}

// below is the region from behind the words of a question to the next turn of the user.
func (v View) below(question int) documents.Span {
	return v.trimmed(behindQuestion(v.Chat.Turns[question]), v.endOfReply(question))
}

// belowLast is the region for a reply whose question is not there: below the last one that has words, where it may
// still be, else at the end.
func (v View) belowLast() (question int, at documents.Span) {
	turns := v.Chat.Turns
	for i, turn := range slices.Backward(turns) {
		switch {
		case turn.Role != transcript.You || turn.Empty():
		case i+1 < len(turns) && turns[i+1].Role == transcript.Assistant:
			return i, v.below(i)
		default: // the reply's heading was taken out, or there is no reply
			return i, v.trimmed(turn.Heading.End, turn.Span.End)
		}
	}
	end := v.Text.Len()
	if last := v.Chat.LastYou(); last >= 0 && last == len(turns)-1 && turns[last].Empty() {
		end = turns[last].Span.Start
	}
	end = v.trimmed(0, end).End
	return len(turns), documents.At(end)
}

// endOfReply is the offset where the reply to a question ends.
func (v View) endOfReply(question int) int {
	turns, last := v.Chat.Turns, question
	for last+1 < len(turns) && turns[last+1].Role == transcript.Assistant {
		last++
	}
	return turns[last].Span.End
}

// trimmed is a part of the text without blank lines at its end, and without a heading that a fence swallowed which the
// reply left open.
func (v View) trimmed(from, end int) documents.Span {
	text := trimLine(v.Slice(from, end))
	if heading := strings.TrimSpace(transcript.YouHeading); text == heading || strings.HasSuffix(text, "\n"+heading) {
		text = trimLine(strings.TrimSuffix(text, heading))
	}
	return documents.Span{Start: from, End: from + len(text)}
}

// questionOf is the text of a turn of the user, without the context blocks.
func questionOf(turn transcript.Turn) string {
	var words []string
	for text := range Blocks[transcript.Text](turn) {
		for line := range strings.Lines(text.Markdown) {
			if line = trimLine(line); line != "" {
				words = append(words, line)
			}
		}
	}
	return strings.Join(words, "\n")
}

// QuestionNames are the names of the turns of the user: their text, and a number where an earlier turn has the same, as
// after "Go on." twice. Other turns have none.
func QuestionNames(turns []transcript.Turn) []string {
	names, times := make([]string, len(turns)), map[string]int{}
	for i, turn := range turns {
		if turn.Role != transcript.You {
			continue
		}
		words := questionOf(turn)
		times[words]++
		names[i] = words
		if n := times[words]; n > 1 {
			names[i] = fmt.Sprintf("%s\n\n(%d)", words, n) // no words hold an empty line
		}
	}
	return names
}

// behindQuestion is the offset where the text of a turn ends.
func behindQuestion(turn transcript.Turn) int {
	end := turn.Heading.End
	for text := range Blocks[transcript.Text](turn) {
		end = text.Span.End
	}
	return end
}
