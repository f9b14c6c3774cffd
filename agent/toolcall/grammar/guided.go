package grammar

import (
	"bytes"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// GuidedDecoder streams the answer and holds a call until it is whole.
type GuidedDecoder struct {
	text *Decoder
	mode guidedMode
	// JSON with which a thought began that the prompt opened: it is a call or an answer if nothing closes the thought
	heldThought []byte
	body        []byte
	json        values.Scan
	value       values.StringStream
	key         keyReader
}

// OfferAll makes every plain name count as offered.
func (d *GuidedDecoder) OfferAll() { d.text.OfferAll() }

// Scanned is how many bytes were read or searched, some more than once.
func (d *GuidedDecoder) Scanned() int { return d.text.Scanned() }

// Push implements Decoder.
func (d *GuidedDecoder) Push(c model.Chunk) []toolcall.Event {
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
func (d *GuidedDecoder) End(complete bool) []toolcall.Event {
	complete = complete && !d.text.hitLimit
	d.endHeldThought(complete)
	switch d.mode {
	case guidedKey, guidedCall:
		switch r := d.text.r; {
		case complete:
			d.call()
		case d.mode == guidedCall && r.NamedTool(string(d.body)) != nil:
			d.text.emit(r.brokenOff(string(d.body)))
		default:
			d.text.emitText(d.body)
		}
	case guidedAnswer:
		d.text.emitText(d.value.End())
	case guidedStart, guidedAfter, guidedText, guidedExcess:
	}
	return d.text.End(complete)
}

func (d *GuidedDecoder) byte(b byte) {
	switch d.mode {
	case guidedStart:
		switch {
		case d.text.mode == inThought:
			d.thoughtByte(b)
		case scan.IsSpace(b):
		case b == '{':
			d.mode, d.body, d.json, d.key = guidedKey, nil, values.Scan{}, keyReader{}
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
			d.mode, d.value = guidedAnswer, values.StringStream{}
		case keyOther:
			if d.mode == guidedKey {
				d.mode = guidedCall
			}
		}
	case guidedAnswer:
		out, done := d.value.Next(b)
		d.text.emitText(out)
		d.json.Next(b)
		if done {
			d.mode = guidedAfter
		}
	case guidedAfter:
		if d.json.Next(b) {
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
func (d *GuidedDecoder) thoughtByte(b byte) {
	if len(d.heldThought) == 0 && (b != '{' || !d.text.fresh || len(bytes.TrimSpace(d.text.uncertain)) > 0) ||
		len(d.heldThought) == MaxCall {
		d.releaseThought()
		d.text.byte(b)
		return
	}
	d.heldThought = append(d.heldThought, b)
	if scan.EndsWith(d.heldThought, d.text.thought.Close) {
		d.releaseThought()
	}
}

// releaseThought says that what was held is thought.
func (d *GuidedDecoder) releaseThought() {
	held := d.heldThought
	d.heldThought = nil
	for _, b := range held {
		d.text.byte(b)
	}
}

// endHeldThought decides at the end of the reply: a thought that nothing closes was none.
func (d *GuidedDecoder) endHeldThought(complete bool) {
	if len(d.heldThought) == 0 {
		return
	}
	if !complete {
		d.releaseThought()
		return
	}
	held := d.heldThought
	d.heldThought = nil
	endThought(d.text)
	for _, b := range held {
		d.byte(b)
	}
}

// collect takes one byte of an object and reads the call when it is whole.
func (d *GuidedDecoder) collect(b byte) {
	if len(d.body) == MaxCall {
		d.text.emit(d.text.r.Broken(d.text.r.tooLong(d.body)))
		d.mode, d.body = guidedExcess, nil
		return
	}
	d.body = append(d.body, b)
	if d.json.Next(b) {
		d.call()
		d.mode, d.body = guidedStart, nil
	}
}

// call reads an object that is not an answer. One that is no call at all is shown as it is.
func (d *GuidedDecoder) call() {
	r := d.text.r
	drafts, ok := r.Payload(string(d.body), true)
	if !ok {
		d.text.emitText(d.body)
		return
	}
	for _, draft := range drafts {
		d.text.emit(r.Event(draft))
	}
}

// NewGuidedDecoder starts decoding. prompted says that the prompt already opened a thought.
func NewGuidedDecoder(g, foreign *Grammar, tools []model.Tool, prompted bool) *GuidedDecoder {
	return &GuidedDecoder{text: NewDecoder(g, foreign, tools, prompted)}
}

type guidedMode int

const (
	guidedStart  guidedMode = iota // nothing but whitespace so far
	guidedKey                      // in an object whose first key is not known
	guidedAnswer                   // inside the string of the answer
	guidedAfter                    // after that string, up to the end of the object
	guidedCall                     // in an object that may be a call
	guidedText                     // not JSON: text
	guidedExcess                   // behind the beginning of a call that was too long
)

// keyReader reads the first key of a JSON object up to the quote that opens its value.
type keyReader struct {
	key []byte
	// 0: before the key, 1: in it, 2: after it, 3: after the colon; 4 to 7 the same for the value of such a key
	state int
}

func (k *keyReader) next(b byte) keyVerdict {
	switch {
	case k.state == 0 && b == '"':
		k.state = 1
	case k.state == 1 && b == '"':
		k.state = 2
		switch string(k.key) {
		case "answer", "response":
		case "do", "done":
			k.state = 4
		default:
			return keyOther
		}
	case k.state == 1:
		if k.key = append(k.key, b); len(k.key) > len("response") {
			return keyOther
		}
	case k.state == 2 && b == ':':
		k.state = 3
	case k.state == 3 && b == '"':
		return keyAnswer
	case k.state == 4 && b == ':':
		k.state = 5
	case k.state == 5 && b == '"':
		k.state = 6
	case k.state == 6 && b == '"':
		k.state = 7
	case k.state == 6 && b != '\\':
	case k.state == 7 && b == ',':
		k.key, k.state = nil, 0
	case scan.IsSpace(b) || k.state == 0 && b == '{':
	default:
		return keyOther
	}
	return keyPending
}

type keyVerdict int

const (
	keyPending keyVerdict = iota
	keyAnswer             // the value of an answer begins after this byte
	keyOther              // anything else
)
