package compose

import (
	"slices"
	"strconv"

	"github.com/assent-ls/assent/agent/transcript"
)

// place is that of a block in a document: the indices of its turn and of the block in it.
type place struct{ turn, block int }

// paired is a call of a document with what answers it.
type paired struct {
	call     transcript.Call
	at       place
	id       string // by which the model knows it: no other call of the chat has it
	result   transcript.Result
	answered *place // where the result is; nil: there is none
	images   []string
}

// pairs are the calls of a document with their results. A result answers the nearest call above it that has its ID, or
// else the first such call below it in the same turn; of several results of a call the last one counts.
type pairs struct {
	chat    *transcript.Chat
	calls   []*paired
	at      map[place]*paired
	orphans []transcript.Result
}

// pair finds the calls of a chat and what answers them, however a person ordered them.
func pair(chat *transcript.Chat) pairs {
	p := pairs{chat: chat, at: map[place]*paired{}}
	latest := map[string]*paired{} // by the ID in the document
	for t, turn := range chat.Turns {
		if turn.Role != transcript.Assistant {
			continue
		}
		early := map[string][]place{} // results above their call
		for b, block := range turn.Blocks {
			here := place{t, b}
			switch block := block.(type) {
			case transcript.Call:
				call := &paired{call: block, at: here, id: block.ID}
				p.calls, p.at[here], latest[block.ID] = append(p.calls, call), call, call
				for _, result := range early[block.ID] {
					p.answer(call, result)
				}
				delete(early, block.ID)
			case transcript.Result:
				if call := latest[block.ID]; call != nil {
					p.answer(call, here)
				} else {
					early[block.ID] = append(early[block.ID], here)
				}
			}
		}
		for b, block := range turn.Blocks {
			if r, ok := block.(transcript.Result); ok && p.at[place{t, b}] == nil {
				p.orphans = append(p.orphans, r)
			}
		}
		p.pairImages(t)
	}
	p.rename()
	return p
}

func (p *pairs) answer(call *paired, at place) {
	call.result, call.answered = p.chat.Turns[at.turn].Blocks[at.block].(transcript.Result), &at
	p.at[at] = call
}

// pairImages gives the images of one turn to the calls whose results they belong to.
func (p *pairs) pairImages(turn int) {
	above := map[string]place{} // the nearest result, by its ID
	for b, block := range p.chat.Turns[turn].Blocks {
		switch block := block.(type) {
		case transcript.Result:
			above[block.ID] = place{turn, b}
		case transcript.Image:
			at, ok := above[block.Of]
			if call := p.at[at]; ok && call != nil && *call.answered == at && !block.NotSent {
				call.images = append(call.images, block.Path)
			}
		}
	}
}

// rename gives every call an ID of its own: the last call with an ID keeps it, as everywhere else.
func (p *pairs) rename() {
	used, kept, next := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, call := range p.calls {
		used[call.id] = true
	}
	for _, call := range slices.Backward(p.calls) {
		id := call.id
		if !kept[id] {
			kept[id] = true
			continue
		}
		for used[call.id] {
			next[id]++
			call.id = id + "-" + strconv.Itoa(next[id])
		}
		used[call.id] = true
	}
}
