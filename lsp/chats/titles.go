package chats

import (
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/visible"
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

// shorten leaves out the middle of a target.
func shorten(s string) string { return visible.Shorten(s, maxTarget) }
