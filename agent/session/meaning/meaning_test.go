package meaning_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/ollama"
	"github.com/assent-ls/assent/agent/session/meaning"
	"github.com/assent-ls/assent/tools/userstate"
)

const models = "model small capabilities=embedding context=512 bytes=1000000\nmodel chat loaded=8192\nmodel away capabilities=embedding remote-host=ollama.com\nmeans car automobile\nmeans weather umbrella\n"

// lab is a ranking by a model of a scripted server.
type lab struct {
	*testing.T
	server *agenttest.Server
	agent  *agent.Agent
	rank   *meaning.Ranking
	told   []string
}

// newLab begins a process; dir is the state folder of the user.
func newLab(t *testing.T, dir, script, model string) *lab {
	t.Helper()
	l := &lab{T: t}
	server, transport := agenttest.StartInMemory(t, models+script)
	l.server = server
	l.begin(dir, model, ollama.New(&url.URL{Scheme: "http", Host: "ollama.test"}, transport))
	return l
}

func (l *lab) begin(dir, name string, backend model.Backend) {
	l.Helper()
	state, err := userstate.OpenState(dir)
	if err != nil {
		l.Fatal(err)
	}
	profiles, err := model.LoadProfiles()
	if err != nil {
		l.Fatal(err)
	}
	l.agent = agent.New(backend, profiles)
	l.rank = meaning.New(meaning.Options{
		Agent: l.agent, Model: name, State: state, Run: engine.Options{KeepAlive: 5 * time.Minute},
		Tell: func(sentence string) { l.told = append(l.told, sentence) },
	})
}

func (l *lab) near(query string, texts ...string) []int {
	return l.rank.Near(l.Context(), query, texts)
}

// sent are the texts of the requests for vectors.
func (l *lab) sent() (all [][]string) {
	l.Helper()
	for _, body := range l.bodies() {
		all = append(all, body.Input)
	}
	return all
}

// sizes are how many texts each request for vectors had.
func (l *lab) sizes() (list []int) {
	l.Helper()
	for _, texts := range l.sent() {
		list = append(list, len(texts))
	}
	return list
}

type body struct {
	Input     []string
	KeepAlive string `json:"keep_alive"`
	Options   map[string]any
}

func (l *lab) bodies() (all []body) {
	l.Helper()
	for _, r := range l.server.Requests() {
		if r.Path != "/api/embed" {
			continue
		}
		var b body
		if err := json.Unmarshal(r.Body, &b); err != nil {
			l.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

var texts = []string{"send mail", "the weather of a town", "the automobile"}

// What is near is found without a common word; what is known is not sent again, nor by another process; what changed
// is.
func TestNear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		l := newLab(t, dir, "", "small")
		if got := l.near("car", texts...); len(got) != 3 || got[0] != 2 {
			t.Errorf("the order is %v; told %q", got, l.told)
		}
		if got := l.near("umbrella", texts...); len(got) != 3 || got[0] != 1 {
			t.Errorf("the order is %v", got)
		}
		changed := []string{texts[0], "an umbrella", texts[2], texts[0]}
		if got := l.near("weather", changed...); len(got) != 4 || got[0] != 1 {
			t.Errorf("the order is %v", got)
		}
		want := [][]string{{"car"}, texts, {"umbrella"}, {"weather"}, {"an umbrella"}}
		if got := l.sent(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("sent %q, not %q", got, want)
		}
		other := newLab(t, dir, "", "small")
		if got := other.near("car", append(changed, texts...)...); len(got) != 7 || got[0] != 2 || got[1] != 6 {
			t.Errorf("the order is %v", got)
		}
		if got := other.sent(); fmt.Sprint(got) != "[[car]]" {
			t.Errorf("another process sends %q", got)
		}
		if told := append(l.told, other.told...); len(told) > 0 {
			t.Errorf("told %q", told)
		}
		kept, err := os.ReadFile(filepath.Join(dir, "vectors.json"))
		info, statErr := os.Stat(filepath.Join(dir, "vectors.json"))
		if err != nil || statErr != nil || strings.Contains(string(kept), "umbrella") || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v: kept with mode %v: %s", err, statErr, info.Mode(), kept)
		}
	})
}

