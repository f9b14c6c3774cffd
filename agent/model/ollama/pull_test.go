package ollama_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/ollama"
)

const wanted = "qwen2.5-coder:3b"

func TestPull(t *testing.T) {
	_, b := backend(t, "model small:1b\nmissing "+wanted+" bytes=1000\n")
	var percents []int
	var last model.Pulled
	err := b.Pull(t.Context(), wanted, func(now model.Pulled) {
		percents, last = append(percents, now.Percent()), now
	})
	if err != nil || last.Done != 1000 || last.Total != 1000 || last.Status != "success" || percents[0] != 0 {
		t.Errorf("%v; %+v after %v", err, last, percents)
	}
	if info, err := b.Describe(t.Context(), wanted); err != nil || info.Name != wanted {
		t.Errorf("after it: %+v, %v", info, err)
	}
}

func TestPullFaults(t *testing.T) {
	for _, test := range []struct {
		name, script string
		kind         model.Kind
		words        []string
	}{
		{"no such model", "", model.NotInstalled, []string{`There is no model "` + wanted + `" at registry.ollama.ai`, "correct its name"}},
		{"full disk", "pull error write /blobs/x: no space left on device", model.Refused, []string{"has no room", "make room"}},
		{"no network", "pull error dial tcp: lookup registry.ollama.ai: no such host", model.Refused, []string{"cannot reach registry.ollama.ai", "connection"}},
		{"certificate", "pull error tls: failed to verify certificate: x509: unknown authority", model.Refused, []string{"cannot reach registry.ollama.ai"}},
		{"too old", "pull error 412: The model you are attempting to pull requires a newer version of Ollama.", model.Refused, []string{"update Ollama"}},
		{"another error", "pull error max retries exceeded: EOF", model.Refused, []string{"max retries exceeded", "log"}},
		{"a stream that ends", "pull end", model.Incomplete, []string{"before it had all of " + wanted, "goes on from there"}},
		{"a stream that breaks off", "pull cut", model.Incomplete, []string{"broke off", wanted}},
		{"no JSON", "pull line <html>", model.Refused, []string{"<html>"}},
		{"another type", `pull line {"status":7}`, model.Refused, []string{"not an Ollama server"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			script := "model small:1b\n"
			if test.script != "" {
				script += "missing " + wanted + "\n" + test.script + "\n"
			}
			_, b := backend(t, script)
			err := b.Pull(t.Context(), wanted, func(model.Pulled) {})
			failure := (*model.Error)(nil)
			if !errors.As(err, &failure) || failure.Kind != test.kind || strings.Contains(failure.Sentence, "\n") {
				t.Fatalf("%#v", err)
			}
			for _, word := range test.words {
				if !strings.Contains(failure.Sentence, word) {
					t.Errorf("no %q in %q", word, failure.Sentence)
				}
			}
		})
	}
}

func TestPullFromWhatIsNotOllama(t *testing.T) {
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		words   string
	}{
		"a page": {http.NotFound, "is not an Ollama server"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://evil.invalid", http.StatusTemporaryRedirect)
		}, "sends on to another address"},
		"no sign-in": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":"unauthorized","signin_url":"https://evil.invalid"}`))
		}, "ollama signin"},
		"wild counts": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"status":"x","digest":"a","total":9223372036854775807,"completed":-5}` + "\n" + `{"status":"x","digest":"b","total":9223372036854775807,"completed":9223372036854775807}` + "\n"))
		}, "before it had all"},
	} {
		server := httptest.NewServer(test.handler)
		base, _ := url.Parse(server.URL)
		err := ollama.New(base, agenttest.Way()).Pull(t.Context(), wanted, func(now model.Pulled) {
			if p := now.Percent(); p < 0 || p > 100 || now.Done > now.Total || now.Done < 0 {
				t.Errorf("%s: %+v", name, now)
			}
		})
		if err == nil || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: %v", name, err)
		}
		server.Close()
	}
}

// A pull ends with its context, and so does the fetching: the server sees the connection close.
func TestPullIsCancelled(t *testing.T) {
	server, b := backend(t, "missing "+wanted+"\npull hold\n")
	ctx, cancel := context.WithCancel(t.Context())
	err := b.Pull(ctx, wanted, func(now model.Pulled) {
		if now.Percent() == 50 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	gone := func(all []agenttest.Request) bool { return len(all) == 1 && all[0].Gone }
	if err := server.Wait(t.Context(), gone); err != nil {
		t.Error(err)
	}
}

func TestSource(t *testing.T) {
	_, b := backend(t, "")
	for name, want := range map[string]string{
		wanted: "registry.ollama.ai", "someone/model": "registry.ollama.ai", "hf.co/org/model:Q4_K_M": "hf.co", "evil.lan:5000/a/b": "evil.lan:5000",
		"http://evil.lan/a/b": "", "gpt-oss:120b-cloud": "", "x:cloud": "", "X:CLOUD": "", "": "", "a b": "", "a\nb": "", "../../etc/passwd": "", "näh:1b": "", "m:1b\u202e": "",
		"a/b/c/d/e": "",
	} {
		if got := b.Source(name).Host; got != want {
			t.Errorf("%q comes from %q, not %q", name, got, want)
		}
	}
}
