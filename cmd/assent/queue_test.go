//go:build linux

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/model/ollama"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/internal/network"
)

// printed collects what a process prints while it runs.
type printed struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *printed) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *printed) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// TestOneRequestAtATime runs the program three times at one model server: one streams, the others wait, and say for
// what. The one that streams is killed, the first that waits is suspended: neither holds up the last one.
func TestOneRequestAtATime(t *testing.T) {
	s := newUser(t, "turn\nsay: One\nhang\nturn\njson {\"answer\":\"Over.\"}\n")
	start := func(question string) (process *os.Process, wait func() error, notes *printed) {
		notes = &printed{}
		cmd := s.begin("run", question)
		cmd.Stderr = notes
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd.Process, sync.OnceValue(cmd.Wait), notes
	}
	first, firstEnds, _ := start("One?")
	if err := s.model.Wait(t.Context(), func(all []agenttest.Request) bool { return len(s.model.Chats()) == 1 }); err != nil {
		t.Fatal(err)
	}
	waits := regexp.MustCompile(`waiting for the model: assent's reply in \S+\.chat\.md \(process \d+\) comes first …`)
	suspended, _, notes := start("Two?")
	s.until("the second says that it waits", func() bool { return waits.MatchString(notes.String()) })
	if err := suspended.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	_, lastEnds, notes := start("Three?")
	s.until("the third says that it waits", func() bool { return waits.MatchString(notes.String()) })
	if n := len(s.model.Chats()); n != 1 {
		t.Errorf("%d requests were sent at a time", n)
	}
	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = firstEnds() // it was killed
	if err := lastEnds(); err != nil {
		t.Errorf("the last one ended: %v\n%s", err, notes)
	}
}

// TestASuspendedTurnHoldsUpNobody: who has the turn and is suspended gives no sign, and others stop to wait for it.
func TestASuspendedTurnHoldsUpNobody(t *testing.T) {
	s := newUser(t, "turn\nsay: One\nhang\nturn\njson {\"answer\":\"Over.\"}\n")
	suspended := s.begin("run", "One?")
	if err := suspended.Start(); err != nil {
		t.Fatal(err)
	}
	if err := s.model.Wait(t.Context(), func(all []agenttest.Request) bool { return len(s.model.Chats()) == 1 }); err != nil {
		t.Fatal(err)
	}
	if err := suspended.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if _, notes, status := s.run("run", "Two?"); status != 0 || !strings.Contains(notes, "comes first") || strings.Count(notes, "gave no sign for 10s: it may be suspended") != 1 {
		t.Errorf("status %d:\n%s", status, notes)
	}
	_ = suspended.Process.Kill()
	_ = suspended.Wait() // it was killed
}

// Where the state folder takes no queue, or by the setting, requests do not wait for those of others; the log says once
// why.
func TestWithoutAQueueNobodyWaits(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(s *user)
		flag    string
		warned  int
	}{
		"state folder": {func(s *user) {
			folder := filepath.Join(os.Getenv("XDG_STATE_HOME"), "assent")
			if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "queues"), nil, 0o600)); err != nil {
				s.t.Fatal(err)
			}
		}, "--model-queue", 1},
		"setting": {func(*user) {}, "--model-queue=false", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newUser(t, "turn\nhang\nturn\n"+theEdit+"\nturn\njson {\"answer\":\"Over.\"}\n")
			c.prepare(s)
			cmd := s.begin("run", c.flag, "One?")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if err := s.model.Wait(t.Context(), func(all []agenttest.Request) bool { return len(s.model.Chats()) == 1 }); err != nil {
				t.Fatal(err)
			}
			_, notes, status := s.run("run", c.flag, "--approve", "edit_file", "Two?")
			if n := strings.Count(notes, "do not wait for those of other windows"); status != 0 || n != c.warned {
				t.Errorf("status %d, warned %d times, want %d:\n%s", status, n, c.warned, notes)
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // it was killed
		})
	}
}

// TestAProbeWaitsForChats finds out how a model calls tools while a chat has the turn.
func TestAProbeWaitsForChats(t *testing.T) {
	s := newUser(t, "turn repeat\nsay one\n")
	server, err := ollama.Open(network.New(false, nil), strings.Replace(os.Getenv("OLLAMA_HOST"), "127.0.0.1", "LocalHost", 1)+"/", "") // the same server in other words
	if err != nil {
		t.Fatal(err)
	}
	chat := session.Queue(s.state(), server.Place(), 1, func(err error) { t.Error(err) })
	give, err := chat.Wait(t.Context(), engine.Requester{Chat: "a.chat.md"}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	cmd := s.begin("doctor", "--probe", "qwen2.5-coder:1.5b")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.until("it waits", func() bool {
		places, _ := filepath.Glob(filepath.Join(os.Getenv("XDG_STATE_HOME"), "assent", "queues", "*", "*.place"))
		return len(places) == 1
	})
	if n := len(s.model.Chats()); n != 0 {
		t.Errorf("%d requests were sent before its turn", n)
	}
	give()
	if err := cmd.Wait(); err != nil || len(s.model.Chats()) == 0 {
		t.Errorf("after its turn it ended %v with %d requests", err, len(s.model.Chats()))
	}
}
