package agent_test

import (
	"context"
	"testing"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/model"
)

// slowInserter has one model, which completes code until it is stopped.
type slowInserter struct {
	agenttest.Scripted
	begun chan struct{}
}

func (s *slowInserter) Insert(ctx context.Context, _ model.Insertion) (string, error) {
	close(s.begun)
	<-ctx.Done()
	return "", ctx.Err()
}

// A completion ends for a chat that asks another agent, as that of another window, for the model server.
func TestAChatElsewhereEndsACompletion(t *testing.T) {
	eachQueue(t, func(t *testing.T, one, other engine.Queue) {
		backend := &slowInserter{begun: make(chan struct{})}
		backend.Installed = []model.Info{{Name: "coder", Capabilities: []string{model.CanInsert}}}
		profiles, err := model.LoadProfiles()
		if err != nil {
			t.Fatal(err)
		}
		a := agent.New(backend, profiles)
		a.UseQueue(one)
		ended := make(chan error)
		go func() {
			_, err := a.Insert(t.Context(), "coder", "a", "b", engine.Options{})
			ended <- err
		}()
		<-backend.begun
		<-time.After(time.Second)
		began := time.Now()
		give, err := other.Wait(t.Context(), engine.Requester{Chat: "a"}, func(string) {})
		if took := time.Since(began); err != nil || took > time.Second {
			t.Errorf("the chat waited %v: %v", took, err)
		}
		give()
		if err := <-ended; err != nil {
			t.Errorf("the completion ended: %v", err)
		}
	})
}
