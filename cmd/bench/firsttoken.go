package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/assent-ls/assent/agent/model"
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
	if err := w.prompt(marker); err != nil {
		return row{}, err
	}
	args := []string{"--model", name, "--tool-format", "native", "--temperature", "0"}
	request, err := l.capture(ctx, w, host, question, args...)
	if err != nil {
		return row{}, err
	}
	e, err := l.startEditor(ctx, w, append(args, "--ollama-host", host)...)
	if err != nil {
		return row{}, err
	}
	defer e.quit()
	if err := e.openFiles(w, "README.md", "main.go"); err != nil {
		return row{}, err
	}
	through, direct, err := l.firstPairs(ctx, pairs, e, w, request, cold, func(body []byte) (time.Duration, error) {
		return directFirst(ctx, host, body)
	})
	if err != nil {
		return row{}, err
	}
	var extra []time.Duration
	for i := range through {
		extra = append(extra, through[i]-direct[i])
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

// firstPairs measures how long it takes until the first token of an answer to question is in the document, and of the
// same request sent straight to the server. With cold, each prompt begins otherwise.
func (l *setup) firstPairs(
	ctx context.Context, n int, e *editor, w *project, request []byte, cold bool,
	straight func(body []byte) (time.Duration, error),
) (through, direct []time.Duration, err error) {
	if !bytes.Contains(request, []byte(marker)) {
		return nil, nil, fmt.Errorf("the request does not hold the system prompt of the world")
	}
	number := func() string {
		if cold {
			return fmt.Sprintf("%08d", 10000000+rand.N(90000000)) //nolint:gosec // nothing depends on it
		}
		return marker
	}
	return l.pairs(ctx, n, func() (time.Duration, error) {
		if err := w.prompt(number()); err != nil {
			return 0, err
		}
		uri := w.uri("first.chat.md")
		took, err := e.firstToken(uri, question)
		if err != nil {
			return 0, err
		}
		return took, e.close(uri)
	}, func() (time.Duration, error) {
		return straight(bytes.Replace(request, []byte(marker), []byte(number()), 1))
	})
}

// pairs measures both sides in turns, after a first pair to warm up.
func (l *setup) pairs(
	ctx context.Context, n int, ours, theirs func() (time.Duration, error),
) (through, direct []time.Duration, err error) {
	for i := range n + 1 {
		order := []func() error{
			func() error { took, err := ours(); through = append(through, took); return err },
			func() error { took, err := theirs(); direct = append(direct, took); return err },
		}
		if i%2 == 1 { // a drift of the machine hits both
			slices.Reverse(order)
		}
		for _, side := range order {
			if err := side(); err != nil {
				return nil, nil, err
			}
			pause()
		}
		l.log("  pair %d of %d: %s through, %s straight", i, n, ms(through[i]), ms(direct[i]))
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
	}
	return through[1:], direct[1:], nil
}

// pause gives the model server time to notice that the last client is gone.
func pause() { time.Sleep(400 * time.Millisecond) }

// directFirst returns how long it takes until the first event of a reply of Ollama can be decoded.
func directFirst(ctx context.Context, host string, body []byte) (time.Duration, error) {
	return firstEvent(func(push func(text string) bool) error {
		return direct(ctx, host, body, func(l line) bool { return push(l.Message.Content) })
	})
}

// firstEvent returns how long it takes until the first event of a reply can be decoded. reply gives the texts of the
// reply to push, until that returns false.
func firstEvent(reply func(push func(text string) bool) error) (took time.Duration, err error) {
	format, err := formats.ByName("native")
	if err != nil {
		return 0, err
	}
	decoder := format.Decoder(nil)
	began := time.Now()
	err = reply(func(text string) bool {
		if len(decoder.Push(model.Chunk{Text: text})) > 0 {
			took = time.Since(began)
		}
		return took == 0
	})
	if err == nil && took == 0 {
		err = fmt.Errorf("the reply was empty")
	}
	return took, err
}
