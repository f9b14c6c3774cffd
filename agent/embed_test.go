package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/model"
)

// embedding is a server with a model for vectors, and what else is loaded. It keeps so many at a time.
type embedding struct {
	agenttest.Scripted
	room  int
	asked []model.Embedding
	begun chan struct{} // nil: vectors come at once; else they never do
}

func (e *embedding) Embed(ctx context.Context, req model.Embedding) ([][]float32, error) {
	e.asked = append(e.asked, req)
	if e.begun != nil {
		close(e.begun)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if !e.Installed[0].Loaded() {
		e.Installed[0].LoadedContext, e.Installed[0].LoadedBytes = req.ContextSize, e.Installed[0].Bytes
		for i := range e.Installed[1:] {
			if i+1 >= e.room {
				e.Installed[i+1].LoadedContext = 0
			}
		}
	}
	return make([][]float32, len(req.Texts)), nil
}

func newEmbedding(loaded int, others ...int) *embedding {
	e := &embedding{room: 9}
	e.Installed = []model.Info{{Name: "small", Digest: "d", Capabilities: []string{model.CanEmbed}, Bytes: 1 << 30, ContextLimit: 512, LoadedContext: loaded}}
	for i, context := range others {
		e.Installed = append(e.Installed, model.Info{Name: fmt.Sprint("chat", i), LoadedContext: context})
	}
	return e
}

func embed(t *testing.T, a *agent.Agent) error {
	t.Helper()
	return a.Embed(t.Context(), "small", engine.Options{KeepAlive: time.Minute}, func(ctx context.Context, e engine.Embedder) error {
		list, err := e.Vectors(ctx, []string{"a", "b"})
		if err == nil && (len(list) != 2 || e.Version != "the scripted model\x00small\x00d") {
			t.Errorf("%q gives %v", e.Version, list)
		}
		return err
	})
}

func embedder(t *testing.T, b model.Backend) *agent.Agent {
	t.Helper()
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	return agent.New(b, profiles)
}

// A model for vectors is loaded beside others only where they stay, and as it is loaded it stays.
func TestVectorsTakeNoModelOutOfMemory(t *testing.T) {
	for _, row := range []struct {
		name   string
		server *embedding
		memory int64
		bytes  int64
		size   int  // of the context; 0: the model is not asked
		main   bool // memory
	}{
		{"nothing else is loaded", newEmbedding(0, 0), 1, 1 << 30, 512, false},
		{"it is loaded, beside others", newEmbedding(400, 8192, 8192, 8192), 1, 1 << 30, 400, false},
		{"there is room", newEmbedding(0, 8192), 2 << 30, 1 << 30, 512, true},
		{"there is too little", newEmbedding(0, 8192), 1 << 30, 1 << 30, 0, false},
		{"there are many", newEmbedding(0, 8192, 8192, 8192), 9 << 30, 1 << 30, 0, false},
		{"it is small, and nothing is known", newEmbedding(0, 8192), 0, 1 << 30, 512, true},
		{"it is large, and nothing is known", newEmbedding(0, 8192), 0, 3 << 30, 0, false},
	} {
		row.server.Bytes, row.server.Installed[0].Bytes = row.memory, row.bytes
		err := embed(t, embedder(t, row.server))
		if row.size == 0 {
			if err == nil || !strings.Contains(err.Error(), "small has to be loaded first") || len(row.server.asked) > 0 {
				t.Errorf("%s: %v after %+v", row.name, err, row.server.asked)
			}
			continue
		}
		if err != nil || len(row.server.asked) != 1 {
			t.Errorf("%s: %v after %+v", row.name, err, row.server.asked)
			continue
		}
		if got := row.server.asked[0]; got.ContextSize != row.size || got.MainMemory != row.main || got.KeepAlive != time.Minute {
			t.Errorf("%s: asked %+v", row.name, got)
		}
	}
}

// Where a server keeps one model only, which nobody can know before, that is noticed, and done once.
func TestVectorsTakeAModelOutOfMemoryOnce(t *testing.T) {
	server := newEmbedding(0, 8192)
	server.room = 1
	a := embedder(t, server)
	if err := embed(t, a); err == nil || !strings.Contains(err.Error(), "chat0 went out of memory when small was loaded") {
		t.Errorf("told %v", err)
	}
	if err := embed(t, a); err != nil || len(server.asked) != 2 {
		t.Errorf("once it is loaded it is asked: %v", err)
	}
	server.Installed[0].LoadedContext, server.Installed[0].LoadedBytes, server.Installed[1].LoadedContext = 0, 0, 8192
	if err := embed(t, a); err == nil || len(server.asked) != 2 || server.Installed[1].LoadedContext == 0 {
		t.Errorf("again: %v, %+v", err, server.Installed)
	}
}

// Vectors wait for nobody, and a chat, of this window or another one, waits for none.
func TestAChatEndsVectors(t *testing.T) {
	eachQueue(t, func(t *testing.T, one, other engine.Queue) {
		server := newEmbedding(512)
		server.begun = make(chan struct{})
		a := embedder(t, server)
		a.UseQueue(one)
		ended := make(chan error)
		go func() { ended <- embed(t, a) }()
		<-server.begun
		began := time.Now()
		give, err := other.Wait(t.Context(), engine.Requester{Chat: "a"}, func(string) {})
		if took := time.Since(began); err != nil || took > time.Second {
			t.Errorf("the chat waited %v: %v", took, err)
		}
		if err := <-ended; !errors.Is(err, engine.ErrBusy) {
			t.Errorf("the vectors ended: %v", err)
		}
		if err := embed(t, a); !errors.Is(err, engine.ErrBusy) || len(server.asked) != 1 {
			t.Errorf("while the chat has its turn: %v", err)
		}
		give()
	})
}

// Who stops the call hears just that.
func TestVectorsAreStopped(t *testing.T) {
	server := newEmbedding(512)
	server.begun = make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		<-server.begun
		stop()
	}()
	err := embedder(t, server).Embed(ctx, "small", engine.Options{}, func(ctx context.Context, e engine.Embedder) error {
		_, err := e.Vectors(ctx, []string{"a"})
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
