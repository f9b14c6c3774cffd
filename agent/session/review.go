package session

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/ledger"
)

// turn names what a run does, for the ledger. A run that takes up the calls of a reply goes on with that reply's turn.
func (e Environment) turn(chat string, document *transcript.Chat, resumed bool) ledger.Turn {
	if resumed && e.Ledger != nil {
		if done, err := e.Ledger.Turns(chat); err == nil {
			last := document.Turns[len(document.Turns)-1]
			if i := slices.IndexFunc(
				done, func(d ledger.Done) bool { return !d.Undone && holdsCall(last, d.Calls) },
			); i >= 0 {
				return done[i].Turn
			}
		}
	}
	return ledger.Turn{Chat: chat, ID: rand.Text()}
}

// holdsCall reports whether a turn of a chat holds one of some calls.
func holdsCall(turn transcript.Turn, calls []string) bool {
	return slices.ContainsFunc(turn.Blocks, func(b transcript.Block) bool {
		call, ok := b.(transcript.Call)
		return ok && slices.Contains(calls, call.ID)
	})
}

// record keeps what a call of a turn did to files. Where it cannot be kept, the user is told what is not possible.
func (e Environment) record(turn ledger.Turn, id, tool string, changes []ledger.Change, notPossible string) {
	if len(changes) == 0 {
		return
	}
	if e.Workspace != nil && len(e.Workspace.Unsaved()) == 0 { // else the files change when they are saved
		e.Background.Changed()
	}
	if e.Ledger == nil {
		return
	}
	if err := e.Ledger.Record(turn, id, changes); err != nil {
		tell(e.Warn, fmt.Sprintf("What %s changed cannot be %s: %v", tool, notPossible, err))
	}
}

// Changed is what one turn of the chat changed, and where it is in the chat.
type Changed struct {
	ledger.Done

	At int // the index of the turn in the chat that holds its calls
}

// Changed lists the turns that changed files and are in a state of the chat, in its order.
func (s *Session) Changed(chat *transcript.Chat) ([]Changed, error) {
	env, err := s.environment()
	if err != nil || env.Ledger == nil {
		return nil, err
	}
	done, err := env.Ledger.Turns(s.document.Path())
	if err != nil {
		return nil, err
	}
	var all []Changed
	for at, turn := range chat.Turns {
		// A call that was made again after Retry may have the ID of an earlier one: the newest counts.
		for i, d := range slices.Backward(done) {
			if holdsCall(turn, d.Calls) {
				all = append(all, Changed{d, at})
				done = slices.Delete(slices.Clone(done), i, i+1)
				break
			}
		}
	}
	return all, nil
}

var errNoLedger = errors.New("this chat is in no workspace folder, so nothing was changed by it")

// UndoTurn takes back all that a turn of the chat changed; RedoTurn does it again. Nothing else may go on in the chat.
func (s *Session) UndoTurn(ctx context.Context, id string) error {
	return s.onTurn(ctx, id, (*ledger.Ledger).UndoTurn)
}

// RedoTurn does again what UndoTurn took back.
func (s *Session) RedoTurn(ctx context.Context, id string) error {
	return s.onTurn(ctx, id, (*ledger.Ledger).RedoTurn)
}

func (s *Session) onTurn(
	ctx context.Context, id string, do func(*ledger.Ledger, context.Context, ledger.Turn) error,
) error {
	release, err := s.Hold(ctx)
	if err != nil {
		return err
	}
	defer release()
	env, err := s.environment()
	if err != nil {
		return err
	}
	if env.Ledger == nil {
		return errNoLedger
	}
	defer env.Background.Changed()
	return do(env.Ledger, ctx, ledger.Turn{Chat: s.document.Path(), ID: id})
}

// review is the source of what the user rejected and undid since the last message, for the model.
type review struct {
	ledger *ledger.Ledger
	chat   string
}

var _ attach.Source = review{}

// Name implements attach.Source.
func (review) Name() string { return "review" }

// Mentions implements attach.Source: a decision needs no mention.
func (review) Mentions(context.Context, attach.Message) []string { return []string{""} }

// Resolve implements attach.Source.
func (r review) Resolve(_ context.Context, mention string, limit int) (attach.Block, bool) {
	untold, err := r.ledger.Untold(r.chat)
	text := decisions(untold, min(limit, maxReview))
	return attach.Block{Name: r.Name(), Parts: content.Texts(text)}, err == nil && mention == "" && text != ""
}

// told notes that what is in a context block was told, once the block is part of the turn. If something was decided
// meanwhile, all of it is told again with the next message.
func (r *run) told(e event.ContextAdded) {
	if r.env.Ledger == nil || e.Name != (review{}).Name() {
		return
	}
	untold, err := r.env.Ledger.Untold(r.turn.Chat)
	if err == nil && decisions(untold, maxReview) == e.Text() {
		err = r.env.Ledger.Told(r.turn.Chat)
	}
	if err != nil {
		tell(r.env.Warn, fmt.Sprintf("What you rejected is told to the model again: %v", err))
	}
}

// maxReview is how many bytes of what was rejected are told with one message.
const maxReview = 8000

// decisions words what a person decided against, in about limit bytes.
func decisions(u ledger.Untold, limit int) string {
	var said []string
	if len(u.Undone) > 0 {
		said = append(
			said,
			fmt.Sprintf(
				"The user undid everything that you changed in one turn. "+
					"These files have the text from before that turn again: %s.",
				names(u.Undone),
			),
		)
	}
	if len(u.Redone) > 0 {
		said = append(
			said,
			fmt.Sprintf(
				"The user brought the changes of an undone turn back. These files have them again: %s.",
				names(u.Redone),
			),
		)
	}
	left := limit
	for i, r := range u.Rejected {
		text := rejection(r)
		if left -= len(text); left < 0 {
			said = append(said, fmt.Sprintf("%d more changes were rejected: read the files.", len(u.Rejected)-i))
			break
		}
		said = append(said, text)
	}
	if len(u.Undone)+len(u.Rejected) > 0 {
		said = append(said, "Do not make these changes again unless the user asks for them.")
	}
	return visible.Text(strings.Join(said, "\n\n"))
}

func rejection(r ledger.Rejection) string {
	why := "."
	if r.Why != "" {
		why = ", and says why: " + strings.TrimSpace(r.Why)
	}
	switch {
	case r.Made:
		return fmt.Sprintf("The user rejected the new file %q%s\nIt does not exist any more.", r.Path, why)
	case r.Deleted:
		return fmt.Sprintf("The user rejected that %q was deleted%s\nIt exists again.", r.Path, why)
	}
	said := fmt.Sprintf("The user rejected your change of %q at line %d%s", r.Path, r.Line+1, why)
	if r.New != "" {
		said += "\nThis text was taken out:\n" + strings.TrimRight(r.New, "\r\n")
	}
	if r.Old != "" {
		said += "\nThis text is there again:\n" + strings.TrimRight(r.Old, "\r\n")
	}
	return said
}

func names(paths []string) string {
	quoted := make([]string, len(paths))
	for i, p := range paths {
		quoted[i] = fmt.Sprintf("%q", p)
	}
	return strings.Join(quoted, ", ")
}
