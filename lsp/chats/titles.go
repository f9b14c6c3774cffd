package chats

import (
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent"
)

const maxTarget = 60 // runes of a target in a title; the middle is left out

// verbs say what approving a tool's call does, in titles.
func verb(tool string) string {
	switch tool {
	case "edit_file":
		return "edit"
	case "write_file":
		return "write"
	case "run_command":
		return "run"
	default:
		return tool
	}
}

// approveTitle spells out what would run. The target is the resolved one; a question's texts are made visible already.
func approveTitle(q agent.Question) string {
	if q.Waits != "" {
		return "Run on the files on disk: " + target(q)
	}
	return fmt.Sprintf("Approve once: %s %s", verb(q.Tool), target(q))
}

func target(q agent.Question) string {
	if q.Target == "" {
		return q.Tool
	}
	return shorten(oneLine(q.Target))
}

// oneLine keeps a title on one line; a line end is shown as one.
func oneLine(s string) string {
	return strings.NewReplacer("\r\n", "⏎", "\n", "⏎", "\r", "⏎", "\t", " ").Replace(s)
}

// shorten leaves out the middle, so that neither padding in front nor a tail can hide what matters.
func shorten(s string) string {
	runes := []rune(s)
	if len(runes) <= maxTarget {
		return s
	}
	head, tail := maxTarget/2, maxTarget/2-1
	return fmt.Sprintf("%s…(%d more)…%s", string(runes[:head]), len(runes)-head-tail, string(runes[len(runes)-tail:]))
}
