package conversation

import (
	"context"
	"strings"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/slash"
	"github.com/assent-ls/assent/agent/transcript"
)

// Ask writes a message into the turn of the user that a chat ends with, or into a new one. A message there that was
// never answered is what could not be sent before: it is replaced.
func Ask(ctx context.Context, document session.Document, text string) error {
	snapshot, err := document.Read()
	if err != nil {
		return err
	}
	at, words := next(snapshot.Chat(), snapshot.Text(), text)
	return snapshot.Replace(ctx, at, words)
}

// next is where the next message of a chat goes, and how it is written there.
func next(chat *transcript.Chat, whole, text string) (at transcript.Span, words string) {
	words = transcript.UserText(text) + "\n"
	last := len(chat.Turns) - 1
	if last >= 0 && chat.Turns[last].Role == transcript.You {
		return transcript.Span{Start: chat.Turns[last].Heading.End, End: len(whole)}, "\n\n" + words
	}
	end := len(strings.TrimRight(whole, " \t\r\n"))
	if end > 0 {
		words = "\n\n" + transcript.YouHeading + words
	} else {
		words = transcript.YouHeading + words
	}
	return transcript.Span{Start: end, End: len(whole)}, words
}

// Completions completes the commands that a message can begin with, and what it mentions by an "@". of is the session
// whose commands and files these are.
func Completions(of func() *session.Session) Completer {
	return func(ctx context.Context, text string) (start int, list []Completion) {
		typed := strings.TrimLeft(text, " \n")
		if strings.HasPrefix(typed, "/") && !strings.ContainsAny(typed, " \t\n") {
			return len(text) - len(typed), commands(of().CommandsNow(ctx), typed)
		}
		start, prefix, ok := attach.Typed(text)
		mentioned, hasFiles := of().Mentioned()
		if !ok || !hasFiles {
			return 0, nil
		}
		found, _ := mentioned.Complete(ctx, prefix)
		for _, f := range found {
			list = append(list, Completion{Text: "@" + f.Text, More: f.Folder})
		}
		return start, list
	}
}

// commands are those that begin with what was typed and that work here: what an editor alone does is left out.
func commands(all []slash.Command, typed string) (list []Completion) {
	for _, c := range append(all, slash.Command{Name: "exit", Doc: "Ends the conversation."}) {
		if (c.Does == 0 || c.Does == slash.New) && c.Problem == "" && strings.HasPrefix("/"+c.Name, typed) {
			list = append(list, Completion{Text: "/" + c.Name, Says: c.Doc})
		}
	}
	return list
}
