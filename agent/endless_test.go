package agent_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
)

// inPieces is a reply as servers stream it.
func inPieces(reply string) agenttest.Reply {
	var said agenttest.Reply
	for piece := range slices.Chunk([]byte(reply), 4) {
		said.Chunks = append(said.Chunks, model.Chunk{Text: string(piece)})
	}
	return said
}

const written = `{"do":"change","tool":"write_file","arguments":{"path":"a.txt","content":"`

// TestEndlessReplies are stopped within so many bytes, wherever they repeat themselves, and asked for once more; then
// the run ends with a sentence.
func TestEndlessReplies(t *testing.T) {
	over := strings.Repeat("I will look at it again. ", 2000)
	tests := []struct {
		name, reply, format string
		most                int
	}{
		{"prose", "Well. " + over, "text", 3600},
		{"prose over lines", strings.Repeat("I will look at it again.\n\n", 2000), "text", 3600},
		{"long pieces", strings.Repeat(strings.Repeat("ab", 55)+"\n", 300), "text", 3600},
		{"a paragraph", strings.Repeat("A paragraph. "+strings.Repeat("xyz ", 200)+"cd.\n", 100), "text", 7500},
		{"nothing but blanks", "Well.\n" + strings.Repeat(" \n  \n\n", 2000), "text", 3000},
		{"one letter", strings.Repeat("G", 40_000), "text", 3600},
		{"no words", strings.Repeat("!?", 40_000), "text", 3600},
		{"code without end", "```\n" + strings.Repeat("x = 1\n", 10_000), "text", 33_000},
		{"a sentence around code", strings.Repeat("Here it is:\n```\nx = 1\n```\n", 3000), "text", 7500},
		{"a guided answer", `{"do":"talk","answer":"` + over, "guided", 3600},
		{"an argument", written + over, "guided", 3600},
		{"lines of an argument", written + strings.Repeat(`import os\n`, 3000), "guided", 9000},
		{"blank lines of an argument", written + strings.Repeat(`\n`, 3000), "guided", 3000},
		{"blanks between members", `{"do":"change",` + strings.Repeat("\n\t ", 3000), "guided", 3000},
		{"a list that never closes", `{"do":"change","tool":"edit_files","arguments":{"edits":["a` + strings.Repeat(`","a`, 3000), "guided", 3600},
		{"a path", `{"do":"look","tool":"read_file","arguments":{"path":"` + strings.Repeat("src/", 3000), "guided", 3600},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reply := inPieces(tt.reply[:tt.most]) // what it does not stop within these is an answer
			l := newLab(t, reply, reply, agenttest.Say("Not asked."))
			job := l.job(ask)
			job.Options.Format = tt.format
			end := l.end(l.agent.Start(t.Context(), job))
			if end.Outcome != event.Exhausted || !strings.Contains(end.Sentence, "over and over") {
				t.Errorf("the run ended %+v", end)
			}
			if n := len(l.backend.Requests()); n != 2 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// TestLongRepliesAreWhole although they have many equal or similar lines.
func TestLongRepliesAreWhole(t *testing.T) {
	var table, list, minified, numbered strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&table, "%d x %d = %d\n", i%7, i, i*(i%7))
		fmt.Fprintf(&list, "- [ ] Check the server db%d in room %d.\n", i, i%3)
		fmt.Fprintf(&minified, "function f%d(a){return a+%d}", i, i*i%17)
		fmt.Fprintf(&numbered, "Line %d\n", i)
	}
	zeros := strings.Repeat(strings.TrimSuffix(strings.Repeat("0, ", 100), ", ")+"\n", 100)
	fence := func(text string) string { return "Here it is:\n```\n" + text + "```\nThat is all." }
	tests := map[string]struct{ reply, format string }{
		"a table":                       {table.String(), "text"},
		"a short refrain":               {strings.Repeat("Again. ", 400) + "That was it.", "text"},
		"a table of zeros":              {zeros + "\nThese are all.", "text"},
		"a table of zeros in Markdown":  {strings.Repeat("| 0 | 0 | 0 |\n", 1000), "text"},
		"a table of zeros in a fence":   {fence(zeros), "text"},
		"zeros on one line":             {fence(strings.Repeat("0,", 2048) + "\n"), "text"},
		"equal lines in a fence":        {fence(strings.Repeat("<tr><td>nothing</td></tr>\n", 1000)), "text"},
		"a table of weeks":              {strings.Repeat("| Monday | rest |\n| Tuesday | run |\n| Wednesday | swim |\n| Thursday | rest |\n", 52), "text"},
		"a fence in a fence":            {"````md\n```\n" + strings.Repeat("TODO\n", 1000) + "```\n````\n", "text"},
		"a list":                        {list.String(), "text"},
		"numbered lines":                {numbered.String(), "text"},
		"minified code":                 {minified.String(), "text"},
		"an empty screen":               {fence(strings.Repeat(strings.Repeat(" ", 80)+"\n", 25)), "text"},
		"a guided table of zeros":       {`{"do":"talk","answer":"` + strings.Repeat(`0, 0, 0, 0, 0\n`, 500) + `"}`, "guided"},
		"a call with a table of zeros":  {"<tool_call>\n" + `{"name":"read_file","arguments":{"path":"` + strings.ReplaceAll(zeros, "\n", `\n`) + `"}}` + "\n</tool_call>", "hermes"},
		"a guided call with equal rows": {`{"do":"look","tool":"read_file","arguments":{"path":"` + strings.Repeat(`<td>nothing</td>\n`, 400) + `"}}`, "guided"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, inPieces(tt.reply), agenttest.Say("Done."), agenttest.Say("Done."))
			l.backend.Installed = []model.Info{{Name: "scripted", Capabilities: []string{"completion"}, ContextLimit: 1 << 20}}
			job := l.job(ask)
			job.Options.Format = tt.format
			if end := l.end(l.agent.Start(t.Context(), job)); end.Outcome != event.Completed {
				t.Errorf("the run ended %+v", end)
			}
			for _, e := range agenttest.Of[event.ContextAdded](l.events) {
				if e.Name == compose.RepeatedBlock {
					t.Error("the reply was stopped")
				}
			}
		})
	}
}

