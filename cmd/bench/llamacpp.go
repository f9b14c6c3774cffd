package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/assent-ls/assent/agent/toolcall/formats"
)

const (
	llamaCached = 30  // pairs of first tokens
	llamaCold   = 3   // the same, with a prompt that has to be read
	llamaWhole  = 4   // pairs of replies
	llamaReply  = 192 // tokens: what a Send takes before the first one is a small part of that
)

// measureLlama compares Assent before a real server of llama.cpp with that server alone.
func measureLlama(ctx context.Context, l *setup) ([]row, error) {
	program, file, ok := llamaPlace()
	if !ok {
		return []row{{what: "llama.cpp's server", got: "not measured: LLAMA_SERVER and MODEL_FILE are not set"}}, nil
	}
	l.log("  starting %s with %s", filepath.Base(program), filepath.Base(file))
	s, err := startLlama(ctx, program, file)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	proxy, err := newLlamaProxy(ctx, s)
	if err != nil {
		return nil, err
	}
	defer proxy.close()
	w, err := l.newProject()
	if err != nil {
		return nil, err
	}
	t := llamaTrial{setup: l, project: w, server: s}
	if err := t.prompt(marker); err != nil {
		return nil, err
	}
	if err := t.declare(proxy.address); err != nil {
		return nil, err
	}
	// first: other work of the machine does not change what it counts
	steps, err := l.measureSteps(ctx, w, &proxy.stepsProxy, "llama.cpp's server", "--model", "box/"+llamaModel)
	if err != nil {
		return nil, err
	}
	rows := []row{steps}
	t.editor, err = l.startEditor(
		ctx, w, "--ollama-host", "http://127.0.0.1:1", "--model", "box/"+llamaModel, "--tool-format", "native",
		"--temperature", "0",
	)
	if err != nil {
		return rows, err
	}
	defer t.quit()
	requests, err := t.capture(proxy, question, llamaLong)
	if err != nil {
		return rows, err
	}
	if err := t.declare(s.address); err != nil {
		return rows, err
	}
	compared, err := t.measure(ctx, requests)
	return append(rows, compared...), err
}

// llamaLong asks for a reply that is cut at a fixed length.
var llamaLong = fmt.Sprintf( //nolint:gochecknoglobals // a constant
	"---\ntools: []\nnum_predict: %d\n---\n\n## You\n\nCount from one to two hundred in English words.\n", llamaReply,
)

// llamaTrial is a server, and the real program before it.
type llamaTrial struct {
	*setup
	*project
	*editor

	server *realLlama
}

func (t llamaTrial) prompt(number string) error {
	system, err := os.ReadFile("prompts/system.md")
	if err != nil {
		return err
	}
	return t.project.prompt(number + "\n" + string(system))
}

// declare writes where the server is; the program reads it again.
func (t llamaTrial) declare(address string) error {
	return write(
		filepath.Join(filepath.Dir(t.project.dir), "config", "assent", "servers.json"),
		`{"servers": [{"name": "box", "url": "`+address+`", "kind": "llamacpp"}]}`,
	)
}

func (t llamaTrial) uri() string { return "file://" + t.project.dir + "/first.chat.md" }

// capture sends chats through a proxy, and returns what went over the wire for each.
func (t llamaTrial) capture(proxy *llamaProxy, chats ...string) (requests [][]byte, err error) {
	for _, chat := range chats {
		if _, err := t.firstToken(t.uri(), chat); err != nil {
			return nil, err
		}
		pause() // the end of the reply is still on its way into the document
		if err := t.editor.close(t.uri()); err != nil {
			return nil, err
		}
		request := proxy.captured()
		if !bytes.Contains(request, []byte(marker)) {
			return nil, fmt.Errorf("the request does not hold the system prompt of the world")
		}
		requests = append(requests, request)
	}
	return requests, nil
}

// measure compares first tokens and whole replies.
func (t llamaTrial) measure(ctx context.Context, requests [][]byte) (rows []row, err error) {
	length, err := llamaReads(ctx, t.server.address, requests[0])
	if err != nil {
		return nil, err
	}
	for _, cold := range []bool{false, true} {
		r, err := t.firstTokens(ctx, requests[0], cold)
		if err != nil {
			return rows, err
		}
		r.what = fmt.Sprintf("first token, llama.cpp's server, a prompt of %d tokens in its cache", length.prompt)
		if cold {
			r.what = fmt.Sprintf("first token, llama.cpp's server, a prompt of %d tokens that it reads", length.prompt)
		}
		rows = append(rows, r)
	}
	r, err := t.wholeReplies(ctx, requests[1])
	if err != nil {
		return rows, err
	}
	return append(rows, r), nil
}

