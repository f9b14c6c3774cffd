package compose

import (
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
)

// SummaryBlock is the name of the context block with a summary: it is sent with the question above it, and all turns above that question
// are not. Deleting the block sends them again.
const SummaryBlock = "summary"

// Summarize replaces the turns above the last question by a summary of them.
func Summarize(turns []toolcall.Turn, summary string) []toolcall.Turn {
	at := LastQuestion(turns)
	kept := append([]toolcall.Turn{}, turns[at:]...)
	kept[0] = withSummary(kept[0], summary)
	return kept
}

// LastQuestion is the index of the last turn of the user; 0 if there is none above which something stands.
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

// summaryOf finds the last summary of a chat, and the turn with the question that it stands below.
func summaryOf(chat *transcript.Chat) (question int, summary string) {
	above := 0
	for i, turn := range chat.Turns {
		if turn.Role == transcript.You && !turn.Empty() {
			above = i
		}
		for _, block := range turn.Blocks {
			if b, ok := block.(transcript.Context); ok && b.Name == SummaryBlock && !b.NotSent && above > 0 && strings.TrimSpace(b.Text) != "" {
				question, summary = above, strings.TrimSpace(b.Text)
			}
		}
	}
	return question, summary
}
