package agent

import (
	"context"
	"path"
	"strings"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/intent"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools"
)

// help is what a guided model gets in a run and no other model does: guesses at what a message wants, attachments that follow from them, limits
// of the next reply, and requests made apart (docs/small-models.md). A run has one only if its model is guided, so none of this can be reached
// for another one.
type help struct {
	*loop

	wants     wants
	files     []string        // of the workspace, as they were when this step began; nil: not known
	folders   []string        // of the workspace, likewise
	found     []string        // files that a search found, one of which is to be read next
	followed  bool            // what a search found was read once
	hasty     bool            // a reply of this run was hasty
	guessed   bool            // a change is asked for which the message may not have wanted
	reads     bool            // the next reply must read one of the files found
	answerNow bool            // the next reply should be an answer: the model goes round in circles
	forced    int             // replies in a row that were forced to be calls
	urged     int             // replies that had to be calls because a change was asked for
	denied    bool            // the last call was denied: the model must not be made to try again
	changed   bool            // a call that changes files or runs something went well
	barred    map[string]bool // tools that the next reply should not call: the same call of them failed again
	lastWord  bool            // the next reply is an answer: without it the run would be over
	unwritten map[string]bool // files whose new text was asked for apart, and was the old one
	refused   map[string]bool // calls that were refused because the message seems to want an answer
	unasked   bool            // the last call was refused so: tools that edit come last in the next reply
	done      map[string]bool // files that a call of this run changed
}

// isGuided reports whether a model is guided in a run: every reply of it is held to a schema. This is the only place that says so.
func isGuided(format toolcall.Format) bool { return format.Name() == "guided" }

// newHelp is the help for the model of a run; nil: it is not guided.
func newHelp(c *loop) *help {
	if !c.agent.helps(c.Format) {
		return nil
	}
	return &help{loop: c, barred: map[string]bool{}, unwritten: map[string]bool{}, refused: map[string]bool{}, done: map[string]bool{}}
}

// saw keeps what a call led to.
func (c *help) saw(call *pending, ended CallEnded) {
	went := !ended.Result.Failed && !ended.NotRun
	c.denied = ended.Denied
	if went {
		c.done[path.Clean(c.writtenBy(call.Call))] = true
	}
	c.changed = c.changed || went && c.effect(call.Name).Changes()
	if ended.Result.Retry && (!c.seemsToAsk() || !c.effect(call.Name).Fulfills()) {
		c.retry = call.Name
	}
}

// answersLast makes the next reply an answer where the run would end without one: to what seems to be a question, or about what was done; once in
// a run. Who asked for a change and got none reads that the run was stopped.
func (c *help) answersLast() bool {
	if c.lastWord || !c.changed && !c.seemsToAsk() {
		return false
	}
	c.lastWord = true
	return true
}

// sawAgain keeps that a call gave the same result as before: if it failed, another tool is to be called, else the next reply should be an answer.
func (c *help) sawAgain(call *pending, failed bool) {
	if failed {
		c.barred[call.Name] = true
	} else {
		c.answerNow = true
	}
}

// takes is a call of a reply as it is made. whole is false if its text is still to be asked for.
func (c *help) takes(out *reply, call toolcall.Call) (made toolcall.Call, whole bool) {
	made, altered := c.grounded(call)
	if named, other := c.asNamed(made); other {
		made, altered = named, true
	}
	if altered {
		out.altered = true
		out.raw.Reset() // it is not what the conversation has
	}
	return made, !c.isApart(made)
}

// asksAnyway reports whether a person is asked about a call even where they allowed it before: it may be none that the message wants.
func (c *help) asksAnyway() bool { return c.guessed && !c.changed }

// attaches says what is attached to the message that a run answers.
func (c *help) attaches(message attach.Message) attach.Message {
	message.Talk, message.Bring = c.wants.talk || c.wants.others, c.wants.bring
	return message
}

// describes lists the tools that the message asks for, or seems to be about: small models rarely search for them.
func (c *help) describes(request string) []tools.Spec {
	return append(c.job.Tools.Registry().Suited(namesOf(c.Tools), request+" "+c.wants.meant), c.wants.tools...)
}

// completes asks for what a reply of a guided model only announces: the texts of files, and the answer.
func (c *help) completes(ctx context.Context, out *reply) error {
	c.refuseUnasked(out)
	if err := c.writeApart(ctx, out); err != nil {
		return err
	}
	return c.answerApart(ctx, out)
}

// refuseUnasked refuses, once for each call, what changes files where the message seems to want none changed: small models make up what they did not
// find, and write it down. That is a guess, so the same call goes through the second time.
func (c *help) refuseUnasked(out *reply) {
	for _, call := range out.calls {
		key := call.Name + tools.Canonical(call.Arguments)
		if c.effect(call.Name).Fulfills() && c.mayBeUnasked(path.Clean(c.writtenBy(call.Call))) && !c.refused[key] {
			call.unwritten = prompts.Unasked
			c.refused[key], c.unasked = true, true
		}
	}
}

// mayBeUnasked reports whether the message seems to want no change of a file: it asks, or it may ask and neither names the file nor was that read. A
// call without a file has ".".
func (c *help) mayBeUnasked(file string) bool {
	spoken := file == "." || strings.Contains(c.wants.text, path.Base(file)) || c.wasRead(file)
	return (c.wants.intent == intent.Question || c.wants.others) && (c.wants.asks || !spoken)
}

// behind are the requests that may follow the reply, as they would be sent if it asks for nothing else first.
func (c *help) behind(ctx context.Context) (list []Asked) {
	if c.lastMessage() < 0 || !c.asksApart() {
		return nil
	}
	if c.answersApart() {
		return []Asked{c.askAnswer()}
	}
	if c.wants.intent != intent.Change {
		return nil
	}
	files := c.wants.targets
	if len(files) == 0 {
		files = c.wants.named
	}
	for _, file := range files {
		if before, exists, ok := c.job.Show(ctx, file); ok {
			list = append(list, c.askText(ctx, file, before, exists, ""))
		}
	}
	return list
}

// lastMessage is the place of the user's last turn; -1: there is none.
func (c *help) lastMessage() int {
	last := len(c.Turns) - 1
	for last >= 0 && c.Turns[last].Role != model.RoleUser {
		last--
	}
	return last
}