// pairs measures both sides in turns, the first pair to warm up, and gives the fastest of each: other work only adds.
func (t llamaTrial) pairs(
	ctx context.Context, n int, ours, theirs func() (time.Duration, error),
) (a, b time.Duration, err error) {
	var through, direct []time.Duration
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
				return 0, 0, err
			}
			pause()
		}
		t.log("  pair %d of %d: %s through, %s straight", i, n, ms(through[i]), ms(direct[i]))
		if ctx.Err() != nil {
			return 0, 0, ctx.Err()
		}
	}
	return slices.Min(through[1:]), slices.Min(direct[1:]), nil
}

func (t llamaTrial) firstTokens(ctx context.Context, request []byte, cold bool) (row, error) {
	number := func() string {
		if cold {
			return fmt.Sprintf("%08d", 10000000+rand.N(90000000)) //nolint:gosec // nothing depends on it
		}
		return marker
	}
	pairs := llamaCached
	if cold {
		pairs = llamaCold
	}
	a, b, err := t.pairs(ctx, pairs, func() (time.Duration, error) {
		if err := t.prompt(number()); err != nil {
			return 0, err
		}
		took, err := t.firstToken(t.uri(), question)
		if err == nil {
			err = t.editor.close(t.uri())
		}
		return took, err
	}, func() (time.Duration, error) {
		return t.directFirst(ctx, bytes.Replace(request, []byte(marker), []byte(number()), 1))
	})
	return row{
		target: "≤ 1.02, or 5 ms more", ok: a-b <= oursLimit || ratio(a, b) <= 1.02,
		got: fmt.Sprintf("%.3f, %s more (%s through, %s straight)", ratio(a, b), ms(a-b), ms(a), ms(b)),
		how: fmt.Sprintf(
			"A real server with one slot of %d tokens, which computes on all cores but one. From Send to the edit "+
				"that brings the first character, against the same request (captured, sent again byte by byte) to "+
				"the server itself. The fastest of %d interleaved pairs of each side.",
			llamaContext, pairs,
		),
	}, err
}

// directFirst is how long it takes until the first part of a reply can be decoded.
func (t llamaTrial) directFirst(ctx context.Context, body []byte) (took time.Duration, err error) {
	format, err := formats.ByName("native")
	if err != nil {
		return 0, err
	}
	decoder := format.Decoder(nil)
	began := time.Now()
	err = askLlama(ctx, t.server.address, body, func(c llamaChunk) bool {
		if len(decoder.Push(c.chunk())) > 0 {
			took = time.Since(began)
		}
		return took == 0
	})
	if err == nil && took == 0 {
		err = fmt.Errorf("the reply was empty")
	}
	return took, err
}

// wholeReplies compares the tokens per second of replies of the same length.
func (t llamaTrial) wholeReplies(ctx context.Context, request []byte) (row, error) {
	a, b, err := t.pairs(ctx, llamaWhole, func() (time.Duration, error) {
		if err := t.open(t.uri(), llamaLong); err != nil {
			return 0, err
		}
		over := t.nextEnd()
		began := time.Now()
		if err := t.command("assent.send", t.uri()); err != nil {
			return 0, err
		}
		select {
		case <-over:
		case <-time.After(3 * time.Minute):
			return 0, fmt.Errorf("the reply did not end within 3 minutes")
		}
		took := time.Since(began)
		return took, t.editor.close(t.uri())
	}, func() (time.Duration, error) {
		began := time.Now()
		err := askLlama(ctx, t.server.address, request, func(llamaChunk) bool { return true })
		return time.Since(began), err
	})
	return row{
		what: fmt.Sprintf(
			"tokens per second through / straight, llama.cpp's server, replies of %d tokens", llamaReply,
		),
		target: "≥ 0.98", ok: ratio(b, a) >= 0.98,
		got: fmt.Sprintf("%.3f (%.1f and %.1f tokens/s)", ratio(b, a), llamaReply/a.Seconds(), llamaReply/b.Seconds()),
		how: fmt.Sprintf(
			"From Send to the end of the run, against the same request to the server itself, with the prompt in its "+
				"cache. The fastest of %d interleaved pairs of each side.",
			llamaWhole,
		),
	}, err
}
