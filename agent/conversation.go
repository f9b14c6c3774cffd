package agent

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/prompts"
)

// conversation turns a document into what the formats send. What the file shows is what the model sees: blocks marked
// not-sent and reasons are left out, every call has exactly one result.
// begun tells of a call without a result whether it may have had effects.
func conversation(chat *transcript.Chat, raws *rawReplies, begun func(toolcall.Call) bool) []toolcall.Turn {
	var turns []toolcall.Turn
	for _, turn := range chat.Turns {
		if turn.Role == transcript.You {
			if t := userTurn(turn); t.Text != "" {
				turns = append(turns, t)
			}
			continue
		}
		turns = append(turns, replies(turn, raws, begun)...)
	}
	return turns
}

// userTurn is the user's turn as the model reads it: the prose and the context blocks in the document's order.
func userTurn(turn transcript.Turn) toolcall.Turn {
	var all, own []string
	for _, block := range turn.Blocks {
		switch b := block.(type) {
		case transcript.Text:
			text := strings.TrimSpace(b.Markdown)
			all, own = append(all, text), append(own, text)
		case transcript.Context:
			if !b.NotSent {
				all = append(all, contextText(b))
			}
		}
	}
	return toolcall.Turn{Role: model.RoleUser, Text: joinParts(all), Asked: joinParts(own)}
}

// contextText is a context block as the model reads it.
func contextText(b transcript.Context) string { return attach.Heading(b.Name, b.Text) + ":\n" + b.Text }

func joinParts(parts []string) string {
	kept := parts[:0]
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n\n")
}

// replies splits one assistant turn of the document into the model's single replies, each followed by its results and by
// what was wrong with calls that could not be read.
func replies(turn transcript.Turn, raws *rawReplies, begun func(toolcall.Call) bool) []toolcall.Turn {
	s := splitter{results: turn.Results(), raws: raws, begun: begun}
	for _, block := range turn.Blocks {
		s.take(block)
	}
	s.flush()
	return s.out
}

// splitter finds where one reply ends and the next begins: behind results, or behind a call that could not be read.
type splitter struct {
	results map[string]transcript.Result
	raws    *rawReplies
	begun   func(toolcall.Call) bool
	out     []toolcall.Turn

	reply     toolcall.Turn
	prose     []string
	malformed []transcript.Malformed
	answered  bool
}

func (s *splitter) take(block transcript.Block) {
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
	case transcript.Thinking:
		if !b.NotSent {
			s.reply.Thinking += b.Text
		}
	case transcript.Call:
		if !b.NotSent && b.Arguments != nil {
			s.reply.Calls = append(s.reply.Calls, callOf(b))
		}
	case transcript.Malformed:
		if !b.NotSent {
			s.malformed = append(s.malformed, b)
		}
	case transcript.Result:
		s.answered = len(s.reply.Calls) > 0
	}
}

func (s *splitter) flush() {
	reply := s.reply
	reply.Role, reply.Text = model.RoleAssistant, joinParts(s.prose)
	malformed := s.malformed
	s.reply, s.prose, s.malformed, s.answered = toolcall.Turn{}, nil, nil, false
	if reply.Text == "" && len(reply.Calls) == 0 && len(malformed) == 0 {
		return
	}
	wrong := make([]string, len(malformed))
	for i, m := range malformed {
		wrong[i] = m.Raw
	}
	if reply.Raw = s.raws.find(reply, wrong); reply.Raw == "" {
		reply.Text = joinParts(append([]string{reply.Text}, wrong...))
	}
	s.out = append(s.out, reply)
	for _, call := range reply.Calls {
		s.out = append(s.out, s.resultTurn(call))
	}
	for _, m := range malformed {
		s.out = append(s.out, complaint(m.Raw, m.Reason))
	}
}

