package session

import (
	"context"
	"errors"
	"strings"

	"github.com/assent-ls/assent/agent/opencalls"
	"github.com/assent-ls/assent/agent/transcript"
)

// Branch copies the chat down to the question at this place into a new file. It returns its path and the line, from
// zero, where the question ends. The chat itself stays as it is.
func (s *Session) Branch(offset int) (path string, line int, err error) {
	snapshot, err := s.document.Read()
	if err != nil {
		return "", 0, err
	}
	end, err := questionEnd(snapshot, offset)
	if err != nil {
		return "", 0, err
	}
	text := snapshot.Text()[:end] + "\n"
	path, err = WriteBeside(s.document.Path(), "branch", text)
	return path, strings.Count(text, "\n") - 1, err
}

// Retry answers the question at this place again. What is below it goes into a copy of the chat first, whose path
// is returned; it is empty where nothing is there.
func (s *Session) Retry(ctx context.Context, offset int) (kept string, err error) {
	err = s.begin(ctx, toSend, func(ctx context.Context, env *Environment) (err error) {
		kept, err = s.cut(ctx, *env, offset)
		env.Options.Another = kept != ""
		return err
	})
	return kept, err
}

// cut takes away what is below the question at this place, and returns where a copy of the chat is kept.
func (s *Session) cut(ctx context.Context, env Environment, offset int) (kept string, err error) {
	snapshot, err := s.document.Read()
	if err != nil {
		return "", err
	}
	if err := checkHead(snapshot.Chat()); err != nil {
		return "", err
	}
	end, err := questionEnd(snapshot, offset)
	if err != nil {
		return "", err
	}
	switch strings.TrimSpace(snapshot.Text()[end:]) {
	case "":
		return "", nil
	case strings.TrimSpace(transcript.YouHeading): // nothing is lost with it
		return "", snapshot.Cut(ctx, end)
	}
	if kept, err = s.copyWhole(env, snapshot); err != nil {
		return kept, err
	}
	return kept, snapshot.Cut(ctx, end)
}

// copyWhole keeps the chat as it is beside it.
func (s *Session) copyWhole(env Environment, snapshot Snapshot) (path string, err error) {
	if path, err = WriteBeside(s.document.Path(), "before-retry", snapshot.Text()); err != nil {
		return "", err
	}
	return path, opencalls.CopyBegun(snapshot.Chat(), env.Begun(s.document.Path()), env.Begun(path))
}

// questionEnd is where the words of the question end that a place belongs to: of its own turn, or of the one that the
// answer there is for.
func questionEnd(snapshot Snapshot, offset int) (int, error) {
	chat := snapshot.Chat()
	at, ok := chat.TurnAt(offset)
	if !ok {
		at = len(chat.Turns) - 1
	}
	for ; at >= 0; at-- {
		if turn := chat.Turns[at]; turn.Role == transcript.You && !turn.Empty() {
			return len(strings.TrimRight(snapshot.Text()[:turn.Span.End], " \t\r\n")), nil
		}
	}
	return 0, errors.New("there is no question here to answer again")
}
