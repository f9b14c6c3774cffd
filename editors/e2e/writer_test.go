//go:build e2e

package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// hazard is something that a person does to a chat while a reply streams into it. No letter of either side may get
// lost, doubled or misplaced, and what a person threw away comes back only when it is asked for.
type hazard struct {
	name   string
	format string // line ends of the file: "unix" or "dos"
	does   func(t *testing.T, s *streaming)
}

// streaming is a chat into which half of a reply was streamed or soon will be. The model then holds until the test lets
// it go on: what a person does meets a reply under way however long it takes.
type streaming struct {
	*editor
	chat  string
	goOn  func() // once; a second call does nothing
	ended func() bool
}

const writerPieces = 60 // of each reply

// everyHazard covers each speed, line end and place at least once; two editors of one kind share the combinations.
func everyHazard(half int) []hazard {
	fast, slow := []time.Duration{1, 30}, []time.Duration{5, 120}
	if half == 1 {
		fast, slow = []time.Duration{5, 120}, []time.Duration{1, 30}
	}
	var list []hazard
	for i, every := range fast {
		list = append(list, typing(every, []string{"unix", "dos"}[i], above))
	}
	for i, every := range slow {
		list = append(list, typing(every, []string{"dos", "unix"}[i], below))
	}
	return append(list, typing(30, []string{"unix", "dos"}[half], inside),
		hazard{"undo", "unix", undoWhileStreaming},
		hazard{"undo-typing", "unix", undoAfterTyping},
		hazard{"reload", "dos", reloadWhileStreaming},
		hazard{"save-trims", "unix", saveWhileStreaming("trims")},
		hazard{"save-formats", "dos", saveWhileStreaming("formats")})
}

// runHazards takes one after the other in one editor, each in a chat of its own.
func runHazards(t *testing.T, list []hazard, start func(w *world) *editor) {
	script := scriptedModel
	for _, h := range list {
		pace := 20 * time.Millisecond
		if strings.HasPrefix(h.name, "undo") || h.name == "reload" {
			pace = 80 * time.Millisecond // the reply must still stream when its text is thrown away
		}
		script += "turn\n" + pieces(0, writerPieces/2, pace) + "hold\n" + pieces(writerPieces/2, writerPieces, pace)
	}
	model, address := play(t, script)
	w := newWorld(t, address, plainFiles)
	for _, h := range list {
		end := "\n"
		if h.format == "dos" {
			end = "\r\n"
		}
		w.write(h.name+".chat.md", strings.ReplaceAll("---\nmodel: llama3.1:8b\n---\n\n## You\n\nQuestion\n", "\n", end))
	}
	e := start(w)
	for _, h := range list {
		t.Run(h.name, func(t *testing.T) {
			s := &streaming{editor: e.inTest(t), chat: h.name + ".chat.md", goOn: sync.OnceFunc(model.Release)}
			defer s.goOn()
			before := len(model.Chats())
			s.ended = func() bool {
				chats := model.Chats()
				return len(chats) > before && (chats[before].Answered || chats[before].Gone)
			}
			s.keepDocuments(s.chat)
			s.open(s.chat)
			s.act(s.chat, s.lineOf(s.chat, "Question"), "Send")
			s.waitText(s.chat, "[2]")
			if !s.w.writes() {
				t.Fatal("a reply streams, and the server holds no lock of a chat")
			}
			h.does(t, s)
		})
	}
}

// Promise 10. Invariant 11.
func TestWriterNvim(t *testing.T) { //nolint:tparallel // both Neovims at once, and nothing beside them
	for half, version := range []string{"nvim-0.10", "nvim-0.12"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			runHazards(t, everyHazard(half), func(w *world) *editor { return startNvim(w, version) })
		})
	}
}

func TestWriterEmacs(t *testing.T) { //nolint:tparallel // one Emacs, one thing after the other
	t.Parallel()
	runHazards(t, slices.DeleteFunc(everyHazard(0), func(h hazard) bool { return strings.Contains(h.name, "1ms") }), startEmacs)
}

