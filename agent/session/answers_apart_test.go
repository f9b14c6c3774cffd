package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/model"
)

func lastOf(r model.Request) string { return r.Messages[len(r.Messages)-1].Text }

// A guided reply to a question says only that it is time to answer: the answer is asked for below what was found,
// without the list of tools.
func TestAnAnswerIsAskedForApart(t *testing.T) {
	const answers = `{"do":"talk","answer":""}`
	l := newLab(t, says(`{"do":"look","tool":"read_file","arguments":{"path":"README.md"}}`, // it has that
		`{"do":"look","tool":"search_files","arguments":{"pattern":"Helo","path":"."}}`, answers, "It says Helo,\nand {\"do\": \"no call\"}.",
		answers, "Two words.")...)
	requests, chat := guide(t, l, "Which greeting stands in README.md?")
	if len(requests) != 4 {
		t.Fatalf("%d requests:\n%s", len(requests), chat)
	}
	if !strings.Contains(string(requests[2].Format), `"answer":{"const":""}`) {
		t.Errorf("the reply may have words: %s", requests[2].Format)
	}
	apart := requests[3]
	want := "README.md (3 lines):\n```\n# Title\n\nHelo world\n```\n\nsearch_files {\"pattern\":\"Helo\",\"path\":\".\"}:\n```\nREADME.md:3: Helo world\n```\n\nWhich greeting stands in README.md?"
	if got := strings.ReplaceAll(lastOf(apart), `": "`, `":"`); strings.ReplaceAll(got, `", "`, `","`) != want {
		t.Errorf("asked apart:\n%s\nnot:\n%s", got, want)
	}
	if apart.Format != nil || len(apart.Messages) != 2 || strings.Contains(apart.Messages[0].Text, "JSON") || apart.ContextSize != requests[0].ContextSize {
		t.Errorf("asked apart: %+v", apart)
	}
	if !strings.Contains(chat, "It says Helo,\nand {\"do\": \"no call\"}.") {
		t.Errorf("the chat:\n%s", chat)
	}
	requests, chat = guideChat(t, l, strings.TrimSuffix(chat, "\n")+"And how many words does README.md greet with?\n")
	if len(requests) != 6 || !strings.Contains(chat, "Two words.") {
		t.Fatalf("%d requests:\n%s", len(requests), chat)
	}
	said := requests[4].Messages
	if got := said[len(said)-2].Text; !strings.Contains(got, `{"do": "talk", "answer": "It says Helo,\nand {\"do\": \"no call\"}."}`) {
		t.Errorf("the model reads its answer as %q", got)
	}
	if first := requests[5].Messages[1].Text; !strings.Contains(first, "Which greeting") || len(requests[5].Messages) != 4 {
		t.Errorf("what was said before: %q of %d", first, len(requests[5].Messages))
	}
}

// So does one to plain talk, in which the words of calls are no answer.
func TestPlainTalkIsAnsweredApart(t *testing.T) {
	l := newLab(t, says(`{"do":"talk","answer":""}`, "Hello!")...)
	requests, chat := guide(t, l, "hi there, nice to meet you, how are you?")
	if len(requests) != 2 || requests[1].Format != nil || strings.Contains(requests[1].Messages[0].Text, "JSON") || !strings.Contains(chat, "Hello!") {
		t.Errorf("%d requests, the last %+v\n%s", len(requests), requests[len(requests)-1], chat)
	}
}

// A model that goes from folder to folder must answer at last.
func TestLookingEnds(t *testing.T) {
	var replies []string
	for i := range 9 {
		replies = append(replies, fmt.Sprintf(`{"do":"look","tool":"search_files","arguments":{"pattern":"Helo %d","path":"."}}`, i))
	}
	l := newLab(t, says(replies...)...)
	requests, _ := guide(t, l, "Which of our files say Helo?")
	if len(requests) < 7 || !strings.Contains(string(requests[5].Format), "search_files") || strings.Contains(string(requests[6].Format), "search_files") {
		t.Errorf("%d requests; the seventh: %s", len(requests), requests[min(6, len(requests)-1)].Format)
	}
}

// A text that lacks a line which nobody wanted gone is asked for once more; the better one counts.
func TestALineThatWasLeftOutIsAskedFor(t *testing.T) {
	const whole, short, shorter = "```\n# Title\n\nHelo world\n- new\n```", "```\n# Title\n\n- new\n```", "```\n- new\n```"
	for name, tt := range map[string]struct {
		message string
		texts   []string
		want    string
	}{
		"it comes":      {"Add a line \"- new\" to README.md.", []string{short, whole}, "# Title\n\nHelo world\n- new\n"},
		"it does not":   {"Add a line \"- new\" to README.md.", []string{short, shorter}, "# Title\n\n- new\n"},
		"it was wanted": {"Replace the greeting in README.md by \"- new\".", []string{short}, "# Title\n\n- new\n"},
	} {
		l := newLab(t, says(append(append([]string{editsReadme}, tt.texts...), isDone)...)...)
		requests, chat := guide(t, l, tt.message)
		if got := l.read("README.md"); got != tt.want || len(requests) != len(tt.texts)+2 {
			t.Errorf("%s: %q, %d requests:\n%s", name, got, len(requests), chat)
		}
		if len(tt.texts) == 2 && !strings.Contains(lastOf(requests[2]), "this line stays as well: Helo world") {
			t.Errorf("%s: asked again: %s", name, lastOf(requests[2]))
		}
	}
}
