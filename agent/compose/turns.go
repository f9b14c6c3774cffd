package compose

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/prompts"
)

// Memory is what is known of a chat beyond its document. A function may be nil: then nothing is known.
type Memory struct {
	// a reply exactly as the model wrote it; empty if that is not known
	Raw   func(reply toolcall.Turn, malformed []string) string
	Begun func(toolcall.Call) bool // whether a call without a result may have had effects
	// Image is an image that the document links, by its path, or what the model reads instead. Neither: the link is
	// only text.
	Image func(path string) (image content.Image, instead string)
	// Facts are what the result of a tool shows; nil: they are not read.
	Facts func(tool, result string) toolcall.Facts
	Aside Aside // makes Turn.Beside and Turn.Advice; nil: they are not wanted

	shortened map[string]bool // by the IDs of calls: their results are sent shortened
}

// Turns reads the turns of a conversation from a document. What the document shows is what the model sees: blocks
// marked not-sent and reasons are left out, every call has exactly one result.
func Turns(chat *transcript.Chat, memory Memory) []toolcall.Turn {
	return slices.Concat(ByTurn(chat, memory)...)
}

// ByTurn is Turns for each turn of the document.
func ByTurn(chat *transcript.Chat, memory Memory) [][]toolcall.Turn {
	memory.shortened = ShortenedIn(chat)
	turns := make([][]toolcall.Turn, len(chat.Turns))
	calls := pair(chat)
	from, summary := summaryOf(chat)
	for i, turn := range chat.Turns {
		if i < from {
			continue
		}
		if turn.Role == transcript.Assistant {
			turns[i] = replies(i, turn, calls, memory)
		} else if t := userTurn(turn, memory); t.Text != "" || len(t.Images) > 0 {
			turns[i] = []toolcall.Turn{t}
		}
	}
	if summary != "" && len(turns[from]) > 0 { // it may be in the reply: the question is where it is read
		turns[from][0] = withSummary(turns[from][0], summary)
	}
	return turns
}

// userTurn is the user's turn as the model reads it: the prose and the context blocks in the document's order.
func userTurn(turn transcript.Turn, memory Memory) toolcall.Turn {
	var all, own, beside []string
	read := toolcall.Turn{Role: model.RoleUser}
	see := func(target string) {
		instead := memory.see(&read, target)
		all, beside = append(all, instead), append(beside, instead)
	}
	for _, block := range turn.Blocks {
		switch b := block.(type) {
		case transcript.Text:
			text := strings.TrimSpace(b.Markdown)
			all, own = append(all, text), append(own, text)
			for _, link := range transcript.ImageLinks(text) {
				see(link.Target)
			}
		case transcript.Image:
			if !b.NotSent {
				see(b.Path)
			}
		case transcript.Context:
			if !b.NotSent && b.Name != SummaryBlock {
				all = append(all, ContextText(b.Name, b.Text))
				read.Whole = withWhole(read.Whole, b.Name, b.Text)
				if memory.Aside != nil {
					beside = append(beside, memory.Aside.Block(b.Name, b.Text))
				}
			}
		}
	}
	read.Text, read.Asked = joinParts(all), joinParts(own)
	if memory.Aside != nil {
		read.Beside, read.Advice = joinParts(beside), memory.Aside.Advice(read.Asked)
	}
	return read
}

// Aside makes what a guided model has beside the text of a turn: see package guidance.
type Aside interface {
	// Block returns a context block for a request for plain text; empty: it is left out there.
	Block(name, text string) string
	// Advice returns a sentence to the model below a message; empty: there is none.
	Advice(asked string) string
}

// WithContext is a user's turn to which a context block was added. aside may be nil.
func WithContext(turn toolcall.Turn, b attach.Block, aside Aside) toolcall.Turn {
	turn.Text = joinParts([]string{turn.Text, ContextText(b.Name, b.Text())})
	turn.Whole = withWhole(turn.Whole, b.Name, b.Text())
	if aside != nil {
		turn.Beside = joinParts([]string{turn.Beside, aside.Block(b.Name, b.Text())})
	}
	return turn
}

// withWhole adds the file that a context block holds whole, if it does.
func withWhole(files []string, name, text string) []string {
	if path, whole := attach.WholeFile(name, text); whole {
		files = append(files, path)
	}
	return files
}

// ContextText is a context block as the model reads it.
func ContextText(name, text string) string { return attach.Heading(name, text) + ":\n" + text }