// complaint tells the model what was wrong with a call that could not be read. Nothing was with one that it only showed, which has
// no text of its own: it need not try again.
func complaint(raw, reason string) toolcall.Turn {
	return toolcall.Turn{Role: model.RoleTool, Text: reason, Failed: raw != ""}
}

// resultTurn is a call's result as the model reads it, also if the document has none.
func (s *splitter) resultTurn(call toolcall.Call) toolcall.Turn {
	r := s.results[call.ID]
	turn := toolcall.Turn{Role: model.RoleTool, CallID: call.ID, Name: call.Name, Text: r.Text, Failed: r.Status != transcript.OK}
	switch {
	case (r.ID == "" || r.Status == transcript.NotRun) && s.begun(call): // the result of a later Resume may be lost
		turn.Text = prompts.Stopped()
	case r.Status == transcript.Stopped && r.Text == "":
		turn.Text = prompts.Stopped()
	case r.ID == "", r.Status == transcript.NotRun && r.Text == "":
		turn.Text = prompts.NotRun()
	}
	return turn
}

// OpenCall is a call that Resume would take up.
type OpenCall struct {
	transcript.Call
	Begun bool // it was begun before, and may have had effects
}

// OpenCalls lists the calls of the document's last assistant turn that have no result, or whose result says that they
// were not run, or stopped before their end: what Resume would take up. begun may be nil.
func OpenCalls(chat *transcript.Chat, begun BegunCalls) []OpenCall {
	last := -1
	for i, turn := range chat.Turns {
		if turn.Role == transcript.Assistant {
			last = i
		} else if !turn.Empty() {
			last = -1
		}
	}
	if last < 0 {
		return nil
	}
	results := chat.Turns[last].Results()
	var open []OpenCall
	for _, block := range chat.Turns[last].Blocks {
		call, ok := block.(transcript.Call)
		if !ok || call.NotSent || call.Arguments == nil {
			continue
		}
		switch r, answered := results[call.ID]; {
		case answered && r.Status == transcript.Stopped:
			open = append(open, OpenCall{call, true})
		case !answered, r.Status == transcript.NotRun:
			open = append(open, OpenCall{call, wasBegun(begun, callOf(call))})
		}
	}
	return open
}

// CopyBegun keeps of a copy of a chat which of its open calls were begun in the chat itself.
func CopyBegun(chat *transcript.Chat, from, to BegunCalls) error {
	for _, open := range OpenCalls(chat, from) {
		if open.Begun {
			if err := to.Begin(identity(callOf(open.Call))); err != nil {
				return err
			}
		}
	}
	return nil
}

func callOf(call transcript.Call) toolcall.Call {
	return toolcall.Call{ID: call.ID, Name: call.Tool, Arguments: call.Arguments}
}

// wasBegun asks whether a call was ever begun in this chat.
func wasBegun(begun BegunCalls, call toolcall.Call) bool {
	return begun != nil && begun.Begun(identity(call))
}

// identity names a call by all that it would do.
func identity(call toolcall.Call) string {
	return call.ID + "\x00" + call.Name + "\x00" + canonical(call.Arguments)
}

// nextCallID continues the numbering c1, c2, ... of a chat.
func nextCallID(chat *transcript.Chat) int {
	next := 1
	for _, turn := range chat.Turns {
		for _, block := range turn.Blocks {
			id := ""
			switch b := block.(type) {
			case transcript.Call:
				id = b.ID
			case transcript.Malformed:
				id = b.ID
			}
			if n, err := strconv.Atoi(strings.TrimPrefix(id, "c")); err == nil && n >= next {
				next = n + 1
			}
		}
	}
	return next
}

// SameArguments reports whether two argument objects mean the same: the order of keys and the way of escaping aside.
func SameArguments(a, b json.RawMessage) bool {
	return (len(a) == 0) == (len(b) == 0) && canonical(a) == canonical(b)
}

// canonical is one spelling of a JSON value; what is not JSON stands for itself.
func canonical(raw json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return string(raw)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return string(raw)
	}
	return string(text)
}