func TestWriterVSCode(t *testing.T) {
	runHazards(t, everyHazard(1), startVSCode)
}

// Where a person types: at the end of the question, below the reply in a question begun there, or in the reply itself,
// at the very place where it goes on.
const (
	above  = "above"
	below  = "below"
	inside = "inside"
)

func typing(every time.Duration, format, place string) hazard {
	name := fmt.Sprintf("type-%dms-%s-%s", every, format, place)
	return hazard{name, format, func(t *testing.T, s *streaming) {
		chat := s.chat
		letters := strings.Repeat("abcdefghij", int(min(300, 1500/every))/10+1)
		switch place {
		case above:
			s.typeAfter(chat, "Question", letters, every*time.Millisecond)
		case below:
			args := s.file(chat)
			args["text"] = "\n## You\n\nNext"
			s.do("append", args, nil)
			letters = strings.ReplaceAll(letters, "j", "\n")
			s.typeAfter(chat, "Next", letters, every*time.Millisecond)
		case inside:
			lines := strings.Split(s.text(chat), "\n")
			last := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "[0]") })
			s.typeAt(chat, last, letters, every*time.Millisecond)
		}
		s.goOn()
		s.typed()
		// The reply and what is typed inside it may interleave, but each is whole.
		whole := func() error {
			text := s.text(chat)
			if place == inside {
				if got := strings.Join(typedLetters.FindAllString(answerTurn(text), -1), ""); got != letters {
					return fmt.Errorf("got %q in:\n%s", got, text)
				}
				return nil
			}
			return contains(text, "\n"+map[string]string{above: "Question", below: "Next"}[place]+letters+"\n")
		}
		eventually(t, "what was typed", whole) // the last letters may not be reported yet
		text := s.settled()
		if err := whole(); err != nil {
			t.Errorf("what was typed is not whole any more: %v", err)
		}
		if reply := answerTurn(text); place == inside {
			text = strings.Replace(text, reply, typedLetters.ReplaceAllString(reply, ""), 1)
		}
		if strings.Count(text, strings.TrimSpace(allPieces(writerPieces))) != 1 {
			t.Errorf("the reply is not there once and whole:\n%s", text)
		}
		checkPieces(t, text, writerPieces)
	}}
}

var typedLetters = regexp.MustCompile(`[a-j]+`)

// One undo takes away what arrived last.
func undoWhileStreaming(t *testing.T, s *streaming) {
	checkRestored(t, s, true, func() { s.undo(s.chat) })
}

// In Neovim one undo takes the typed text together with what arrived meanwhile.
func undoAfterTyping(t *testing.T, s *streaming) {
	s.typeAt(s.chat, s.lineOf(s.chat, "Question"), "abcdefghij", 30*time.Millisecond)
	s.typed()
	s.waitText(s.chat, "Questionabcdefghij")
	checkRestored(t, s, true, func() { s.undo(s.chat) })
}

// A file read again, its text thrown away.
func reloadWhileStreaming(t *testing.T, s *streaming) {
	checkRestored(t, s, false, func() { s.do("reload", s.file(s.chat), nil) })
}

// checkRestored throws text of the reply away. Nothing may come back by itself; what was seen of the reply is offered,
// and comes back when the offer is taken. Or else, if the reply may be complete: what was thrown away had not been
// reported by the editor, as after an undo within Neovim's 150 ms, and was rightly taken for dropped; or it was in
// the middle, where a person's change counts: then the reply goes on behind it, and what was thrown away stays away.
func checkRestored(t *testing.T, s *streaming, complete bool, throwAway func()) {
	t.Helper()
	chat := s.chat
	seen := len(piecesIn(s.text(chat)))
	throwAway()
	s.goOn()
	text := s.over()
	if complete && strings.Contains(text, lastPiece) {
		checkOrder(t, text)
		return
	}
	eventually(t, "the offer", func() error { return contains(s.menu(), "Restore reply") })
	now := s.text(chat)
	if diff := cmp.Diff(text, now); diff != "" && (len(piecesIn(now)) >= len(piecesIn(text)) || cmp.Diff(words(text), words(now)) != "") {
		t.Errorf("something was inserted by itself (-then +now):\n%s", diff)
	}
	text = now // an edit that crossed the reading of the file from disk was taken out again
	t.Logf("thrown away, it is:\n%s", text)
	s.act(chat, s.lineOf(chat, "Question"), "Restore reply")
	eventually(t, "the reply", func() error {
		if now := s.text(chat); len(piecesIn(now)) < seen || now == text {
			return fmt.Errorf("of %d pieces seen there are:\n%s", seen, now)
		}
		return nil
	})
	text = s.over() // whatever would come twice
	checkPieces(t, text, len(piecesIn(text)))
}

