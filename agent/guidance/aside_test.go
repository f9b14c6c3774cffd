package guidance_test

import (
	"testing"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/guidance"
	"github.com/assent-ls/assent/agent/transcript"
)

// Tables take long, and a document is read at every keystroke: only guided models have them beside a message.
func TestTablesAreMadeForGuidedModelsAlone(t *testing.T) {
	chat := transcript.Parse("## You\n\nHow many?\n\n```context file a.csv\nname,sold\nTea,1\nRice,2\n```\n")
	for aside, want := range map[compose.Aside]string{
		guidance.Aside{}: "a.csv (2 rows):\n```\nname: Tea, sold: 1\nname: Rice, sold: 2\n```\n\n" +
			"All 2 rows of a.csv together:\n```\nsold: lowest 1 (name Tea), highest 2 (name Rice), sum 3\n```",
		nil: "",
	} {
		if got := compose.Turns(chat, compose.Memory{Aside: aside})[0].Beside; got != want {
			t.Errorf("with %v: %s", aside, got)
		}
	}
}
