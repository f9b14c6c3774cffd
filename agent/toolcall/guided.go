package toolcall

import (
	"bytes"
	"strings"

	"github.com/assent-ls/assent/agent/model"
)

// Guided is the format of models that cannot call otherwise: the backend constrains the reply to one JSON object, either
// {"do": INTENT, "tool": NAME, "arguments": {...}} or {"do": "talk", "answer": TEXT}. The intent comes first because small
// models otherwise answer as if they had done what they were asked (docs/small-models.md). For the same reason each result is
// followed by the request. The answer streams as prose.
// Thinking must be off: a server would think outside the constraint.
func Guided() Format {
	return guided{grammar: fallbackGrammar([]Fallback{Bare, Fenced, Tagged}, false)}
}

type guided struct{ grammar *grammar }

// Name implements Format.
func (guided) Name() string { return "guided" }

// Decoder implements Format. A reply that is not JSON, from a server that ignores the constraint, is decoded as text.
func (f guided) Decoder(tools []model.Tool) Decoder {
	return &guidedDecoder{text: newStream(f.grammar, tools, false)}
}

// Request implements Format.
func (guided) Request(system string, turns []Turn, tools []model.Tool, hints Hints) model.Request {
	req := model.Request{Messages: systemMessage(joinBlocks(system, guidedPrompt(tools))), Format: guidedSchema(tools, hints)}
	asked := ""
	for _, t := range turns {
		m := plainMessage(t, guidedTurn)
		switch {
		case t.Role == model.RoleUser:
			asked = t.Asked
		case t.Role == model.RoleTool && asked != "":
			m.Text += "\n\nThe request: " + shortened(asked)
		}
		req.Messages = append(req.Messages, m)
	}
	return req
}

// shortened keeps the beginning of a request that results are followed by, so that a small model does not lose sight of it.
func shortened(asked string) string {
	const most = 300
	if len(asked) <= most {
		return asked
	}
	cut := strings.LastIndexByte(asked[:most], ' ')
	if cut < most/2 {
		cut = most
	}
	return strings.ToValidUTF8(asked[:cut], "") + " …"
}

func guidedPrompt(tools []model.Tool) string {
	if len(tools) == 0 {
		return ""
	}
	return "Reply with one JSON object. First decide what to do next: \"look\" into files, \"change\" files, \"run\" a command, " +
		"\"compute\", or \"talk\" to the user.\n{\"do\": \"look\", \"tool\": NAME, \"arguments\": {...}}; the next message brings the result. " +
		"{\"do\": \"talk\", \"answer\": TEXT} when all that was asked is done, or for a question that needs no file.\nThe tools:\n" +
		signatures(tools) + "Look with a tool instead of guessing."
}

func guidedTurn(t Turn) string {
	var blocks []string
	if t.Text != "" || len(t.Calls) == 0 {
		blocks = append(blocks, `{"do": "talk", "answer": `+string(quote(t.Text))+"}")
	}
	for _, c := range t.Calls {
		blocks = append(blocks, jsonCall(c, "tool"))
	}
	return joinLines(blocks)
}

// guidedDecoder streams the answer and holds a call until it is whole.
type guidedDecoder struct {
	text  *stream
	mode  guidedMode
	doubt []byte // JSON with which a thought began that the prompt opened: it is a call or an answer if nothing closes the thought
	body  []byte
	json  jsonScan
	value stringStream
	key   keyReader
}

type guidedMode int

const (
	guidedStart  guidedMode = iota // nothing but blanks so far
	guidedKey                      // in an object whose first key is not known
	guidedAnswer                   // inside the string of the answer
	guidedAfter                    // after that string, up to the end of the object
	guidedCall                     // in an object that may be a call
	guidedText                     // not JSON: text
	guidedExcess                   // behind the beginning of a call that was too long
)

