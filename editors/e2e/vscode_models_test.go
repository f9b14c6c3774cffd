//go:build e2e

package e2e

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// dot is a PNG of one pixel, and dotHash its SHA-256.
const (
	dot     = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
	dotHash = "eaa4a94ea300e0d2c775968cbe42f0b5b51ceafdeb73d64e9efddf6d4e880865"
)

// otherAsks is a message of another extension.
type otherAsks struct {
	Assistant bool       `json:"assistant,omitempty"`
	Text      string     `json:"text,omitempty"`
	Call      *otherCall `json:"call,omitempty"`
	Result    *otherCall `json:"result,omitempty"`
	Data      *otherData `json:"data,omitempty"`
}

type otherCall struct {
	ID    string         `json:"id"`
	Name  string         `json:"name"`
	Input map[string]any `json:"input"`
}

type otherData struct {
	MimeType string `json:"mimeType"`
	Base64   string `json:"base64"`
}

// otherHeard is what another extension heard of an answer.
type otherHeard struct {
	Pieces []string
	Calls  []otherCall
	Over   bool
	Error  string
}

// TestModelsForOtherExtensionsVSCode lets another extension use the installed models: it hears the words as they come,
// gets the calls of its own tools, and may send an image to a model that sees. What cannot be passed on is refused with
// a sentence, and nothing is sent.
func TestModelsForOtherExtensionsVSCode(t *testing.T) {
	const blind, seeing = "llama3.1:8b", "llava:7b"
	server, address := play(t, scriptedModel+"model "+seeing+` family=llama parameters=7.0B capabilities=completion,vision context=32768
model far:1b capabilities=completion context=8192 remote-host=https://models.example remote-model=far
turn
	expect-last: Count to two.
	say: "One, "
	hold
	say: two.
turn
	expect: "name":"look"
	say: "I look."
	call look {"at": 1}
turn
	expect-last: A tree.
	say: I see a tree.
turn
	expect: image: `+dotHash+`
	say: I see a dot.
turn
	say: "Once upon "
	hang
turn
	say: Here I am.
`)
	w := newWorld(t, address, map[string]string{"README.md": readmeText})
	e := vscode{program: w.program, chat: true}.start(w)
	e.open("README.md")
	eventually(t, "the models are there", func() error {
		var models []struct{ ID string }
		e.do("models", nil, &models)
		if len(models) != 2 || models[0].ID != blind || models[1].ID != seeing { // far:1b runs elsewhere
			return fmt.Errorf("%v", models)
		}
		return nil
	})

	e.asks(blind, otherAsks{Text: "Count to two."})
	e.hears("the first words", func(h otherHeard) bool { return slices.Equal(h.Pieces, []string{"One, "}) && !h.Over })
	server.Release()
	e.hears("the end", func(h otherHeard) bool { return strings.Join(h.Pieces, "") == "One, two." && h.Over })

	look := e.asks(blind, otherAsks{Text: "What do you see?"}).hears("a call", func(h otherHeard) bool { return h.Over && len(h.Calls) == 1 })
	if call := look.Calls[0]; call.Name != "look" || fmt.Sprint(call.Input) != "map[at:1]" || strings.Join(look.Pieces, "") != "I look." {
		t.Errorf("it heard %+v", look)
	}
	e.asks(blind, otherAsks{Text: "What do you see?"}, otherAsks{Assistant: true, Call: &look.Calls[0]}, otherAsks{Result: &look.Calls[0], Text: "A tree."})
	e.hears("the answer to the result", func(h otherHeard) bool { return h.Over && strings.Join(h.Pieces, "") == "I see a tree." })

	picture := otherAsks{Data: &otherData{"image/png", dot}}
	note := otherAsks{Assistant: true, Data: &otherData{"stateful_marker", base64.StdEncoding.EncodeToString([]byte("gpt:1"))}} // of another model, that answered before
	e.asks(seeing, note, otherAsks{Text: "And here?"}, picture)
	e.hears("the answer to the image", func(h otherHeard) bool { return h.Over && strings.Join(h.Pieces, "") == "I see a dot." })
	sent := len(server.Chats())
	e.asks(blind, otherAsks{Text: "And here?"}, picture)
	e.hears("that it cannot see", func(h otherHeard) bool { return h.Over && strings.Contains(h.Error, blind+" cannot see images") })
	e.asks(seeing, otherAsks{Data: &otherData{"application/pdf", base64.StdEncoding.EncodeToString([]byte("%PDF-1.7"))}})
	e.hears("that it is not passed on", func(h otherHeard) bool { return h.Over && strings.Contains(h.Error, "A message holds application/pdf") })
	if more := len(server.Chats()) - sent; more != 0 {
		t.Errorf("%d requests were sent all the same", more)
	}

	// A request that is cancelled ends, and the model is free.
	e.asks(blind, otherAsks{Text: "Tell me a story."})
	e.hears("the first words", func(h otherHeard) bool { return strings.Join(h.Pieces, "") == "Once upon " })
	e.do("end_request", nil, nil)
	e.hears("the end of the request", func(h otherHeard) bool { return h.Over })
	e.asks(blind, otherAsks{Text: "Are you there?"})
	e.hears("the next answer", func(h otherHeard) bool { return h.Over && strings.Join(h.Pieces, "") == "Here I am." })
	if problems := server.Mismatches(); len(problems) > 0 {
		t.Errorf("the models were asked something else:\n%s", strings.Join(problems, "\n"))
	}
}

// asks lets another extension send messages to a model, with a tool of its own if the model can call some.
func (e *editor) asks(model string, messages ...otherAsks) *editor {
	e.t.Helper()
	args := arguments{"model": model, "messages": messages}
	if model == "llama3.1:8b" {
		args["tools"] = []arguments{{"name": "look", "description": "Looks.", "inputSchema": arguments{"type": "object"}}}
	}
	e.do("ask_model", args, nil)
	return e
}

// hears waits until the other extension heard what is wanted.
func (e *editor) hears(what string, wanted func(otherHeard) bool) otherHeard {
	e.t.Helper()
	var h otherHeard
	eventually(e.t, what, func() error {
		h = otherHeard{}
		e.do("heard", nil, &h)
		switch {
		case wanted(h):
			return nil
		case h.Over && h.Error != "":
			return errors.New(h.Error)
		}
		return fmt.Errorf("%+v", h)
	})
	return h
}
