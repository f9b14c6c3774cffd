package userstate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-ls/assent/tools/userstate"
)

// TestBegunCallsAreRemembered says about a call that it was begun only in its own chat, beyond the process, and rather
// too often than too seldom. Promise 10.
func TestBegunCallsAreRemembered(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	open := func() *userstate.State {
		state, err := userstate.OpenState(dir)
		if err != nil {
			t.Fatal(err)
		}
		return state
	}
	chat := open().BegunCalls("/chats/a.chat.md")
	if chat.Begun("c1") {
		t.Error("nothing was begun yet")
	}
	if err := chat.Begin("c1"); err != nil {
		t.Fatal(err)
	}
	later := open()
	if !later.BegunCalls("/chats/../chats/a.chat.md").Begun("c1") {
		t.Error("it is forgotten")
	}
	if later.BegunCalls("/chats/b.chat.md").Begun("c1") || later.BegunCalls("/chats/a.chat.md").Begun("c2") {
		t.Error("another call counts as begun")
	}

	file := filepath.Join(dir, "begun.json")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if !chat.Begun("c9") {
		t.Error("what cannot be told must count as begun")
	}
}

// TestBegunCallsAreBounded keeps the newest.
func TestBegunCallsAreBounded(t *testing.T) {
	state, err := userstate.OpenState(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	const many = 5000
	err = userstate.Update(state, "begun.json", func(names *[]string) error {
		for i := range many {
			*names = append(*names, fmt.Sprint(i))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	chat := state.BegunCalls("/a.chat.md")
	if err := chat.Begin("c1"); err != nil {
		t.Fatal(err)
	}
	names, err := userstate.Load[[]string](state, "begun.json")
	if err != nil || len(names) >= many || !chat.Begun("c1") {
		t.Errorf("%d names are kept, and the newest: %v, %v", len(names), chat.Begun("c1"), err)
	}
}
