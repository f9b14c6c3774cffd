package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/session/chatfile"
	"github.com/assent-ls/assent/agent/slash"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/cmd/assent/conversation"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/internal/visible"
)

// talk is a conversation at a terminal: each message is a turn of one chat, which the first one makes.
type talk struct {
	cmd   *cobra.Command
	flags runFlags
	root  string
	parts *parts
	env   session.Environment

	path    string // of the chat; empty: there is none yet
	file    *chatfile.File
	session *session.Session
}

// begin makes the session of a chat that may not be there yet.
func (t *talk) begin(path string) {
	t.file = chatfile.New(path, t.parts.state.Recovered)
	t.session = session.New(t.cmd.Context(), t.file, t.env.Now)
}

// hold holds a conversation at a terminal until the person ends it.
func hold(cmd *cobra.Command, flags runFlags, root string) error {
	device, err := terminal.Open(colorOf(cmd))
	if err != nil {
		return err
	}
	defer device.Close()
	return withEnvironment(cmd, flags, root, func(p *parts, env session.Environment) error {
		t := &talk{cmd: cmd, flags: flags, root: root, parts: p, env: env}
		t.begin(filepath.Join(root, "new.chat.md"))
		history, err := conversation.OpenHistory(p.state)
		if err != nil {
			p.tell(err.Error())
		}
		front := conversation.Front{History: history, Send: t.send, Tell: p.tell}
		keys := "Enter sends, Ctrl-J begins a new line, Tab completes @files and /commands.\n"
		if device.Plain() {
			keys = "Enter sends, a backslash before it begins a new line.\n"
			front.Editor = conversation.NewPlainEditor(device)
		} else {
			complete := conversation.Completions(func() *session.Session { return t.session })
			front.Editor = conversation.NewEditor(device, history, complete)
		}
		terminal.Print(cmd.ErrOrStderr(), terminal.Piece{Text: keys + conversation.Hint + "\n", Style: terminal.Dim})
		defer flags.interrupts.first(func() bool { // where keys are signals
			p.tell(conversation.Hint)
			return true
		})()
		err = front.Hold(cmd.Context())
		t.session.Entitled()
		t.names()
		if err != nil && cmd.Context().Err() != nil {
			return &exitError{status: exitStopped}
		}
		return err
	})
}

// names says where the conversation is kept.
func (t *talk) names() {
	if t.path != "" {
		fmt.Fprintln(t.cmd.ErrOrStderr(), visible.Line(terminal.Path(t.path)))
	}
}

// send sends a message and shows what is answered; sent reports whether the chat holds the message.
func (t *talk) send(ctx context.Context, text string) (sent bool, err error) {
	if name, message, ok := slash.Parse(text); ok && name == "new" {
		t.session.Entitled()
		session.BackgroundOf(t.session).Leave()
		t.path, text = "", strings.TrimSpace(message)
		if text == "" {
			t.parts.tell("the next message begins a new chat")
			return false, nil
		}
	}
	question := transcript.YouHeading + transcript.UserText(text) + "\n"
	first := t.path == ""
	if first {
		path, err := session.NewChat(t.root, time.Now(), question)
		if err != nil {
			return false, err
		}
		t.path = path
		t.begin(path)
		t.names()
	} else if err := conversation.Ask(ctx, t.file, text); err != nil {
		return false, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	flags := t.flags
	flags.goesOn = true
	flags.less = func() bool { // a command that runs, then the turn
		if !t.session.Halt() {
			cancel()
			_ = t.session.Stop() // or it is over
			session.BackgroundOf(t.session).Stop("")
		}
		return true
	}
	_, err = converse(ctx, t.cmd, flags, t.session)
	if first {
		if dropped, failed := session.DropNew(t.path, question); dropped && failed == nil {
			t.path = ""
			t.parts.tell("the chat is not kept, since nothing was answered; the Up key brings the message back")
		}
	}
	if t.path != "" {
		t.parts.saved(t.cmd, t.root, t.path)
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("stopped")
	}
	return t.path != "", err
}
