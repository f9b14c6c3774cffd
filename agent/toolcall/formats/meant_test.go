package formats

import (
	"slices"
	"testing"

	"github.com/assent-ls/assent/agent/toolcall"
)

// leadIns are what models say before a call that they mean.
func leadIns() []string {
	return []string{
		"Let me see what main.go contains:",
		"Let me check what the file says:",
		"I'll look at what it returns:",
		"I will start by reading the file:",
		"I'll start by reading:",
		"First, I need to see what it prints:",
		"Let me see what the log shows:",
		"Let me find out what the server replied:",
		"I want to know what the test writes:",
		"I'm going to look at what the page states:",
		"Let me read the file that you wrote:",
		"We need to see what the command returned:",
		"To answer that, I must look at the host:",
		"Reading the file now:",
		"Now I call ping:",
		"Pinging db1.",
		"Sure! I can do that.",
		"Here is the call:",
		"Here's the command:",
		"I'll use this tool:",
		"Calling the tool:",
		"I will ping the host \"db1\":",
		"I'll check the file `main.go`:",
		"The host's name is 'db1', so:",
		"I found it:\n\n1. It is down.\n2. It was up.\n\nLet me ping it:",
		"- The host is db1\n- It may be down\n\nPinging it:",
		"## Plan\n\nPing the host.",
		"| host | up |\n|---|---|\n| db1 | ? |\n\nI ask it:",
		"> Is db1 up?\n\nLet me see:",
		"It said \"no\". So I look myself:",
		"Lass mich nachsehen, was die Datei enthält:",
		"Voyons ce que dit le fichier :",
		"让我看看文件内容：",
		"What does it say? Let me look:",
		"The error message says: connection refused. Let me ping it:",
		"5\" is the size. I look:",
		"I don't know `yet.\n\nI look:",
		"As the docs state: ping first.\n\nPinging:",
		"The mark <!-- is never closed there.\n\nI look:",
		"Napisał „up” i „down”. I look:",
		"In the ‘80s that was up. I look:",
		"**Reading the host**",
		"(I look.)",
	}
}

// exampleLeadIns are meant as well, but hold an example, words that announce one, or much text: these count for calls
// without a marker alone.
func exampleLeadIns() []string {
	return []string{
		"For example, let me look at:",
		"Let me try a sample:",
		"To see the format, I read:",
		"The output would be needed, so:",
		"It contains:",
		"The syntax is clear, so I write:",
		"Let's see what it looks like:",
		"I ran\n\n```sh\nls\n```\n\nand now I ping:",
		"Use ``` fences for that.\n\nI ping:",
		aloud + "Let me see what it contains:",
		aloud + "He said \"no\".",
	}
}

// TestAMeantCallRuns makes each format's own call below a natural sentence: it runs, and the sentence is the text
// (see sampleOf).
// Promise 3. Invariant 6.
func TestAMeantCallRuns(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, f toolcall.Format) {
		t.Helper()
		for _, lead := range sample(f.Name(), slices.Concat(leadIns(), exampleLeadIns())) {
			reply := written(f, toolcall.Turn{Text: lead, Calls: []toolcall.Call{call("ping", `{"host":"db1"}`)}})
			got := decodeTwice(t, f, reply)
			switch {
			case ownForm(f) && slices.Contains(exampleLeadIns(), lead):
				if len(got.Calls) > 0 || got.Text != reply || len(got.Notices) != 1 {
					t.Errorf("%q gives %+v", reply, got)
				}
			case !slices.Equal(got.Calls, []string{pinged}) || len(got.Errors) > 0 || len(got.Notices) > 0 || got.Text != lead:
				t.Errorf("%q gives %+v", reply, got)
			}
		}
	})
}
