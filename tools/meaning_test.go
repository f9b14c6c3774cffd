package tools_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
)

// synonyms takes the texts for nearest that have what a query stands for, in their order.
type synonyms struct {
	of    map[string]string
	asked *[][]string // the texts of each ranking
}

func (m synonyms) Near(_ context.Context, query string, texts []string) []int {
	*m.asked = append(*m.asked, texts)
	var places []int
	for i, text := range texts {
		if other := m.of[query]; other != "" && strings.Contains(text, other) {
			places = append(places, i)
		}
	}
	return places
}

func TestToolSearchByMeaning(t *testing.T) {
	var asked [][]string
	sources := tools.NewSources(searchable())
	sources.RankBy(synonyms{map[string]string{"umbrella": "Tell the weather", "the shop's disk": "rename a file", "move_file umbrella": "weather", "Todo": "weather"}, &asked})
	d := tools.NewDispatcher(sources.Known(), policy.New(nil), nil)
	for query, want := range map[string]string{
		"umbrella":           "weather",                             // no word of it
		"the shop's disk":    "move_file deleteFile postgres_query", // the first by meaning, then those by words
		"move_file umbrella": "move_file weather deleteFile",        // a name comes first
		"Todo":               "todo weather",
		"submarine":          "",
	} {
		if found := strings.Join(tools.FoundIn(search(t, d, query).Text()), " "); found != want {
			t.Errorf("%q finds %q, not %q", query, found, want)
		}
	}
	asked = nil
	if found := tools.FoundIn(search(t, d, "umbrella", "web_fetch", "deleteFile").Text()); !slices.Equal(found, []string{"weather"}) {
		t.Errorf("beside what the caller knows %q is found", found)
	}
	want := []string{
		"web search: Search the web.", "move file: Move or rename a file.", "todo: Keep the list of tasks that is shown to the user.",
		"postgres query: Run SQL on the database of the shop.", "weather: Tell the weather.",
	}
	if len(asked) != 1 || !slices.Equal(asked[0], want) {
		t.Errorf("the texts are %q", asked)
	}
}
