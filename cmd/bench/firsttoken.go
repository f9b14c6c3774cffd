package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/assent-ls/assent/agent/toolcall/formats"
)

const (
	question = "## You\n\nCount from one to ten in English words, in prose. Use no tool.\n"
	// marker is at the very start of the system prompt, so that with another number nothing of the prompt is in the
	// server's cache.
	marker = "00000000"
)

// oursLimit is what Assent may add to the time until the first token.
const oursLimit = 5 * time.Millisecond

// measureFirstToken compares the time until the first character of a reply is in the editor's document, counted
// from Send, with the time until the same character comes from the model server when the same request is sent without
// Assent.
func measureFirstToken(ctx context.Context, l *setup) ([]row, error) {
	const how = "Counted from Send to the edit that brings the first character of the reply into the document, " +
		"against the " +
		"same request (captured, replayed byte by byte) sent straight to the server, until the same character. " +
		"Pairs are interleaved; the fastest of %d of each side counts, since other work only adds (a model server " +
		"on a shared machine varies by 15 %%)."
	var rows []row
	if l.host != "" {
		for _, cold := range []bool{true, false} {
			pairs := 12
			what, note := "first token beyond the server's, prompt in its cache", " Both sides find the whole prompt "+
				"in the cache."
			if cold {
				pairs = 10
				what, note = "first token, cold prompt", " The first words of the prompt differ each time, "+
					"in as many tokens, so that nothing of it is cached."
			}
			r, err := l.firstTokens(ctx, l.host, l.model, cold, pairs)
			if err != nil {
				return rows, err
			}
			r.what, r.how = what+", "+l.model, fmt.Sprintf(how, pairs)+note
			rows = append(rows, r)
		}
	}
	address, stop, err := l.play(
		ctx, "model "+smallModels[0]+" loaded=8192\nturn repeat\npause 500ms\nsay Here\nrate 50 count 100\n",
	)
	if err != nil {
		return rows, err
	}
	defer stop()
	const pairs = 20
	r, err := l.firstTokens(ctx, address, smallModels[0], true, pairs)
	if err != nil {
		return rows, err
	}
	r.what, r.how = "first token beyond the server's, a scripted one that takes 500 ms", fmt.Sprintf(how, pairs)
	return append(rows, r), nil
}

func (l *setup) firstTokens(ctx context.Context, host, name string, cold bool, pairs int) (row, error) {
	w, err := l.newProject()
	if err != nil {
		return row{}, err
	}
	system, err := os.ReadFile("prompts/system.md")
	if err != nil {
		return row{}, err
	}
	prompt := func(number string) error { return w.prompt(number + "\n" + string(system)) }
	if err := prompt(marker); err != nil {
		return row{}, err
	}
	args := []string{"--model", name, "--tool-format", "native", "--temperature", "0"}
	request, err := l.capture(ctx, w, host, question, args...)
	if err != nil {
		return row{}, err
	}
	if !bytes.Contains(request, []byte(marker)) {
		return row{}, fmt.Errorf("the request does not hold the system prompt of the world")
	}
	e, err := l.startEditor(ctx, w, append(args, "--ollama-host", host)...)
	if err != nil {
		return row{}, err
	}
	defer e.quit()
	if err := e.openFiles(w, "README.md", "main.go"); err != nil {
		return row{}, err
	}
	uri := "file://" + w.dir + "/first.chat.md"

	var through, direct, extra []time.Duration
	for i := range pairs + 1 {
		number := func() string {
			if cold {
				return fmt.Sprintf("%08d", 10000000+rand.N(90000000)) //nolint:gosec // nothing depends on it
			}
			return marker
		}
		theirs := func() (time.Duration, error) {
			return directFirst(ctx, host, bytes.Replace(request, []byte(marker), []byte(number()), 1))
		}
		ours := func() (time.Duration, error) {
			if err := prompt(number()); err != nil {
				return 0, err
			}
			return e.firstToken(uri, question)
		}
		var a, b time.Duration
		if i%2 == 0 { // the order changes, so that a drift of the machine hits both
			if a, err = ours(); err == nil {
				pause()
				b, err = theirs()
			}
		} else {
			if b, err = theirs(); err == nil {
				pause()
				a, err = ours()
			}
		}
		if err != nil {
			return row{}, err
		}
		pause()
		if err := e.close(uri); err != nil {
			return row{}, err
		}
		if i == 0 {
			continue // the first pair warms up
		}
		l.log("  pair %d of %d: %s through, %s straight", i, pairs, ms(a), ms(b))
		through, direct, extra = append(through, a), append(direct, b), append(extra, a-b)
	}
	a, b := slices.Min(through), slices.Min(direct)
	r := row{
		target: "≤ 5 ms", ok: a-b <= oursLimit,
		got: fmt.Sprintf(
			"%s (%s through, %s straight; median difference %s)", ms(a-b), ms(a), ms(b), ms(median(extra)),
		),
	}
	if cold && host == l.host { // reading takes seconds, which differ by more than a few milliseconds
		r.target, r.ok = "≤ 1.02", ratio(a, b) <= 1.02
		r.got = fmt.Sprintf(
			"%.3f (%s through, %s straight; median difference %s)", ratio(a, b), ms(a), ms(b), ms(median(extra)),
		)
	}
	return r, nil
}

// pause gives the model server time to notice that the last client is gone.
func pause() { time.Sleep(400 * time.Millisecond) }

// directFirst returns how long it takes until the first event of a reply can be decoded.
func directFirst(ctx context.Context, host string, body []byte) (took time.Duration, err error) {
	format, err := formats.ByName("native")
	if err != nil {
		return 0, err
	}
	decoder := format.Decoder(nil)
	started := time.Now()
	err = direct(ctx, host, body, func(l line) bool {
		if len(decoder.Push(l.chunk())) > 0 && took == 0 {
			took = time.Since(started)
		}
		return took == 0
	})
	if err == nil && took == 0 {
		err = fmt.Errorf("the reply was empty")
	}
	return took, err
}

// promptTokens returns how many tokens the server counts in the prompt of a request, of which it writes one token.
func promptTokens(ctx context.Context, host string, body []byte) (n int, err error) {
	var request map[string]any
	if err := json.Unmarshal(body, &request); err != nil {
		return 0, err
	}
	options, _ := request["options"].(map[string]any)
	if options == nil {
		options = map[string]any{}
	}
	options["num_predict"] = 1
	request["options"] = options
	if body, err = json.Marshal(request); err != nil {
		return 0, err
	}
	err = direct(ctx, host, body, func(l line) bool {
		n = l.PromptEvalCount
		return !l.Done
	})
	return n, err
}
