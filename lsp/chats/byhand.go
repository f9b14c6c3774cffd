package chats

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/tools"
)

// written is a call that a person wrote into the last `## You` of a chat: a fence like that of a model's call. It is
// text and runs by nothing but an action on it.
type written struct {
	tool   string // empty: not chosen yet
	body   string // its arguments
	text   string // all of it
	span   transcript.Span
	nameAt int // where the name of the tool is to stand
}

// openedFence is the line that begins a written call.
var openedFence = regexp.MustCompile("(?m)^(`{3,})tool(?: +(\\S*))?[ \\t]*\\r?$")

// writtenCalls lists those of a chat.
func (v view) writtenCalls() []written {
	last := v.chat.LastYou()
	if last < 0 {
		return nil
	}
	start := v.chat.Turns[last].Heading.End
	text := v.from(start)
	var all []written
	for at := 0; ; {
		m := openedFence.FindStringSubmatchIndex(text[at:])
		if m == nil {
			return all
		}
		ticks, first := text[at+m[2]:at+m[3]], min(at+m[1]+1, len(text))
		closing := regexp.MustCompile("(?m)^" + ticks + "`*[ \\t]*\\r?$").FindStringIndex(text[first:])
		if closing == nil {
			return all
		}
		w := written{
			body: text[first : first+closing[0]], text: text[at+m[0] : first+closing[1]],
			span: transcript.Span{Start: start + at + m[0], End: start + first + closing[1]}, nameAt: start + at + m[1],
		}
		if m[4] >= 0 {
			w.tool = text[at+m[4] : at+m[5]]
		}
		all, at = append(all, w), first+closing[1]
	}
}

// prepared is a call by hand that a menu shows: its action names it by an opaque id.
type prepared struct {
	call  *agent.ByHand
	of    string // the id of the call of which all rows are wanted; empty: it is a written call
	ended func(context.Context, tools.Result) error
}

// handActions are those of the written calls at a place: to choose a tool, or to run the call. Policy has been asked,
// and what it asks a person stands in the title.
func (c *Chat) handActions(ctx context.Context, view view, span transcript.Span) []Action {
	var out []Action
	for _, w := range view.writtenCalls() {
		switch {
		case !touches(w.span, span):
		case w.tool == "":
			for _, s := range c.session.Tools() {
				gap := " "
				if strings.HasSuffix(view.slice(w.span.Start, w.nameAt), " ") {
					gap = ""
				}
				out = append(out, Action{Title: "Use " + s.Name, Insert: &Insert{At: w.nameAt, Text: gap + s.Name + template(s)}})
			}
		default:
			out = append(out, c.runActions(ctx, w)...)
		}
	}
	return out
}

// runActions are those of one written call. Its first is harmless where a person is asked.
func (c *Chat) runActions(ctx context.Context, w written) []Action {
	arguments, err := transcript.ParseArguments(w.body)
	if err != nil {
		return []Action{{Title: "This call cannot be read: " + shorten(oneLine(err.Error()))}}
	}
	call, err := c.session.PrepareByHand(ctx, w.tool, arguments)
	if err != nil {
		return nil
	}
	id, title := rand.Text(), "Run this call: "+w.tool
	q, asks := call.Question()
	if asks {
		id = q.ID
	} else if target := call.Prepared().Target; target != "" {
		title += " " + shorten(oneLine(target))
	}
	c.offer(id, prepared{call: call, ended: func(ctx context.Context, r tools.Result) error { return c.showResult(ctx, w, r) }})
	if !asks {
		return []Action{{Title: title, Command: ext.RunTool, ID: id}}
	}
	if q.Effect.ByPerson() {
		return nil // nobody asks themselves
	}
	out := questionActions(q)
	return out[:len(out)-2] // whoever wrote the call need not deny it
}

const maxByHand = 100

// offer keeps a prepared call until a menu's action names it.
func (c *Chat) offer(id string, p prepared) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.byHand) >= maxByHand {
		clear(c.byHand) // menus that are gone
	}
	c.byHand[id] = p
}

// template has a label for each argument that a tool must have.
func template(s tools.Spec) string {
	var schema struct {
		Required []string `json:"required"`
	}
	if json.Unmarshal(s.Parameters, &schema) != nil || len(schema.Required) == 0 {
		return ""
	}
	return "\n" + strings.Join(schema.Required, ": \n") + ": "
}