// Fenced is a text under its name, as models read it in Markdown.
func Fenced(name, text string) string {
	fence := transcript.Fence(text)
	return name + ":\n" + fence + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

func joinParts(parts []string) string {
	kept := parts[:0]
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n\n")
}

// replies splits one assistant turn of the document into the model's single replies, each followed by its results and
// by what was wrong with calls that could not be read.
func replies(at int, turn transcript.Turn, calls pairs, memory Memory) []toolcall.Turn {
	s := splitter{memory: memory}
	for i, block := range turn.Blocks {
		s.take(block, calls.at[place{at, i}])
	}
	s.flush()
	return s.out
}

// splitter finds where one reply ends and the next begins: behind results, or behind a call that could not be read.
type splitter struct {
	memory Memory
	out    []toolcall.Turn

	reply     toolcall.Turn
	calls     []*paired // those of the reply
	prose     []string
	malformed []transcript.Malformed
	answered  bool
	ran       bool // one of the calls: the reply was whole
}

// Names of context blocks below replies that the model does not read again, as it does not read the blocks: it would go
// on with them.
const (
	RepeatedBlock = "repeated reply" // that repeated itself without end
	// that was asked for once more; only earlier versions wrote the block.
	prematureBlock = "hasty reply"
)

// take adds a block to the reply; call is what the block is, or answers.
func (s *splitter) take(block transcript.Block, call *paired) {
	if b, ok := block.(transcript.Context); ok && b.NotSent && (b.Name == RepeatedBlock || b.Name == prematureBlock) {
		if s.ran { // what repeated itself had no words, and these are of the reply before
			s.flush()
		}
		s.prose, s.malformed = nil, nil
	}
	switch block.(type) {
	case transcript.Result, transcript.Image:
	case transcript.Malformed:
		if s.answered {
			s.flush()
		}
	default:
		if s.answered || len(s.malformed) > 0 {
			s.flush()
		}
	}
	switch b := block.(type) {
	case transcript.Text:
		if text := strings.TrimSpace(b.Markdown); text != "" {
			s.prose = append(s.prose, text)
		}
	case transcript.Call:
		if !b.NotSent && b.Arguments != nil {
			s.reply.Calls, s.calls = append(s.reply.Calls, CallOf(b)), append(s.calls, call)
		}
	case transcript.Malformed:
		if !b.NotSent {
			s.malformed = append(s.malformed, b)
		}
	case transcript.Result:
		s.answered = len(s.reply.Calls) > 0
		s.ran = s.ran || b.Status != transcript.NotRun
	}
}

func (s *splitter) flush() {
	reply, calls := s.reply, s.calls
	reply.Role, reply.Text = model.RoleAssistant, joinParts(s.prose)
	malformed := s.malformed
	*s = splitter{memory: s.memory, out: s.out}
	if reply.Text == "" && len(reply.Calls) == 0 && len(malformed) == 0 {
		return
	}
	wrong := make([]string, len(malformed))
	for i, m := range malformed {
		wrong[i] = m.Raw
	}
	if s.memory.Raw != nil {
		reply.Raw = s.memory.Raw(reply, wrong)
	}
	reply = WithMalformed(reply, wrong)
	for i, call := range calls {
		reply.Calls[i].ID = call.id
	}
	s.out = append(s.out, reply)
	for _, call := range calls {
		s.out = append(s.out, s.resultTurn(call))
	}
	for _, m := range malformed {
		s.out = append(s.out, Complaint(m.Raw, cmp.Or(m.Reason, prompts.Unreadable())))
	}
}

// WithMalformed is a reply with the texts of its calls that could not be read: where its own words are not known, the
// model reads them in its text.
func WithMalformed(reply toolcall.Turn, wrong []string) toolcall.Turn {
	if reply.Raw == "" {
		reply.Text = joinParts(append([]string{reply.Text}, wrong...))
	}
	return reply
}

// Complaint tells the model what was wrong with a call that could not be read. A call that it only showed has no raw
// text: nothing was wrong with it, and the model need not try again.
func Complaint(raw, reason string) toolcall.Turn {
	return toolcall.Turn{Role: model.RoleTool, Text: reason, Failed: raw != ""}
}

// resultTurn is a call's result as the model reads it, also if the document has none.
func (s *splitter) resultTurn(call *paired) toolcall.Turn {
	r := call.result
	turn := toolcall.Turn{
		Role: model.RoleTool, CallID: call.id, Name: call.call.Tool, Text: r.Text, Failed: r.Status != transcript.OK,
	}
	switch {
	case (call.answered == nil || r.Status == transcript.NotRun) && s.memory.Begun != nil &&
		s.memory.Begun(CallOf(call.call)):
		// the result of a later Resume may be lost
		turn.Text = prompts.Stopped()
	case r.NotSent:
		turn.Text = prompts.Hidden()
	case r.Status == transcript.Stopped && r.Text == "":
		turn.Text = prompts.Stopped()
	case call.answered == nil, r.Status == transcript.NotRun && r.Text == "":
		turn.Text = prompts.NotRun()
	}
	if r.NotSent {
		return turn
	}
	if s.memory.Facts != nil {
		turn.Facts = s.memory.Facts(turn.Name, turn.Text)
	}
	if s.memory.shortened[call.id] {
		turn.Text = Shorten(turn.Text)
	}
	for _, path := range call.images {
		if instead := s.memory.see(&turn, path); instead != "" {
			turn.Text = content.Plain([]content.Part{content.Text(turn.Text), content.Text(instead)})
		}
	}
	return turn
}

// CallOf is a call of the document as formats know it.
func CallOf(call transcript.Call) toolcall.Call {
	return toolcall.Call{ID: call.ID, Name: call.Tool, Arguments: call.Arguments}
}