var longLoop = "Well. " + strings.Repeat("I will look at it again. ", 2000)

// TestAnEndlessReplyIsAskedForOnceMore in another way, as far as the user leaves that open. Its words stay in the document, and nobody reads
// them to the model.
func TestAnEndlessReplyIsAskedForOnceMore(t *testing.T) {
	loop := inPieces(longLoop)
	read := agenttest.CallTool("read_file", `{"path":"README.md"}`)
	tooLong := &model.Error{Kind: model.ContextTooLong, Needed: 9000, Limit: 8192, Sentence: "It is too long."}
	const own = "---\ntemperature: 0.1\nrepeat_penalty: 1\n---\n\n"
	tests := map[string]struct {
		document             string
		replies              []agenttest.Reply
		temperature, penalty float64
	}{
		"a reply":           {ask, []agenttest.Reply{loop, agenttest.Say("It is done.")}, 0.5, 1.2},
		"after a call":      {ask, []agenttest.Reply{read, loop, agenttest.Say("It is done.")}, 0.5, 1.2},
		"and then a call":   {ask, []agenttest.Reply{loop, read, agenttest.Say("It is done.")}, 0.5, 1.2},
		"as the user chose": {own + ask, []agenttest.Reply{loop, agenttest.Say("It is done.")}, 0.1, 1},
		"behind a refusal":  {ask, []agenttest.Reply{{Err: tooLong}, loop, agenttest.Say("It is done.")}, 0.5, 1.2},
		"behind a call":     {ask, []agenttest.Reply{{Chunks: append(read.Chunks, loop.Chunks...)}, agenttest.Say("It is done.")}, 0.5, 1.2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, append(tt.replies, agenttest.Say("Bye."))...)
			l.backend.Installed = []model.Info{{Name: "scripted", Capabilities: []string{"completion", "tools"}, ContextLimit: 1 << 20}}
			if end := l.end(l.agent.Start(t.Context(), l.job(tt.document))); end.Outcome != event.Completed {
				t.Errorf("the run ended %+v", end)
			}
			if notes := l.notes(compose.RepeatedBlock); len(notes) != 1 || !strings.Contains(notes[0], "once more") {
				t.Errorf("the document says %q", notes)
			}
			document := l.record(tt.document)
			if !strings.Contains(document, "again. I will look") || !strings.Contains(document, "It is done.") {
				t.Errorf("something is lost: %s", document)
			}
			before := l.backend.Requests()
			at := slices.IndexFunc(before, func(r model.Request) bool {
				return r.Sampling.RepeatPenalty != nil && *r.Sampling.RepeatPenalty == tt.penalty
			})
			if at < 0 || *effective(before[at]) != tt.temperature {
				t.Fatalf("asked again as %+v", before)
			}
			l.events = &agenttest.Recorder[event.Event]{}
			if end := l.end(l.agent.Start(t.Context(), l.job(document+"Thanks.\n"))); end.Outcome != event.Completed {
				t.Fatalf("%+v", end)
			}
			after := l.backend.Requests()[len(before)]
			if *effective(after) == 0.5 {
				t.Error("later requests are sent in another way, too")
			}
			for _, m := range after.Messages {
				if strings.Contains(m.Text, "look at it again") {
					t.Errorf("the model reads %q", m.Text)
				}
			}
			if !samePrefix(before[len(before)-1].Messages, after.Messages) {
				t.Errorf("the prefix changed from %+v to %+v", before[len(before)-1].Messages, after.Messages)
			}
		})
	}
}

