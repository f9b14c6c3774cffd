package servers_test

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/ollama"
	"github.com/assent-ls/assent/agent/model/servers"
	"github.com/assent-ls/assent/internal/network"
)

const nobody = "http://127.0.0.1:1" // where nothing listens

// set makes a Set of a file and an Ollama of one model at its usual place.
func set(t *testing.T, file string) (*servers.Set, *agenttest.Server, string) {
	t.Helper()
	usual, base := agenttest.Start(t, "model qwen:1b\nturn\nsay: usual")
	path := filepath.Join(t.TempDir(), "servers.json")
	if file != "" {
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return servers.New(servers.Options{File: path, Usual: ollama.New(base, agenttest.Way()), Network: network.New(false, nil)}), usual, path
}

func names(list []model.Info) (out []string) {
	for _, m := range list {
		out = append(out, m.Name)
	}
	return out
}

// answer is what a model says.
func answer(t *testing.T, s *servers.Set, name string) (said, host string, err error) {
	t.Helper()
	err = s.Chat(t.Context(), model.Request{Model: name}, func(c model.Chunk) error {
		said += c.Text
		host = c.RemoteHost
		return nil
	})
	return said, host, err
}

// TestOllamaAloneIsAsBefore: without a declared server, names have no server, and requests are those of Ollama's own
// backend.
func TestOllamaAloneIsAsBefore(t *testing.T) {
	s, usual, _ := set(t, "")
	list, err := s.Models(t.Context())
	if err != nil || !slices.Equal(names(list), []string{"qwen:1b"}) || list[0].Server != "" || list[0].Elsewhere() != "" {
		t.Fatalf("%+v, %v", list, err)
	}
	if said, _, err := answer(t, s, "qwen:1b"); said != "usual" || err != nil {
		t.Errorf("%q, %v", said, err)
	}
	base := &url.URL{Scheme: "http", Host: "127.0.0.1:1"}
	want, err := ollama.New(base, agenttest.Way()).Body(t.Context(), model.Request{Model: "qwen:1b"})
	if got := usual.Chats(); err != nil || len(got) != 1 || strings.TrimSpace(string(got[0].Body)) != strings.TrimSpace(string(want)) {
		t.Errorf("sent %s, not %s (%v)", got[0].Body, want, err)
	}
	if place, slots := s.Place("qwen:1b"); !strings.HasPrefix(place, "this machine port ") || slots != 1 {
		t.Errorf("%q, %d", place, slots)
	}
	if !strings.HasPrefix(s.Name(), "Ollama at ") {
		t.Error(s.Name())
	}
}

// TestLookup: a name with a server means that server, one without it the first that has the model, Ollama last.
func TestLookup(t *testing.T) {
	_, first := agenttest.Start(t, "model big:7b\nmodel qwen:1b\nturn\nsay: first\nturn\nsay: first again")
	_, second := agenttest.Start(t, "model big:7b\nmodel other:1b\nturn\nsay: second\nturn\nsay: second again")
	s, _, _ := set(t, `{"servers": [
		{"name": "down", "url": "`+nobody+`"},
		{"name": "one", "url": "`+first.String()+`", "kind": "ollama"},
		{"name": "two", "url": "`+second.String()+`"}
	]}`)
	list, err := s.Models(t.Context())
	if want := []string{"one/big:7b", "one/qwen:1b", "two/big:7b", "two/other:1b"}; err != nil || !slices.Equal(slices.Sorted(slices.Values(names(list))), want) {
		t.Fatalf("%v, %v", names(list), err)
	}
	for name, want := range map[string]struct{ full, said string }{
		"two/big:7b": {"two/big:7b", "second"}, "other:1b": {"two/other:1b", "second again"},
		"qwen:1b": {"one/qwen:1b", "first"}, "ONE/big:7b": {"one/big:7b", "first again"},
	} {
		info, err := s.Describe(t.Context(), name)
		if err != nil || info.Name != want.full || !strings.HasPrefix(info.Server, want.full[:3]+" at http://127.0.0.1:") {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
	}
	if said, _, err := answer(t, s, "other:1b"); said != "second" || err != nil {
		t.Errorf("%q, %v", said, err)
	}
	if said, _, err := answer(t, s, "one/qwen:1b"); said != "first" || err != nil {
		t.Errorf("%q, %v", said, err)
	}
	_, err = s.Describe(t.Context(), "none/x")
	if err == nil || !strings.Contains(err.Error(), `No model server has a model "none/x", and none is called "none"`) ||
		!strings.Contains(err.Error(), "No server answers at "+nobody+": start down, or correct its URL in servers.json.") {
		t.Error(err)
	}
	one, _ := s.Place("one/big:7b")
	two, _ := s.Place("two/big:7b")
	if one == two {
		t.Errorf("both queue up at %s", one)
	}
}

// TestTheFileIsReadAgain when it has changed, and what is no JSON changes nothing.
func TestTheFileIsReadAgain(t *testing.T) {
	_, first := agenttest.Start(t, "model big:7b")
	s, _, path := set(t, "")
	for _, test := range []struct {
		file string
		want []string
	}{
		{`{"servers": [{"name": "one", "url": "` + first.String() + `"}]}`, []string{"one/big:7b", "ollama/qwen:1b"}},
		{`{"servers": [{"name": "one", "url`, []string{"one/big:7b", "ollama/qwen:1b"}},
		{`{"servers": [{"name": "ollama", "url": "` + first.String() + `"}]}`, []string{"ollama/big:7b"}},
		{``, []string{"qwen:1b"}},
	} {
		if err := os.WriteFile(path, []byte(test.file), 0o600); err != nil {
			t.Fatal(err)
		}
		if list, err := s.Models(t.Context()); err != nil || !slices.Equal(names(list), test.want) {
			t.Errorf("%s: %v, %v", test.file, names(list), err)
		}
	}
}

// TestElsewhere: a model of a server on another machine says so, and so does each piece of its replies.
func TestElsewhere(t *testing.T) {
	work := t.TempDir()
	s, _, path := set(t, `{"servers": [
		{"name": "far", "url": "http://192.0.2.1:9", "kind": "ollama", "send": ["`+work+`"]},
		{"name": "free", "url": "http://192.0.2.2:9", "kind": "ollama", "send": "anything"}
	]}`)
	for name, want := range map[string]model.Sending{"far": {Folders: []string{work}}, "free": {Unasked: true}} {
		info, err := servers.InfoOf(s, name, model.Info{Name: "m"})
		if err != nil || info.Elsewhere() != map[string]string{"far": "192.0.2.1", "free": "192.0.2.2"}[name] ||
			info.Send.Unasked != want.Unasked || !slices.Equal(info.Send.Folders, want.Folders) {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
	}
	if send, err := s.Sending("far/m"); err != nil || !slices.Equal(send.Folders, []string{work}) {
		t.Errorf("%+v, %v", send, err)
	}
	if err := os.WriteFile(path, []byte(`{"servers": [{"name": "far", "url": "http://192.0.2.1:9", "send": "anything"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if send, err := s.Sending("far/m"); err != nil || !send.Unasked || send.Folders != nil {
		t.Errorf("after a change: %+v, %v", send, err)
	}
	sending := model.Sending{Folders: []string{work}}
	for path, want := range map[string]bool{work: true, filepath.Join(work, "a.chat.md"): true, work + "2": false, "/": false, "": false} {
		if sending.Allows(path) != want {
			t.Errorf("%q: %v", path, !want)
		}
	}
}

// TestACancelledListing is an error, not an empty list.
func TestACancelledListing(t *testing.T) {
	s, _, _ := set(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Models(ctx); err == nil {
		t.Error("listed")
	}
}

// away declares a server on another machine, which has a model of the usual Ollama and is before it.
const away = `{"servers": [{"name": "box", "url": "http://box.example/v1"}]}`

// TestNothingIsSentToAServerThatNobodyWasAskedAbout: the file may change between what was told of a model and a request.
func TestNothingIsSentToAServerThatNobodyWasAskedAbout(t *testing.T) {
	there, base := agenttest.Start(t, "model qwen:1b\nturn\nsay: away")
	usual, own := agenttest.Start(t, "model qwen:1b\nturn\nsay: usual")
	path := filepath.Join(t.TempDir(), "servers.json")
	s := servers.New(servers.Options{
		File: path, Usual: ollama.New(own, agenttest.Way()), Network: network.New(false, nil), Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, base.Host)
		},
	})
	before, err := s.Describe(t.Context(), "qwen:1b")
	if err != nil || before.Elsewhere() != "" {
		t.Fatalf("%+v, %v", before, err)
	}
	if err := os.WriteFile(path, []byte(away), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err = answer(t, s, before.Name)
	if err == nil || !strings.Contains(err.Error(), "box is at http://box.example/v1 by now, which nobody was asked about") {
		t.Error(err)
	}
	request := model.Request{Model: before.Name}
	if n, err := s.Count(t.Context(), request); err == nil {
		t.Errorf("counted %d", n)
	}
	if prompt, err := s.RenderOnly(t.Context(), request); err == nil {
		t.Errorf("rendered %q", prompt)
	}
	if text, err := s.Insert(t.Context(), model.Insertion{Model: before.Name}); err == nil {
		t.Errorf("inserted %q", text)
	}
	if list, err := s.Embed(t.Context(), model.Embedding{Model: before.Name, Texts: []string{"private"}}); err == nil {
		t.Errorf("embedded %v", list)
	}
	if len(there.Chats()) > 0 || len(usual.Chats()) > 0 {
		t.Errorf("%d and %d chats", len(there.Chats()), len(usual.Chats()))
	}
	now, err := s.Describe(t.Context(), before.Name)
	if err != nil || now.Elsewhere() != "box.example" {
		t.Fatalf("%+v, %v", now, err)
	}
	request = model.Request{Model: now.Name, Server: now.Server}
	if err := s.Chat(t.Context(), request, func(model.Chunk) error { return nil }); err != nil || len(there.Chats()) != 1 {
		t.Errorf("%v, %d chats", err, len(there.Chats()))
	}
}
