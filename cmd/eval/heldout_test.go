//go:build e2e

package main

import (
	"os"
	"testing"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/ollama"
	"github.com/assent-ls/assent/cmd/eval/runner"
	"github.com/assent-ls/assent/cmd/eval/tasks"
	"github.com/assent-ls/assent/internal/network"
)

// TestHeldOut runs five tasks in wording that is nowhere in the prompts, on the real model that MODEL names on the
// server at OLLAMA_HOST. At least four must be solved, each in its first or second try.
func TestHeldOut(t *testing.T) {
	name := os.Getenv("MODEL")
	if name == "" {
		t.Fatal("set OLLAMA_HOST and MODEL; editors/e2e/install/engine.sh prints both")
	}
	backend, err := ollama.Open(network.New(false, nil), os.Getenv("OLLAMA_HOST"), "")
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	r := runner.Runner{
		Backend: backend, Profiles: profiles, Model: name, Mode: "default", Limit: 2 * time.Minute, Programs: itself(),
	}
	heldOut, _, err := tasks.Set("held-out")
	if err != nil || len(heldOut) != 5 {
		t.Fatalf("%d tasks, %v", len(heldOut), err)
	}
	solved, retries := 0, 0
	for _, task := range heldOut {
		for try := range 2 {
			out := r.Run(t.Context(), task)
			problem := out.Problem(t.Context(), task, r.Programs.Shell)
			if problem == nil {
				t.Logf("%s: solved in %.1f s", task.Name(), out.Took.Seconds())
				solved++
				break
			}
			t.Logf("%s: %v\n%s", task.Name(), problem, out.Chat)
			if try == 0 {
				retries++
			}
		}
	}
	t.Logf("%d of 5 solved, %d retries", solved, retries)
	if solved < 4 {
		t.Errorf("%d of 5 tasks were solved, want at least 4", solved)
	}
}
