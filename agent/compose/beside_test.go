package compose_test

import (
	"testing"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/transcript"
)

// What stands beside a message is made only for who asks for it: a table takes long, and a document is read at every keystroke.
func TestBesideIsMadeWhereItIsWanted(t *testing.T) {
	chat := transcript.Parse("## You\n\nHow many?\n\n```context file a.csv\nname,sold\nTea,1\nRice,2\n```\n")
	for wanted, want := range map[bool]string{
		true: "a.csv (2 rows):\n```\nname: Tea, sold: 1\nname: Rice, sold: 2\n```\n\n" +
			"All 2 rows of a.csv together:\n```\nsold: lowest 1 (name Tea), highest 2 (name Rice), sum 3\n```",
		false: "",
	} {
		if got := compose.Turns(chat, compose.Memory{Beside: wanted})[0].Beside; got != want {
			t.Errorf("wanted %t: %s", wanted, got)
		}
	}
}
