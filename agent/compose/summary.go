package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
)

// SummaryBlock is the name of the context block with a summary: it is sent with the question above it, and all turns
// above that question are not. Deleting the block sends them again.
const SummaryBlock = "summary"

// Summarize replaces the turns above the last question by a summary of them.
func Summarize(turns []toolcall.Turn, summary string) []toolcall.Turn {
	at := LastQuestion(turns)
	kept := slices.Clone(turns[at:])
	kept[0] = withSummary(kept[0], summary)
	return kept
}

// maxSaid is how many bytes of one message are kept word by word.
const maxSaid = 300

// Said lists what the user said above the last question, word by word, since small models lose it from their summaries:
// the oldest first, in at most so many tokens. Of more than that the messages in the middle are left out. It is empty
// if nothing was said.
func Said(chat *transcript.Chat, limit int, tokens func(text string) int) string {
	var said []string
	question := ""
	for _, turn := range chat.Turns {
		if turn.Role != transcript.You || turn.Empty() {
			continue
		}
		if question != "" {
			said = append(said, question)
		}
		question = words(turn)
	}
	for kept := len(said); kept > 0; kept-- {
		first := (kept + 1) / 2
		lines := slices.Clone(said[:first])
		if left := len(said) - kept; left > 0 {
			lines = append(lines, fmt.Sprintf("[%d messages in between are left out]", left))
		}
		text := "- " + strings.Join(append(lines, said[len(said)-(kept-first):]...), "\n- ")
		if tokens(text) <= limit {
			return text
		}
	}
	return ""
}

// words are a user's own words in one line, shortened.
func words(turn transcript.Turn) string {
	var all []string
	for _, block := range turn.Blocks {
		if text, ok := block.(transcript.Text); ok {
			all = append(all, strings.Fields(text.Markdown)...)
		}
	}
	line := strings.Join(all, " ")
	if len(line) > maxSaid {
		line = strings.ToValidUTF8(line[:maxSaid], "") + " …"
	}
	return line
}

// WithSaid is a summary behind what the user said.
func WithSaid(said, summary string) string {
	if said == "" {
		return summary
	}
	return "I said, word by word:\n" + said + "\n\nWhat came of it:\n" + summary
}

// LastQuestion is the index of the last turn of the user; 0 if there is none above which something is.
func LastQuestion(turns []toolcall.Turn) int {
	for i := len(turns) - 1; i > 0; i-- {
		if turns[i].Role == model.RoleUser {
			return i
		}
	}
	return 0
}

// withSummary puts a summary in front of a question: small models answer what they read last.
func withSummary(turn toolcall.Turn, summary string) toolcall.Turn {
	turn.Text = joinParts([]string{"What was said before, in short:\n" + summary, turn.Text})
	return turn
}

// summaryOf finds the last summary of a chat, and the turn with the question that it is below.
func summaryOf(chat *transcript.Chat) (question int, summary string) {
	above := 0
	for i, turn := range chat.Turns {
		if turn.Role == transcript.You && !turn.Empty() {
			above = i
		}
		for b := range transcript.Contexts(turn) {
			text := strings.TrimSpace(b.Text)
			if b.Name == SummaryBlock && !b.NotSent && above > 0 && text != "" {
				question, summary = above, text
			}
		}
	}
	return question, summary
}
