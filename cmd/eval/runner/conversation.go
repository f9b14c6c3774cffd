package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/session/chatfile"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/cmd/eval/tasks"
)

// conversation is the chat of one task: each message is sent when the run before it is over.
type conversation struct {
	task  tasks.Task
	path  string
	limit time.Duration // for all messages together
	out   *Outcome
	files func() (map[string]string, error) // as the user sees them now
}

// hold sends the messages, approves whatever is harmless, and keeps what was after each.
func (c *conversation) hold(ctx context.Context, env session.Environment) error {
	s := session.New(ctx, chatfile.New(c.path, env.State.Recovered), env.Now)
	questions := make(chan event.Question, 64)
	s.Subscribe(&sink{out: c.out, questions: questions})
	for _, message := range c.task.Messages() {
		calls := len(c.out.Calls)
		c.out.Answer = ""
		if err := c.say(message); err != nil {
			return err
		}
		if err := s.Send(ctx); err != nil {
			return err
		}
		if err := c.finish(ctx, s, questions); err != nil {
			return err
		}
		if c.out.End.Outcome != event.Completed && !c.task.GoesOn() {
			return nil
		}
		turn := tasks.Answered{Answer: c.out.Answer, Calls: c.out.Calls[calls:], After: c.out.After}
		c.out.Turns = append(c.out.Turns, turn)
	}
	return nil
}

// say writes a message where the next one belongs.
func (c *conversation) say(message string) error {
	text, err := os.ReadFile(c.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	chat := strings.TrimRight(string(text), "\n")
	heading := strings.TrimSpace(transcript.YouHeading)
	if chat != heading && !strings.HasSuffix(chat, "\n"+heading) {
		chat = strings.TrimPrefix(chat+"\n\n"+heading, "\n\n")
	}
	return os.WriteFile(c.path, []byte(chat+"\n\n"+message+"\n"), 0o600)
}

// finish answers questions until a run is over, and keeps how it ended, the chat and the files.
func (c *conversation) finish(ctx context.Context, s *session.Session, questions <-chan event.Question) (err error) {
	if c.out.End, err = answered(s, questions, answerFor); err != nil {
		return err
	}
	if ctx.Err() != nil {
		c.out.End.Sentence = fmt.Sprintf("no answer within %v", c.limit)
	}
	text, err := os.ReadFile(c.path)
	if err != nil {
		return err
	}
	c.out.Chat = string(text)
	c.out.After, err = c.files()
	return err
}

// answered answers questions until a run is over, and returns how it ended.
func answered(
	s *session.Session, questions <-chan event.Question, answer func(event.Question) event.Answer,
) (event.Finished, error) {
	for {
		select {
		case <-s.Done():
			return s.Wait()
		case q := <-questions:
			_ = s.Answer(q.ID, answer(q)) // the question may be closed by now
		}
	}
}