// Whatever goes wrong: it ends soon, nothing is ranked, the user is told once, and the server is left alone for a
// minute.
func TestFaults(t *testing.T) {
	for _, row := range []struct{ model, script, told string }{
		{"small", "embed hang", "small did not answer in time"},
		{"small", "slow-load 1h", "small did not answer in time"},
		{"small", "embed error no memory", `refused the request: "no memory"`},
		{"small", `embed raw {"embeddings":[]}`, "small gave 0 vectors for 1 texts"},
		{"small", `embed raw {"embeddings":[[1],[2]]}`, "small gave 2 vectors for 1 texts"},
		{"small", `embed raw {}`, "small gave 0 vectors for 1 texts"},
		{"small", `embed raw {"embeddings":[[]]}`, "no vector"},
		{"small", `embed raw {"embeddings":[[0,0]]}`, "no vector"},
		{"small", `embed raw {"embeddings":[[NaN]]}`, "not an Ollama server"},
		{"small", `embed raw {"embeddings":[[1e40]]}`, "not an Ollama server"},
		{"small", `embed raw {"embeddings":[null]}`, "no vector"},
		{"small", `embed raw {"embeddings":[[1,2]]}`, "small gave 1 vectors for 3 texts"},
		{"small", "embed raw <html>", "not an Ollama server"},
		{"small", "vectors 20000", "no vector"},
		{"small", `embed raw {"embeddings":[[` + strings.Repeat("0.123,", 2_000_000) + `1]]}`, "an answer of more than 8 MiB"},
		{"chat", "", "chat is no model for it"},
		{"away", "", "away runs at ollama.com"},
		{"other", "", "other"},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := newLab(t, t.TempDir(), row.script, row.model)
			began := time.Now()
			for range 3 {
				if got := l.near("car", texts...); got != nil {
					t.Errorf("%.60s: ranked %v", row.script, got)
				}
			}
			if took := time.Since(began); took > 16*time.Second {
				t.Errorf("%.60s: it took %v", row.script, took)
			}
			sent := len(l.sent())
			if len(l.told) != 1 || !strings.Contains(l.told[0], row.told) || !strings.HasPrefix(l.told[0], "Tools and tables are found by words alone: ") {
				t.Errorf("%.60s: told %q, not %q", row.script, l.told, row.told)
			}
			<-time.After(2 * time.Minute)
			if _ = l.near("car", texts...); len(l.told) != 1 || len(l.sent()) != 2*sent {
				t.Errorf("%.60s: later told %q and sent %q after %d", row.script, l.told, l.sent(), sent)
			}
		})
	}
}

// A model that gives vectors of another size is asked for all of them anew.
func TestAnotherSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		for _, size := range []int{256, 64} {
			l := newLab(t, dir, fmt.Sprintf("vectors %d", size), "small")
			if got := l.near("car", texts...); len(got) != 3 || got[0] != 2 || len(l.sent()) != 2 {
				t.Errorf("%d: the order is %v; sent %q, told %q", size, got, l.sent(), l.told)
			}
		}
	})
}

// A model that needs long for each text is asked for as many as it can give in time.
func TestASlowModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, t.TempDir(), "embed each 900ms", "small")
		var many []string
		for i := range 20 {
			many = append(many, fmt.Sprintf("tool%c", 'a'+i))
		}
		calls := 1
		for l.near("toolc", many...) == nil && calls < 20 {
			calls++
		}
		if sizes := l.sizes(); calls != 4 || len(l.told) > 0 {
			t.Errorf("%d calls, requests for %v; told %q", calls, sizes, l.told)
		}
	})
}

// Where it takes long, each call goes on where the last one ended.
func TestManyTexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, t.TempDir(), "embed pause 2s", "small")
		var many []string
		for i := range 300 {
			many = append(many, fmt.Sprintf("tool%c%c", 'a'+i/26, 'a'+i%26))
		}
		calls := 1
		for l.near("toolcr", many...) == nil && calls < 20 {
			calls++
		}
		// In 15 seconds, while the model has to be loaded, the query and six requests that are answered, then in 5
		// seconds the query and one.
		if sizes := l.sizes(); calls != 7 || !strings.HasPrefix(fmt.Sprint(sizes), "[1 4 8 16 32 32 32 32 1 32 32 1 32 32") {
			t.Errorf("%d calls, requests for %v", calls, sizes)
		}
		if len(l.told) > 0 {
			t.Errorf("told %q", l.told)
		}
	})
}
