package compose_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/formats"
	"github.com/assent-ls/assent/agent/transcript"
)

const (
	you       = "## You\n\n"
	assistant = "## Assistant\n\n"
)

func call(id, path string) string { return "```tool read_file " + id + "\npath: " + path + "\n```\n\n" }

func result(id, text string) string {
	return "```result " + id + " ok 1ms\n" + text + "\n```\n\n"
}

// read is what the model reads of a document, a line for each turn.
func read(chat *transcript.Chat) string {
	var b strings.Builder
	for _, t := range compose.Turns(chat, compose.Memory{}) {
		fmt.Fprintf(&b, "%s %s%q", t.Role, t.CallID, t.Text)
		for _, c := range t.Calls {
			fmt.Fprintf(&b, " %s%s", c.ID, c.Arguments)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// findings are those of a document, with their lines.
func findings(text string, chat *transcript.Chat) string {
	var b strings.Builder
	for _, f := range compose.Check(chat) {
		fmt.Fprintf(&b, "%d %v %s\n", strings.Count(text[:f.Span.Start], "\n")+1, f.Warn, f.Message)
	}
	return b.String()
}

// TestHandEditedChats are sent so that every call has one result and an ID of its own, and what is read in another way
// than it is written is said.
func TestHandEditedChats(t *testing.T) {
	const notRun = `"This call was not run. Make it again if it is still needed."`
	for name, test := range map[string]struct{ text, read, said string }{
		"as a run writes it": {
			you + "A.\n\n" + assistant + call("c1", "a") + result("c1", "x") + "Done.\n\n" + you,
			"user \"A.\"\nassistant \"\" c1{\"path\":\"a\"}\ntool c1\"x\"\nassistant \"Done.\"\n", "",
		},
		"an orphaned result": {
			you + "A.\n\n" + assistant + result("c9", "x") + "Done.\n\n" + you + "B.\n",
			"user \"A.\"\nassistant \"Done.\"\nuser \"B.\"\n",
			"7 true There is no call c9 for this result, so the model does not see it.\n",
		},
		"nothing but an orphaned result": {
			you + "A.\n\n" + assistant + result("c9", "x") + you + "B.\n",
			"user \"A.\"\nuser \"B.\"\n",
			"7 true There is no call c9 for this result, so the model does not see it.\n",
		},
		"two calls of one ID, each with a result": {
			you + "A.\n\n" + assistant + call("c1", "a") + result("c1", "x") + call("c1", "b") + result("c1", "y"),
			"user \"A.\"\nassistant \"\" c1-1{\"path\":\"a\"}\ntool c1-1\"x\"\nassistant \"\" c1{\"path\":\"b\"}\ntool c1\"y\"\n",
			"7 true Another call below has the ID c1, too: the model reads this one as c1-1. Give it another ID, and its result as well.\n",
		},
		"two calls of one ID with one result": {
			you + "A.\n\n" + assistant + call("c1", "a") + call("c1", "b") + result("c1", "y"),
			"user \"A.\"\nassistant \"\" c1-1{\"path\":\"a\"} c1{\"path\":\"b\"}\ntool c1-1" + notRun + "\ntool c1\"y\"\n",
			"7 true Another call below has the ID c1, too: the model reads this one as c1-1. Give it another ID, and its result as well.\n",
		},
		"a fresh ID that is taken": {
			you + "A.\n\n" + assistant + call("c1", "a") + call("c1-1", "b") + call("c1", "c"),
			"user \"A.\"\nassistant \"\" c1-2{\"path\":\"a\"} c1-1{\"path\":\"b\"} c1{\"path\":\"c\"}\ntool c1-2" + notRun + "\ntool c1-1" + notRun + "\ntool c1" + notRun + "\n",
			"7 true Another call below has the ID c1, too: the model reads this one as c1-2. Give it another ID, and its result as well.\n",
		},
		"the same ID in two answers": {
			you + "A.\n\n" + assistant + call("c1", "a") + result("c1", "x") + you + "B.\n\n" + assistant + call("c1", "b") + result("c1", "y"),
			"user \"A.\"\nassistant \"\" c1-1{\"path\":\"a\"}\ntool c1-1\"x\"\nuser \"B.\"\nassistant \"\" c1{\"path\":\"b\"}\ntool c1\"y\"\n",
			"7 true Another call below has the ID c1, too: the model reads this one as c1-1. Give it another ID, and its result as well.\n",
		},
		"a result before its call": {
			you + "A.\n\n" + assistant + result("c1", "x") + "So.\n\n" + call("c1", "a"),
			"user \"A.\"\nassistant \"So.\" c1{\"path\":\"a\"}\ntool c1\"x\"\n",
			"7 false This result is above its call c1; the model reads it below.\n",
		},
		"a result in a later turn": {
			you + "A.\n\n" + assistant + call("c1", "a") + you + "B.\n\n" + assistant + result("c1", "x") + "Done.\n",
			"user \"A.\"\nassistant \"\" c1{\"path\":\"a\"}\ntool c1\"x\"\nuser \"B.\"\nassistant \"Done.\"\n",
			"17 false The call c1 of this result is in an earlier turn; the model reads the result there.\n",
		},
		"two results": {
			you + "A.\n\n" + assistant + call("c1", "a") + result("c1", "x") + result("c1", "y"),
			"user \"A.\"\nassistant \"\" c1{\"path\":\"a\"}\ntool c1\"y\"\n", "",
		},
		"a result that is not sent": {
			you + "A.\n\n" + assistant + call("c1", "a") + "```result c1 ok 1ms not-sent\nsecret\n```\n\n```result c2 ok not-sent\nsecret\n```\n",
			"user \"A.\"\nassistant \"\" c1{\"path\":\"a\"}\ntool c1\"The user took this result out of what you see.\"\n", "",
		},
		"a call that is not sent": {
			you + "A.\n\n" + assistant + "```tool read_file c1 not-sent\npath: a\n```\n\n" + result("c1", "secret"),
			"user \"A.\"\n", "",
		},
		"a reply that an earlier version asked for again": {
			you + "A.\n\n" + assistant + "It is done.\n\n```context hasty reply not-sent\nIt was asked once more.\n```\n\n" + call("c1", "a") + result("c1", "x"),
			"user \"A.\"\nassistant \"\" c1{\"path\":\"a\"}\ntool c1\"x\"\n", "",
		},
		"a call that cannot be read": {
			you + "A.\n\n" + assistant + "```tool read_file c1\nnot: [\n```\n\n" + result("c1", "x"),
			"user \"A.\"\n", "",
		},
		"a result of the user's is text": {
			you + "A.\n\n" + result("c1", "x"), "user \"A.\\n\\n```result c1 ok 1ms\\nx\\n```\"\n", "",
		},
		"empty turns": {
			you + assistant + you + "B.\n\n" + assistant + assistant + "C.\n\n" + you + assistant + you,
			"user \"B.\"\nassistant \"C.\"\n",
			"1 false This turn is empty, so the model does not see it.\n3 false This turn is empty, so the model does not see it.\n9 false This turn is empty, so the model does not see it.\n",
		},
		"thoughts alone": {
			you + "A.\n\n" + assistant + "```thinking\nHm.\n```\n\n" + you + "B.\n", "user \"A.\"\nuser \"B.\"\n", "",
		},
		"You, You, Assistant, Assistant": {
			you + "A.\n\n" + you + "B.\n\n" + assistant + "C.\n\n" + assistant + "D.\n",
			"user \"A.\"\nuser \"B.\"\nassistant \"C.\"\nassistant \"D.\"\n",
			"5 false There is nothing between this turn and the one above; the model reads two messages, one after the other.\n" +
				"13 false There is nothing between this turn and the one above; the model reads two messages, one after the other.\n",
		},
		"an answer first": {
			assistant + "C.\n\n" + you + "E.\n", "assistant \"C.\"\nuser \"E.\"\n",
			"1 false There is no question above this answer; the model reads it all the same.\n",
		},
		"nothing": {"", "", ""},
	} {
		chat := transcript.Parse(test.text)
		if diff := cmp.Diff(test.read, read(chat)); diff != "" {
			t.Errorf("%s is read as (-want +got)\n%s", name, diff)
		}
		if diff := cmp.Diff(test.said, findings(test.text, chat)); diff != "" {
			t.Errorf("%s: said is (-want +got)\n%s", name, diff)
		}
	}
}

// shuffled is a chat of blocks in any order.
func shuffled(r *rand.Rand) string {
	pieces := []string{
		you, you + "A.\n\n", assistant, assistant + "B.\n\n", call("c1", "a"), call("c2", "b"), call("-", "c"), call("c1-1", "d"), result("c1", "x"), result("c2", "y"),
		result("-", "z"), result("c3", "w"), "```malformed c4\nreason: It is broken.\nwrote: {\n```\n\n", "```thinking\nHm.\n```\n\n", "Words.\n\n",
		"```result c1 not-run\n```\n\n", "```result c2 stopped not-sent\n```\n\n", "```tool read_file c1 not-sent\npath: e\n```\n\n", "```context file a\nt\n```\n\n",
		"![result c1](a.png)\n\n",
	}
	var b strings.Builder
	for range 1 + r.IntN(14) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// TestAnyChatIsSentInOrder composes chats whose blocks are in any order: in what is sent every call has an ID of its
// own and exactly one result, right below it; nothing is empty; every result of the document is sent once, or it is
// said that it is not. All formats write it.
func TestAnyChatIsSentInOrder(t *testing.T) {
	for seed := range uint64(4000) {
		text := shuffled(rand.New(rand.NewPCG(seed, 7))) //nolint:gosec // chats that a failure names
		chat := transcript.Parse(text)
		turns := compose.Turns(chat, compose.Memory{})
		if problem := disorder(turns); problem != "" {
			t.Fatalf("seed %d: %s:\n%s\n%s", seed, problem, text, read(chat))
		}
		if seed >= 200 {
			continue
		}
		for _, name := range formats.Names() {
			format, err := formats.ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range format.Request("S", turns, nil, toolcall.Hints{}).Messages {
				if m.Text == "" && len(m.Calls) == 0 && m.Role != model.RoleTool {
					t.Fatalf("seed %d, %s: message %d is empty:\n%s", seed, name, i, text)
				}
			}
		}
	}
}

// disorder says what is wrong with turns.
func disorder(turns []toolcall.Turn) string {
	var waits []string // the IDs of calls whose results must come next
	seen := map[string]bool{}
	for i, turn := range turns {
		switch {
		case turn.Role == model.RoleTool && len(waits) > 0:
			if turn.CallID != waits[0] || turn.Text == "" {
				return fmt.Sprintf("turn %d does not answer %q", i, waits[0])
			}
			waits = waits[1:]
		case len(waits) > 0:
			return fmt.Sprintf("turn %d stands before the result of %q", i, waits[0])
		case turn.Role == model.RoleTool && turn.CallID != "":
			return fmt.Sprintf("turn %d answers no call", i)
		case turn.Text == "" && len(turn.Calls) == 0:
			return fmt.Sprintf("turn %d is empty", i)
		}
		for _, c := range turn.Calls {
			if seen[c.ID] {
				return fmt.Sprintf("two calls have the ID %q", c.ID)
			}
			seen[c.ID] = true
			waits = append(waits, c.ID)
		}
	}
	return strings.Join(slices.Compact(waits), " has no result, ")
}