// TestWordsBeforeAnEndlessReplyAreRead: those of the reply before it, where it has none itself, and nothing of a call in it that never ends.
func TestWordsBeforeAnEndlessReplyAreRead(t *testing.T) {
	const words, call = "I will read the file first.", "\n<tool_call>\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"README.md\"}}\n</tool_call>"
	for name, loop := range map[string]string{
		"blank":          strings.Repeat(" \n", 3000),
		"call":           "<tool_call>\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"" + strings.Repeat("src/", 5000),
		"words and call": "So I read.\n<tool_call>\n{\"name\":\"read_file\",\"arguments\":{\"path\":\"" + strings.Repeat("src/", 5000),
	} {
		l := newLab(t, agenttest.Say(words+call), inPieces(loop), agenttest.Say("It is done."), agenttest.Say("Bye."))
		run := func(document string) {
			l.events = &agenttest.Recorder[event.Event]{}
			job := l.job(document)
			job.Options.Format = "hermes"
			if end := l.end(l.agent.Start(t.Context(), job)); end.Outcome != event.Completed {
				t.Fatalf("%s: %+v", name, end)
			}
		}
		run(ask)
		if notes := l.notes(compose.RepeatedBlock); len(notes) != 1 {
			t.Errorf("%s: the document says %q", name, notes)
		}
		before := l.backend.Requests()
		run(l.record(ask) + "Thanks.\n")
		after := l.backend.Requests()[len(before)].Messages
		if !samePrefix(before[len(before)-1].Messages, after) {
			t.Errorf("%s: the prefix changed from %+v to %+v", name, before[len(before)-1].Messages, after)
		}
		read := fmt.Sprint(after)
		if !strings.Contains(read, words) || strings.Contains(read, "src/src/src") || strings.Contains(read, "So I read") {
			t.Errorf("%s: the model reads %s", name, read)
		}
	}
}

// TestCallsWithoutEndAreStopped, too, before any of them runs.
func TestCallsWithoutEndAreStopped(t *testing.T) {
	var loop agenttest.Reply
	for range 2000 {
		loop.Chunks = append(loop.Chunks, agenttest.CallTool("read_file", `{"path":"`+strings.Repeat("src/", 80)+`README.md"}`).Chunks...)
	}
	l := newLab(t, loop, agenttest.Say("It is done."))
	job := l.job(ask)
	job.Options.ContextSize = 32_000 // the calls stay in the chat
	if end := l.end(l.agent.Start(t.Context(), job)); end.Outcome != event.Completed {
		t.Errorf("%+v", end)
	}
	calls := agenttest.Of[event.CallEnded](l.events)
	if len(calls) == 0 || len(calls) > 500 || slices.ContainsFunc(calls, func(e event.CallEnded) bool { return !e.NotRun }) {
		t.Errorf("%d calls ended", len(calls))
	}
}

// effective is the temperature of a request.
func effective(req model.Request) *float64 {
	return cmp.Or(req.Temperature, req.Sampling.Temperature, new(float64))
}
