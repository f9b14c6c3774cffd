package chatfile

import (
	"strings"
	"testing"
)

// FuzzPlace saves any text while a reply is written: wherever it goes, all of their text and the whole reply are there.
func FuzzPlace(f *testing.F) {
	const question, reply = "## You\n\nSay hi.", "\n\n## Assistant\n\nHi, wörld.\n\n```tool run_command c1\ncommand: ls\n```\n"
	for _, now := range []string{
		question + reply + "\n## You\n\nMine.\n", "# Title\n\n" + question + reply, question + "\n\n## You\n\nMine.\n", question + " And bye.\n",
		question + "\n\n## Assistant\n\nHi, w\xc3", question + "\n\n## Assistant\n\nHi, wö\n\n## You\n", "", "Mine.", "## You\n\nSay ho.\n", "## Assistant\n",
		strings.ReplaceAll(question+reply, "\n", "\r\n"),
	} {
		f.Add(question, reply, "", now)
		f.Add(question, reply, "\n\n## You\n\nMine.\n", now+"\n\n## You\n\nMine.\n")
		f.Add(question, "", "", now)
	}
	f.Fuzz(func(t *testing.T, question, reply, below, now string) {
		p, ok := place(question, reply, below, now)
		if !ok {
			return
		}
		if p.above[p.reply:] != reply {
			t.Fatalf("the reply is %q", p.above[p.reply:])
		}
		if p.below != "" && p.below[0] != '\n' && p.below[0] != '\r' {
			t.Fatalf("what stands below is not on a line of its own: %q", p.below)
		}
		got, theirs := bare(p.above+p.below), bare(now)
		if len(got) > len(theirs)+len(bare(reply)) {
			t.Fatalf("%q holds more than both", got)
		}
		rest := theirs
		for i := 0; i < len(got) && rest != ""; i++ {
			if got[i] == rest[0] {
				rest = rest[1:]
			}
		}
		if rest != "" {
			t.Fatalf("of their text %q is missing in %q", rest, got)
		}
	})
}

// bare is a text without its blanks.
func bare(text string) string {
	return strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "").Replace(text)
}
