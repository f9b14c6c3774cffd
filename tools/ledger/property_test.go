package ledger_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

const chat = "/folder/a.chat.md"

// world is a workspace in which a model and a person change files at random, and the person decides.
type world struct {
	t      *testing.T
	r      *rand.Rand
	state  *userstate.State
	ws     *workspace.Workspace
	ledger *ledger.Ledger
	names  []string
	turns  []ledger.Turn
	typed  int // marks what the person typed
	log    []string
}

func newWorld(t *testing.T, seed uint64) *world {
	t.Helper()
	state, err := userstate.OpenState(t.TempDir())
	must(t, err)
	w := &world{t: t, r: rand.New(rand.NewPCG(seed, 7)), state: state, names: []string{"a.txt", "b.txt", "sub/c.txt"}}
	w.ws = folder(t, map[string]string{"a.txt": lines(12), "b.txt": "x\nx\nx\nx\n"})
	w.restart()
	return w
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// restart opens the ledger as another process would.
func (w *world) restart() { w.ledger = ledger.Open(w.state, w.ws) }

func (w *world) path(name string) string { return filepath.Join(w.ws.Root(), name) }

func (w *world) text(name string) *string {
	w.t.Helper()
	data, err := os.ReadFile(w.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	must(w.t, err)
	text := string(data)
	return &text
}

// all is every file's text.
func (w *world) all() map[string]string {
	all := map[string]string{}
	for _, name := range w.names {
		if text := w.text(name); text != nil {
			all[name] = *text
		}
	}
	return all
}

func (w *world) put(name string, text *string) {
	w.t.Helper()
	if text == nil {
		must(w.t, os.Remove(w.path(name)))
		return
	}
	write(w.t, w.path(name), *text)
}

// change changes a few lines of a text; new lines begin with mark.
func (w *world) change(text, mark string) string {
	parts := strings.SplitAfter(text, "\n")
	for range 1 + w.r.IntN(3) {
		w.typed++
		line := fmt.Sprintf("%s%d\n", mark, w.typed)
		i := w.r.IntN(len(parts))
		switch w.r.IntN(4) {
		case 0: // a line goes
			parts[i] = ""
		case 1: // a line is another one
			parts[i] = line
		default:
			parts[i] = line + parts[i]
		}
	}
	return strings.Join(parts, "")
}

// model lets a call of the newest turn, or of a new one, change a file.
func (w *world) model() {
	if len(w.turns) == 0 || w.r.IntN(3) == 0 {
		w.turns = append(w.turns, ledger.Turn{Chat: chat, ID: fmt.Sprint(len(w.turns))})
	}
	var changes []ledger.Change
	for _, name := range w.names {
		if w.r.IntN(2) == 0 {
			continue
		}
		before := w.text(name)
		after := new(string)
		switch {
		case before == nil:
			*after = lines(1+w.r.IntN(3)) + "made by model\n"
		case w.r.IntN(8) == 0:
			after = nil
		default:
			*after = w.change(*before, "model")
		}
		w.put(name, after)
		changes = append(changes, ledger.Change{Path: w.path(name), Before: before, After: after})
	}
	must(w.t, w.ledger.Record(w.turns[len(w.turns)-1], fmt.Sprint("call_", w.typed), changes))
}

// person types, makes or deletes.
func (w *world) person() {
	name := w.names[w.r.IntN(len(w.names))]
	text := new(string)
	switch before := w.text(name); {
	case before == nil:
		*text = "by person 0\n"
	case w.r.IntN(12) == 0:
		text = nil
	default:
		*text = w.change(*before, "person ")
	}
	w.put(name, text)
}

var byPerson = regexp.MustCompile(`person \d+\n`)

// typedIn lists what the person typed that is in the files.
func typedIn(files map[string]string) map[string]int {
	found := map[string]int{}
	for name, text := range files {
		for _, line := range byPerson.FindAllString(text, -1) {
			found[name+": "+line]++
		}
	}
	return found
}

// keepsWhatAPersonTyped fails if something that the person typed is gone.
func (w *world) keepsWhatAPersonTyped(before map[string]string, did string) {
	w.t.Helper()
	now := typedIn(w.all())
	for line := range typedIn(before) {
		if now[line] == 0 {
			w.t.Fatalf("%s lost %q\nbefore %q\nafter %q\n%s", did, line, before, w.all(), strings.Join(w.log, "\n"))
		}
	}
}

func (w *world) same(want map[string]string, did string) {
	w.t.Helper()
	if got := w.all(); !maps.Equal(got, want) {
		w.t.Fatalf("%s: %q, want %q\n%s", did, got, want, strings.Join(w.log, "\n"))
	}
}

// decide keeps or rejects one hunk or all, and checks what that may do.
func (w *world) decide() {
	name := w.names[w.r.IntN(len(w.names))]
	before := w.all()
	hunks, err := w.ledger.Hunks(w.t.Context(), w.path(name))
	must(w.t, err)
	if len(hunks) == 0 {
		return
	}
	h := hunks[w.r.IntN(len(hunks))]
	switch w.r.IntN(6) {
	case 0:
		must(w.t, w.ledger.KeepAll(w.t.Context(), h.Path))
		w.same(before, "keep all")
		w.hunksAre(name, 0)
	case 1:
		edited, err := w.ledger.RejectAll(w.t.Context(), h.Path, "")
		if err == nil {
			w.hunksAre(name, edited)
		} else if !errors.Is(err, ledger.ErrEdited) {
			w.t.Fatal(err)
		}
		w.keepsWhatAPersonTyped(before, "reject all")
	case 2, 3:
		must(w.t, w.ledger.Keep(w.t.Context(), h.Path, h.ID))
		w.same(before, "keep")
		w.hunksAre(name, len(hunks)-1)
	default:
		_, err := w.ledger.Reject(w.t.Context(), h.Path, h.ID, "no")
		if h.Edited != errors.Is(err, ledger.ErrEdited) || !h.Edited && err != nil {
			w.t.Fatalf("reject of %+v: %v", h, err)
		}
		if h.Edited {
			w.same(before, "a refused reject")
			return
		}
		w.rejected(before, name, h)
		w.hunksAre(name, len(hunks)-1)
	}
}

// rejected checks that one hunk alone was taken back.
func (w *world) rejected(before map[string]string, name string, h ledger.Hunk) {
	w.t.Helper()
	text := before[name]
	switch {
	case h.Made:
		delete(before, name)
	case h.Deleted:
		before[name] = h.Old
	default:
		at := 0
		for range h.Line {
			at += strings.IndexByte(text[at:], '\n') + 1
		}
		if !strings.HasPrefix(text[at:], h.New) {
			w.t.Fatalf("%+v is not at its place in %q", h, text)
		}
		before[name] = text[:at] + h.Old + text[at+len(h.New):]
	}
	w.same(before, "reject")
}

// hunksAre counts the hunks of a file; lines that are all the same can be told apart in several ways, so they are not
// counted in one that repeats itself.
func (w *world) hunksAre(name string, want int) {
	w.t.Helper()
	if name == "b.txt" && want > 0 {
		return
	}
	hunks, err := w.ledger.Hunks(w.t.Context(), w.path(name))
	must(w.t, err)
	if len(hunks) != want {
		w.t.Fatalf("%d hunks, want %d: %+v\n%s", len(hunks), want, hunks, strings.Join(w.log, "\n"))
	}
}

// undo undoes a turn and does it again, with a restart in between.
func (w *world) undo() {
	if len(w.turns) == 0 {
		return
	}
	turn := w.turns[w.r.IntN(len(w.turns))]
	before := w.all()
	done := w.isUndone(turn)
	if done {
		if err := w.ledger.RedoTurn(w.t.Context(), turn); err != nil {
			w.same(before, "a redo that failed")
		}
		return
	}
	if err := w.ledger.UndoTurn(w.t.Context(), turn); err != nil {
		w.same(before, "an undo that failed: "+err.Error())
		return
	}
	w.keepsWhatAPersonTyped(before, "undo")
	if w.r.IntN(3) == 0 {
		return // it stays undone
	}
	w.restart()
	must(w.t, w.ledger.RedoTurn(w.t.Context(), turn))
	w.same(before, "undo and redo")
}

func (w *world) isUndone(turn ledger.Turn) bool {
	w.t.Helper()
	turns, err := w.ledger.Turns(turn.Chat)
	must(w.t, err)
	i := slices.IndexFunc(turns, func(d ledger.Done) bool { return d.Turn == turn })
	return i >= 0 && turns[i].Undone
}

// TestNothingOfThePersonsIsLost changes files at random, as a model and as a person, and decides at random. Whatever
// the order: keeping changes no byte, rejecting takes back one hunk and nothing else, undo and redo give the same bytes
// again, what fails does nothing, and no line that the person typed is lost by a decision.
// Promise 10. Invariant 26.
func TestNothingOfThePersonsIsLost(t *testing.T) {
	for seed := range uint64(12) {
		w := newWorld(t, seed)
		for i := range 30 {
			w.log = append(w.log, fmt.Sprintf("%d: %q", i, w.all()))
			switch w.r.IntN(10) {
			case 0, 1, 2:
				w.model()
			case 3, 4:
				w.person()
			case 5:
				w.restart()
			case 6, 7:
				w.undo()
			default:
				w.decide()
			}
		}
	}
}

// TestUndoingAllGivesTheFilesBack: without a person in between, the turns undone from the newest on leave what was
// there before them.
// Invariant 26.
func TestUndoingAllGivesTheFilesBack(t *testing.T) {
	for seed := range uint64(10) {
		w := newWorld(t, seed)
		before := w.all()
		for range 8 {
			w.model()
		}
		for _, turn := range slices.Backward(w.turns) {
			turns, err := w.ledger.Turns(chat)
			must(t, err)
			if !slices.ContainsFunc(turns, func(d ledger.Done) bool { return d.Turn == turn }) {
				continue // it changed nothing
			}
			if err := w.ledger.UndoTurn(t.Context(), turn); err != nil && !strings.Contains(err.Error(), "as they would be") {
				t.Fatal(err)
			}
		}
		w.same(before, "all turns undone")
	}
}

// TestRejectingAllGivesTheFilesBack is the same, hunk by hunk.
func TestRejectingAllGivesTheFilesBack(t *testing.T) {
	for seed := range uint64(10) {
		w := newWorld(t, seed)
		before := w.all()
		for range 5 {
			w.model()
		}
		for _, name := range w.names {
			for {
				hunks, err := w.ledger.Hunks(t.Context(), w.path(name))
				must(t, err)
				if len(hunks) == 0 {
					break
				}
				h := hunks[w.r.IntN(len(hunks))]
				_, err = w.ledger.Reject(t.Context(), h.Path, h.ID, "")
				must(t, err)
			}
		}
		w.same(before, "all hunks rejected")
	}
}
