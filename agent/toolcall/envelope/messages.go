package envelope

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/scan"
)

// WithText lets a recipient stand for the user: what follows the mark is prose.
func (h Headed) WithText(recipient, mark string) grammar.Block {
	b := h.Block()
	b.RunsOn = true
	scan := b.Scan
	b.Scan = func(r *grammar.Reader) grammar.Scanner {
		inner := scan(r)
		decided := false
		return grammar.ScanFunc(func(body []byte) (grammar.Verdict, int) {
			if !decided && strings.HasSuffix(string(body[max(0, len(body)-len(mark)):]), mark) {
				decided = true
				if strings.TrimSpace(strings.TrimSuffix(string(body), mark)) == recipient {
					return grammar.Whole, 0
				}
			}
			return inner.Next(body)
		})
	}
	b.Read = func(r *grammar.Reader, f grammar.Found) ([]toolcall.Event, bool) {
		if string(bytes.TrimSpace(bytes.TrimSuffix(f.Body, []byte(mark)))) == recipient {
			return nil, true
		}
		return h.Read(r, f)
	}
	return b
}

var (
	// Recipient is where a header names who its message is for.
	Recipient = regexp.MustCompile(`to=([^\s<]+)`)
	// Channel is where a header names the channel of its message.
	Channel = regexp.MustCompile(`<\|channel\|>\s*([a-zA-Z]+)`)
)

// ScanHeader ends with the marker that begins the text; a header that has none ends where the message does.
func ScanHeader(ends []string) grammar.Scans {
	m := scan.NewMatcher(append([]string{"<|message|>", "<|start|>"}, ends...))
	return func(*grammar.Reader) grammar.Scanner {
		var state int16
		var hit int
		return grammar.ScanFunc(func(body []byte) (grammar.Verdict, int) {
			state, hit = m.Step(state, body[len(body)-1])
			switch {
			case hit == 1:
				return grammar.Whole, len("<|start|>")
			case hit >= 0:
				return grammar.Whole, 0
			case len(body) > 4*MaxHead:
				return grammar.NotCall, 0
			}
			return grammar.More, 0
		})
	}
}

// ScanFirstHeader reads the header with which a reply begins, since the prompt ends inside one; a reply that begins
// with anything else is prose.
func ScanFirstHeader(ends []string) grammar.Scans {
	header := ScanHeader(ends)
	return func(r *grammar.Reader) grammar.Scanner {
		rest := header(r)
		return grammar.ScanFunc(func(body []byte) (grammar.Verdict, int) {
			if len(body) < 32 {
				text := strings.TrimLeft(string(body), " \n")
				for _, w := range []string{"assistant", "to="} {
					if strings.HasPrefix(text, w) {
						text = ""
						break
					}
					if strings.HasPrefix(w, text) {
						return grammar.More, 0
					}
				}
				if text != "" {
					return grammar.NotCall, 0
				}
			}
			return rest.Next(body)
		})
	}
}

// ScanMessage ends with the message. One that begins with a tag is in another envelope.
func ScanMessage(ends, starts []string) grammar.Scans {
	message := ScanTagged(ends, starts, "")
	return func(r *grammar.Reader) grammar.Scanner {
		inner, decided := message(r), false
		return grammar.Skipping{Stops: inner.StopBytes, ScanFunc: func(body []byte) (grammar.Verdict, int) {
			if !decided {
				text := bytes.TrimLeft(body, scan.Whitespace)
				if decided = len(text) > 1 || len(text) == 1 && text[0] != '<'; len(text) > 1 && text[0] == '<' &&
					text[1] != '|' {
					return grammar.NotCall, 0
				}
			}
			return inner.Next(body)
		}}
	}
}

// HarmonyCall reads a message to a tool: its header is the opener.
func HarmonyCall(r *grammar.Reader, f grammar.Found, ends []string) []toolcall.Event {
	raw, body := f.Text(ends...)
	body = strings.TrimSpace(body)
	d := grammar.Draft{Name: Group1(Recipient, f.Opener), Raw: raw}
	ok := d.Take(body, f.Final) || repairLast(r, &d, body)
	switch code := codeArgument(r, d.Name, body); {
	case ok:
	case body == "":
	case code != nil && !strings.HasPrefix(body, "{"):
		d.Arguments = code
	default:
		d.Broken = "its arguments are broken JSON"
	}
	return []toolcall.Event{r.Event(d)}
}
