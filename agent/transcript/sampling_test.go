package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/transcript"
)

// The numbers of the front matter survive writing and reading, and one that cannot be used is said and not used.
func TestSampling(t *testing.T) {
	chat := transcript.Parse("---\ntemperature: 0\ntop_p: 0.5\ntop_k: 40\nmin_p: 1\nrepeat_penalty: 1.1\nseed: 7\nnum_predict: 200\n---\n\n## You\n\nHi.\n")
	if len(chat.Problems) > 0 || *chat.Front.Sampling.Temperature != 0 || *chat.Front.Sampling.TopK != 40 || *chat.Front.Sampling.NumPredict != 200 {
		t.Fatalf("%+v %v", chat.Front.Sampling, chat.Problems)
	}
	written := transcript.Render(*chat)
	if again := transcript.Parse(written); *again.Front.Sampling.RepeatPenalty != 1.1 || *again.Front.Sampling.Seed != 7 {
		t.Errorf("it was written as\n%s", written)
	}
	for _, line := range []string{
		"temperature: hot", "temperature: -1", "temperature: .nan", "temperature: .inf", "temperature: [1]", "top_k: 1.5", "seed: 1e99", "num_predict: 0", "seed: {}", "top_p:", "min_p: !!binary aGk=",
	} {
		chat := transcript.Parse("---\n" + line + "\n---\n\n## You\n\nHi.\n")
		key, _, _ := strings.Cut(line, ":")
		if line == "top_p:" { // nothing is said
			if len(chat.Problems) > 0 || chat.Front.Sampling.TopP != nil {
				t.Errorf("an empty line says %v", chat.Front.Sampling)
			}
			continue
		}
		if len(chat.Problems) != 1 || !strings.Contains(fmt.Sprint(chat.Problems), "`"+key+"` must be a ") || chat.Front.Sampling != (transcript.Sampling{}) {
			t.Errorf("%s: %v %+v", line, chat.Problems, chat.Front.Sampling)
		}
	}
}

func TestThinkOfAChat(t *testing.T) {
	for written, want := range map[string]string{"true": "true", "false": "false", "low": "low", "medium": "medium", "high": "high", `"high"`: "high", "": "", "null": ""} {
		chat := transcript.Parse("---\nthink: " + written + "\n---\n\n## You\n\nHi.\n")
		if chat.Front.Think != want || len(chat.Problems) > 0 {
			t.Errorf("%q is %q, %v", written, chat.Front.Think, chat.Problems)
		}
		if again := transcript.Parse(transcript.Render(*chat)); again.Front.Think != want {
			t.Errorf("%q is written as %q", written, again.Front.Think)
		}
	}
	for _, written := range []string{"yes", "very", "1", "[low]", "{}", "High"} {
		chat := transcript.Parse("---\nthink: " + written + "\n---\n\n## You\n\nHi.\n")
		if chat.Front.Think != "" || len(chat.Problems) != 1 || !strings.Contains(chat.Problems[0].Message, "`think` must be true, false, low, medium or high") {
			t.Errorf("%q is %q, %v", written, chat.Front.Think, chat.Problems)
		}
	}
}
