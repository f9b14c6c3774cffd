package chats

import (
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/internal/visible"
)

const maxTarget = 60 // runes of a target in a title; the middle is left out

// approveTitle spells out what would run. The target is the resolved one; a question's texts are made visible already.
func approveTitle(q agent.Question) string {
	if q.Waits != "" {
		return "Run on the files on disk: " + target(q.AskedCall)
	}
	if q.Outside != "" {
		return "Run outside the sandbox: " + target(q.AskedCall)
	}
	title := "Approve once: " + does(q.AskedCall)
	if n := len(q.More); n > 0 {
		title += fmt.Sprintf(", and %d more calls", n)
	}
	return title
}

// does is what a call does, with the middle of its target left out.
func does(call agent.AskedCall) string {
	call.Target = shorten(oneLine(call.Target))
	return call.Does()
}

func target(call agent.AskedCall) string {
	if call.Target == "" {
		return call.Tool
	}
	return shorten(oneLine(call.Target))
}

var lineEnds = strings.NewReplacer("\r\n", "⏎", "\n", "⏎", "\r", "⏎", "\t", " ")

// oneLine keeps a title on one line; a line end is shown as one.
func oneLine(s string) string { return lineEnds.Replace(s) }

// shorten leaves out the middle of a target.
func shorten(s string) string { return visible.Shorten(s, maxTarget) }