// Push implements Decoder.
func (d *guidedDecoder) Push(c model.Chunk) []Event {
	text := c.Text
	c.Text = ""
	events := d.text.Push(c)
	for i := range len(text) {
		d.byte(text[i])
	}
	d.text.flush(false)
	return append(events, d.text.take()...)
}

// End implements Decoder.
func (d *guidedDecoder) End(complete bool) []Event {
	complete = complete && !d.text.cut
	d.endDoubt(complete)
	switch d.mode {
	case guidedKey, guidedCall:
		switch r := d.text.r; {
		case complete:
			d.call()
		case d.mode == guidedCall && r.meant(string(d.body)) != nil:
			d.text.emit(r.brokenOff(string(d.body)))
		default:
			d.text.emitText(d.body)
		}
	case guidedAnswer:
		d.text.emitText(d.value.end())
	case guidedStart, guidedAfter, guidedText, guidedExcess:
	}
	return d.text.End(complete)
}

func (d *guidedDecoder) byte(b byte) {
	switch d.mode {
	case guidedStart:
		switch {
		case d.text.mode == inThought:
			d.thoughtByte(b)
		case isSpace(b):
		case b == '{':
			d.mode, d.body, d.json, d.key = guidedKey, nil, jsonScan{}, keyReader{}
			d.byte(b)
		default:
			d.mode = guidedText
			d.text.byte(b)
		}
	case guidedKey:
		d.collect(b)
		switch d.key.next(b) {
		case keyPending:
		case keyAnswer:
			d.mode, d.value = guidedAnswer, stringStream{}
		case keyOther:
			if d.mode == guidedKey {
				d.mode = guidedCall
			}
		}
	case guidedAnswer:
		out, done := d.value.next(b)
		d.text.emitText(out)
		d.json.next(b)
		if done {
			d.mode = guidedAfter
		}
	case guidedAfter:
		if d.json.next(b) {
			d.mode = guidedStart
		}
	case guidedCall:
		d.collect(b)
	case guidedText:
		d.text.byte(b)
	case guidedExcess:
	}
}

// thoughtByte reads a thought that the prompt opened. One that begins with JSON is held until something closes it.
func (d *guidedDecoder) thoughtByte(b byte) {
	if len(d.doubt) == 0 && (b != '{' || !d.text.fresh || len(bytes.TrimSpace(d.text.hold)) > 0) || len(d.doubt) == maxCall {
		d.releaseDoubt()
		d.text.byte(b)
		return
	}
	d.doubt = append(d.doubt, b)
	if endsWith(d.doubt, d.text.thought.close) {
		d.releaseDoubt()
	}
}

// releaseDoubt says that what was held is thought.
func (d *guidedDecoder) releaseDoubt() {
	held := d.doubt
	d.doubt = nil
	for _, b := range held {
		d.text.byte(b)
	}
}

// endDoubt decides at the end of the reply: a thought that nothing closes was none.
func (d *guidedDecoder) endDoubt(complete bool) {
	if len(d.doubt) == 0 {
		return
	}
	if !complete {
		d.releaseDoubt()
		return
	}
	held := d.doubt
	d.doubt = nil
	d.text.endThought()
	for _, b := range held {
		d.byte(b)
	}
}

// collect takes one byte of an object and reads the call when it is whole.
func (d *guidedDecoder) collect(b byte) {
	if len(d.body) == maxCall {
		d.text.emit(d.text.r.broken(d.text.r.tooLong(d.body)))
		d.mode, d.body = guidedExcess, nil
		return
	}
	d.body = append(d.body, b)
	if d.json.next(b) {
		d.call()
		d.mode, d.body = guidedStart, nil
	}
}

// call reads an object that is not an answer. One that is no call at all is shown as it is.
func (d *guidedDecoder) call() {
	r := d.text.r
	drafts, ok := r.payload(string(d.body), true)
	if !ok {
		d.text.emitText(d.body)
		return
	}
	for _, draft := range drafts {
		d.text.emit(r.event(draft))
	}
}
