package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	llamaCached = 30  // pairs of first tokens
	llamaCold   = 3   // the same, with a prompt that has to be read
	llamaWhole  = 4   // pairs of replies
	llamaLength = 192 // tokens: what a Send takes before the first one is a small part of that
)

// measureLlama compares Assent before a real server of llama.cpp with that server alone.
func measureLlama(ctx context.Context, l *setup) ([]row, error) {
	program, file := os.Getenv("LLAMA_SERVER"), os.Getenv("MODEL_FILE")
	if program == "" || file == "" {
		return []row{{what: "llama.cpp's server", got: "not measured: LLAMA_SERVER and MODEL_FILE are not set"}}, nil
	}
	l.log("  starting %s with %s", filepath.Base(program), filepath.Base(file))
	s, err := startLlama(ctx, program, file)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	proxy, err := newStepsProxy(ctx, s.address, stepsServer{llamaChats, llamaReads, llamaReply})
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
	steps, err := l.measureSteps(ctx, w, proxy, "llama.cpp's server", "--model", "box/"+llamaModel)
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
	"---\ntools: []\nnum_predict: %d\n---\n\n## You\n\nCount from one to two hundred in English words.\n", llamaLength,
)

// llamaTrial is a server, and the real program before it.
type llamaTrial struct {
	*setup
	*project
	*editor

	server *realLlama
}

// declare writes where the server is.
func (t llamaTrial) declare(address string) error {
	return t.configure("servers.json", `{"servers": [{"name": "box", "url": "`+address+`", "kind": "llamacpp"}]}`)
}

// capture sends chats through a proxy, and returns what went over the wire for each.
func (t llamaTrial) capture(proxy *stepsProxy, chats ...string) (requests [][]byte, err error) {
	for _, chat := range chats {
		if _, err := t.firstToken(t.uri("first.chat.md"), chat); err != nil {
			return nil, err
		}
		pause() // the end of the reply is still on its way into the document
		if err := t.editor.close(t.uri("first.chat.md")); err != nil {
			return nil, err
		}
		request, err := proxy.captured()
		if err != nil {
			return nil, err
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

func (t llamaTrial) firstTokens(ctx context.Context, request []byte, cold bool) (row, error) {
	pairs := llamaCached
	if cold {
		pairs = llamaCold
	}
	through, direct, err := t.firstPairs(ctx, pairs, t.editor, t.project, request, cold, t.directFirst(ctx))
	if err != nil {
		return row{}, err
	}
	a, b := slices.Min(through), slices.Min(direct)
	return row{
		target: "≤ 1.02, or 5 ms more", ok: a-b <= oursLimit || ratio(a, b) <= 1.02,
		got: fmt.Sprintf("%.3f, %s more (%s through, %s straight)", ratio(a, b), ms(a-b), ms(a), ms(b)),
		how: fmt.Sprintf(
			"A real server with one slot of %d tokens, which computes on all cores but one. From Send to the edit "+
				"that brings the first character, against the same request (captured, sent again byte by byte) to "+
				"the server itself. The fastest of %d interleaved pairs of each side.",
			llamaContext, pairs,
		),
	}, nil
}

// directFirst asks the server itself, until the first part of a reply can be decoded.
func (t llamaTrial) directFirst(ctx context.Context) func(body []byte) (time.Duration, error) {
	return func(body []byte) (time.Duration, error) {
		return firstEvent(func(push func(text string) bool) error {
			return askLlama(ctx, t.server.address, body, func(c llamaChunk) bool { return push(c.text()) })
		})
	}
}

// wholeReplies compares the tokens per second of replies of the same length.
func (t llamaTrial) wholeReplies(ctx context.Context, request []byte) (row, error) {
	through, direct, err := t.pairs(ctx, llamaWhole, func() (time.Duration, error) {
		if err := t.open(t.uri("first.chat.md"), llamaLong); err != nil {
			return 0, err
		}
		took, err := t.sendUntil(t.uri("first.chat.md"), t.nextEnd())
		if err != nil {
			return 0, err
		}
		return took, t.editor.close(t.uri("first.chat.md"))
	}, func() (time.Duration, error) {
		began := time.Now()
		err := askLlama(ctx, t.server.address, request, func(llamaChunk) bool { return true })
		return time.Since(began), err
	})
	if err != nil {
		return row{}, err
	}
	a, b := slices.Min(through), slices.Min(direct)
	return row{
		what: fmt.Sprintf(
			"tokens per second through / straight, llama.cpp's server, replies of %d tokens", llamaLength,
		),
		target: "≥ 0.98", ok: ratio(b, a) >= 0.98,
		got: fmt.Sprintf("%.3f (%.1f and %.1f tokens/s)", ratio(b, a), llamaLength/a.Seconds(), llamaLength/b.Seconds()),
		how: fmt.Sprintf(
			"From Send to the end of the run, against the same request to the server itself, with the prompt in its "+
				"cache. The fastest of %d interleaved pairs of each side.",
			llamaWhole,
		),
	}, nil
}
