package openai_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
)

var update = flag.Bool("update", false, "write the matrix in quirks.md")

// kinds are the servers that a matrix has columns for. Ollama is the last: its only quirk is that it is refused.
func kinds() []string {
	return []string{
		quirkserver.LlamaCpp, quirkserver.VLLM, quirkserver.SGLang, quirkserver.LMStudio, quirkserver.Gateway, quirkserver.Ollama,
	}
}

// quirk is a row of quirks.md: which servers can be played with it, and what Assent must do then.
type quirk struct {
	kinds []string
	check func(t *testing.T, kind string)
}

// quirks are the rows in their order. What a gateway may pass on from the server behind it, or another version may
// bring, is played by all.
func quirks() []quirk {
	all := kinds()[:5]
	llama, studio := []string{quirkserver.LlamaCpp}, []string{quirkserver.LMStudio}
	return []quirk{
		{all, toolChoiceIsNotSent},
		{all, anyPortWillDo},
		{llama, loadingIsWaitedFor},
		{llama, contextIsThatOfASlot},
		{all, overflowHasBothNumbers},
		{all, unknownModelIsNotSent},
		{all, fileIsShownByItsName},
		{llama, progressIsShown},
		{all, rolesMayRepeat},
		{all, schemaGoesAlone},
		{[]string{quirkserver.LlamaCpp, quirkserver.VLLM}, countIsExact},
		{llama, noneIsReused},
		{all, ignoredSchemaIsFound},
		{all, thinkingGoesBack},
		{all, refusedToolsAreFound},
		{all, noToolsWithoutTools},
		{all, strictWhereItHelps},
		{all, lostArgumentsAreAskedFor},
		{all[1:], cachedMayBeUnknown},
		{[]string{quirkserver.VLLM, quirkserver.SGLang, quirkserver.Gateway}, contextHasManyNames},
		{all, lateArgumentsAreAssembled},
		{all, errorsMayBeBare},
		{all, noObjectsForLMStudio},
		{studio, contextIsInItsOwnList},
		{kinds()[5:], ollamaIsRefused},
		{all, heldStreamIsFound},
		{all, emptyIDIsNone},
		{[]string{quirkserver.LlamaCpp, quirkserver.Gateway}, grammarIsFound},
	}
}

const matrixHead = "## Which server passes what\n"

// TestMatrix plays each quirk by each server that can have it. The matrix in quirks.md says which passed.
func TestMatrix(t *testing.T) {
	table, err := os.ReadFile("quirks.md")
	if err != nil {
		t.Fatal(err)
	}
	rest, old, _ := strings.Cut(string(table), matrixHead)
	var b strings.Builder
	b.WriteString("\nPlayed by `quirkserver`: ● passes, and the quirk is this server's; ○ passes, where a gateway or another version brings\n" +
		"it; ✗ fails; empty: it cannot be there. Written by `go test ./agent/model/openai -run TestMatrix -update`.\n\n" +
		"| # | " + strings.Join(kinds(), " | ") + " |\n|---|" + strings.Repeat("---|", len(kinds())) + "\n")
	for i, q := range quirks() {
		row := []string{fmt.Sprint(i + 1)}
		for _, kind := range kinds() {
			mark := ""
			if slices.Contains(q.kinds, kind) {
				passes := t.Run(fmt.Sprintf("%d_%s", i+1, kind), func(t *testing.T) { q.check(t, kind) })
				mark = map[bool]string{true: "○", false: "✗"}[passes]
				if passes && slices.Contains(owners(rest, i+1), kind) {
					mark = "●"
				}
			}
			row = append(row, mark)
		}
		b.WriteString(strings.ReplaceAll("| "+strings.Join(row, " | ")+" |\n", "|  ", "| "))
	}
	if *update {
		if err := os.WriteFile("quirks.md", []byte(rest+matrixHead+b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(old, b.String()); diff != "" {
		t.Errorf("quirks.md is out of date; run the test with -update (-have +want):\n%s", diff)
	}
}

// owners are the servers that a row of the table names.
func owners(table string, n int) (own []string) {
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || strings.TrimSpace(cells[1]) != fmt.Sprint(n) {
			continue
		}
		for name := range strings.SplitSeq(cells[2], ",") {
			own = append(own, map[string]string{
				"llama.cpp": quirkserver.LlamaCpp, "vLLM": quirkserver.VLLM, "SGLang": quirkserver.SGLang, "LM Studio": quirkserver.LMStudio,
				"LiteLLM": quirkserver.Gateway, "gateways": quirkserver.Gateway, "Ollama": quirkserver.Ollama,
			}[strings.TrimSpace(name)])
		}
	}
	return own
}