// WriteCall puts a call into the chat for the person to complete and to run: at the end of the last `## You`. It runs
// nothing.
func (c *Chat) WriteCall(ctx context.Context, tool string, arguments json.RawMessage) error {
	if !c.idle() {
		return session.ErrBusy
	}
	view := c.view()
	last := view.chat.LastYou()
	if last < 0 || last != len(view.chat.Turns)-1 {
		return errors.New("this chat does not end in a `## You`, where a call could stand: add one")
	}
	text, err := CallText(tool, arguments)
	if err != nil {
		return err
	}
	before := strings.TrimRight(view.slice(0, view.text.Len()), " \t\r\n")
	rest := strings.TrimSuffix(view.from(len(before)), "\n")
	if err := c.write(ctx, view, documents.Span{Start: len(before), End: len(before) + len(rest)}, rest, "\n\n"+text); err != nil {
		return err
	}
	c.chats.Host.Show(ctx, c.uri, strings.Count(before, "\n")+2)
	return nil
}

// CallText is a call as a person writes it; without a tool it has a place for the name.
func CallText(tool string, arguments json.RawMessage) (string, error) {
	body := ""
	if len(arguments) > 0 {
		var err error
		if body, err = transcript.FormatArguments(arguments); err != nil {
			return "", fmt.Errorf("the arguments are no JSON object: %w", err)
		}
	}
	return Fenced("tool "+tool, body), nil
}

// Fenced is a block whose fence its text cannot close.
func Fenced(info, text string) string {
	ticks := transcript.Fence(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return ticks + info + "\n" + text + ticks
}

func (c *Chat) write(ctx context.Context, view view, at documents.Span, before, after string) error {
	writer, ok := c.chats.Writer(c.uri)
	if !ok {
		return errNotOpen
	}
	ctx, cancel := context.WithTimeout(ctx, editTime)
	defer cancel()
	return writer.ReplaceIn(ctx, view.snapshot, at, before, after)
}

// handQuestion is what is asked about a call by hand under an id.
func (c *Chat) handQuestion(id string) (agent.Question, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.byHand[id]
	if !ok {
		return agent.Question{}, false
	}
	return p.call.Question()
}

// wrote reports whether a question is about a call by hand.
func (c *Chat) wrote(id string) bool {
	_, ok := c.handQuestion(id)
	return ok
}

// RunByHand runs a call by hand that a menu named by its id, with the answer to its question if it has one, and shows
// its result. It returns when the call is begun.
func (cs *Chats) RunByHand(id string, answer agent.Answer) error {
	for _, chat := range cs.all() {
		chat.mu.Lock()
		p, ok := chat.byHand[id]
		delete(chat.byHand, id)
		chat.mu.Unlock()
		if ok {
			if !chat.idle() {
				return session.ErrBusy
			}
			cs.background(func() { chat.runByHand(p, answer) })
			return nil
		}
	}
	return ErrGone
}

func (c *Chat) runByHand(p prepared, answer agent.Answer) {
	ctx, cancel := context.WithCancel(c.chats.ctx)
	defer cancel()
	c.setStop(cancel)
	defer c.setStop(nil)
	shown := c.chats.Host.Progress(visible.Line("Assent: "+p.call.Prepared().Call.Name), cancel)
	result, err := c.session.RunByHand(ctx, p.call, answer, reports{shown})
	sentence := "Done"
	if err == nil {
		err = p.ended(c.chats.ctx, result)
	}
	if err != nil {
		sentence = "Not run"
		c.chats.Host.ShowMessage(Error, err.Error())
	}
	shown.End(sentence)
}

func (c *Chat) setStop(stop func()) {
	c.mu.Lock()
	c.stopHand = stop
	c.mu.Unlock()
	c.refresh()
}

// handRuns reports whether a written call runs.
func (c *Chat) handRuns() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopHand != nil
}

// reports shows how far a call is.
type reports struct{ shown Progress }

// Output implements tools.Reporter.
func (r reports) Output(text string) { r.Progress(0, 0, lastLine(text)) }

// Progress implements tools.Reporter.
func (r reports) Progress(_, _ float64, note string) {
	if note != "" {
		r.shown.Report(shorten(oneLine(note)))
	}
}

func lastLine(text string) string {
	text = strings.TrimRight(text, "\r\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// showResult puts a result below the call, or at the end of the chat if the call is no longer there: what ran is never
// lost.
func (c *Chat) showResult(ctx context.Context, w written, result tools.Result) error {
	view := c.view()
	at := len(strings.TrimRight(view.from(0), " \t\r\n"))
	for _, now := range view.writtenCalls() {
		if now.text == w.text {
			at = now.span.End
		}
	}
	status := "ok"
	if result.Failed {
		status = "error"
	}
	text := Fenced(fmt.Sprintf("result %s %s %v", w.tool, status, result.Took.Round(time.Millisecond)), result.Text())
	return c.write(ctx, view, documents.Span{Start: at, End: at}, "", "\n\n"+text)
}
