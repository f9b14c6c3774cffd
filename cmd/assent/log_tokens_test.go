package main

import (
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/usagelog"
)

// TestTokensAreAddedUp by chat and model, and what no server told of is not guessed.
func TestTokensAreAddedUp(t *testing.T) {
	s := newUser(t, "")
	log := usagelog.New(s.state())
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	cached := 900
	for _, r := range []usagelog.Reply{
		{Chat: "/a.chat.md", Model: "box/big", Prompt: 1000, Output: 10},
		{Chat: "/a.chat.md", Model: "qwen", Prompt: 1000, Cached: &cached, Output: 20},
		{Chat: "/a.chat.md", Model: "qwen", Prompt: 1000, Output: 20},
		{Chat: "/b.chat.md", Model: "qwen", Prompt: 1000, Cached: new(int), Output: 5},
		{Chat: "/a.chat.md", Model: "qwen", Prompt: 1000, Cached: &cached, Output: 1},
	} {
		at = at.Add(time.Minute)
		r.Time = at
		log.AddReply(r)
	}
	out, notes, status := s.run("log", "--tokens")
	want := `LAST              REPLIES  READ  REUSED    WRITTEN  MODEL    CHAT
2026-01-02 03:05  1        1000  not told  10       box/big  /a.chat.md
2026-01-02 03:08  1        1000  0 %       5        qwen     /b.chat.md
2026-01-02 03:09  3        3000  90 %      41       qwen     /a.chat.md
`
	if out != want || status != 0 || notes != "" {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}
