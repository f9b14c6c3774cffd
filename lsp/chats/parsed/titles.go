package parsed

import (
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/internal/visible"
)

const MaxTarget = 60 // runes of a target in a title; the middle is left out

// ApproveTitle spells out what would run. The target is the resolved one; a question's texts are made visible already.
func ApproveTitle(q event.Question) string {
	if q.Waits != "" {
		return "Run on the files on disk: " + Target(q.AskedCall)
	}
	if q.Outside != "" {
		return "Run outside the sandbox, with your own rights: " + Target(q.AskedCall)
	}
	return "Approve once: " + doesAll(q)
}

// TryTitle spells out what would run on a copy.
func TryTitle(q event.Question) string {
	what := "Try it on a copy: "
	if q.Waits != "" {
		what = "Try it on a copy of the files on disk: "
	}
	return what + doesAll(q)
}

// doesAll is what the calls of a question do.
func doesAll(q event.Question) string {
	does := Does(q.AskedCall)
	if n := len(q.More); n > 0 {
		does += fmt.Sprintf(", and %d more calls", n)
	}
	return does
}

// OnlineTitle spells out what would run with the network.
func OnlineTitle(q event.Question) string { return "Run with the network: " + Does(q.AskedCall) }

// Does is what a call does, with the middle of its target left out.
func Does(call event.AskedCall) string {
	call.Target = Shorten(OneLine(call.Target))
	return call.Does()
}

func Target(call event.AskedCall) string {
	if call.Target == "" {
		return call.Tool
	}
	return Shorten(OneLine(call.Target))
}

var lineEnds = strings.NewReplacer("\r\n", "⏎", "\n", "⏎", "\r", "⏎", "\t", " ")

// OneLine keeps a title on one line; a line end is shown as one.
func OneLine(s string) string { return lineEnds.Replace(s) }

// Shorten leaves out the middle of a target.
func Shorten(s string) string { return visible.Shorten(s, MaxTarget) }