// saveWhileStreaming saves again and again while the editor trims blanks or formats the text on save.
func saveWhileStreaming(how string) func(t *testing.T, s *streaming) {
	return func(t *testing.T, s *streaming) {
		args := s.file(s.chat)
		args["how"] = how
		s.do("on_save", args, nil)
		for _, streamed := range []int{3, writerPieces / 2, writerPieces/2 + 3} {
			if streamed > writerPieces/2 {
				s.goOn()
			}
			s.waitText(s.chat, fmt.Sprintf("[%d]", streamed-1))
			s.save(s.chat)
		}
		checkPieces(t, s.settled(), writerPieces)
		s.save(s.chat)
		saved := strings.ReplaceAll(s.w.read(s.chat), "\r\n", "\n")
		checkPieces(t, saved, writerPieces)
		if changed := map[string]string{"trims": "[9]\n", "formats": "[1], [2]"}[how]; !strings.Contains(saved, changed) {
			t.Errorf("the save changed nothing, want %q:\n%s", changed, saved)
		}
	}
}

var lastPiece = fmt.Sprintf("[%d]", writerPieces-1)

// menu is what can be done at the question.
func (s *streaming) menu() string {
	s.t.Helper()
	return strings.Join(s.actions(s.chat, s.lineOf(s.chat, "Question")), "\n")
}

// over is the text once the model has ended and the server writes no more: nothing comes any more, not even twice.
func (s *streaming) over() string {
	s.t.Helper()
	eventually(s.t, "the end of the run", func() error {
		if !s.ended() || s.w.writes() {
			return fmt.Errorf("it goes on; the text is:\n%s", s.text(s.chat))
		}
		return nil
	})
	return s.text(s.chat)
}

// settled is the text once all of the reply is there, and nothing more comes.
func (s *streaming) settled() string {
	s.t.Helper()
	s.waitText(s.chat, lastPiece)
	return s.over()
}

var pieceNumber = regexp.MustCompile(`\[\d+\]`)

// piecesIn lists the pieces of replies in a text, in their order.
func piecesIn(text string) []string { return pieceNumber.FindAllString(text, -1) }

// words are what is in a text besides pieces of replies.
func words(text string) []string { return strings.Fields(pieceNumber.ReplaceAllString(text, "")) }

// checkPieces wants each of the first n pieces of the reply once and in order.
func checkPieces(t *testing.T, text string, n int) {
	t.Helper()
	if diff := cmp.Diff(pieceNumber.FindAllString(allPieces(n), -1), piecesIn(text)); diff != "" {
		t.Errorf("the reply is not there once, whole and in order (-want +got):\n%s\n%s", diff, text)
	}
}

// checkOrder wants no piece of the reply twice or out of order; some may have been thrown away.
func checkOrder(t *testing.T, text string) {
	t.Helper()
	rest := allPieces(writerPieces)
	for _, piece := range piecesIn(text) {
		_, behind, found := strings.Cut(rest, piece)
		if !found {
			t.Fatalf("%s is there twice or out of order:\n%s", piece, text)
		}
		rest = behind
	}
}

// answerTurn is the text of the first turn of the model.
func answerTurn(text string) string {
	_, turn, _ := strings.Cut(text, "\n## Assistant\n")
	turn, _, _ = strings.Cut(turn, "\n## You")
	return turn
}
