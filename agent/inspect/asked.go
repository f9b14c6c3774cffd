package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/internal/visible"
)

// writeOthers puts the requests on the page that are made around the one for the reply, and those of the last run.
func (r Request) writeOthers(b *strings.Builder) error {
	if len(r.All) > 1 {
		b.WriteString("\n## All requests of this Send, as far as they are known\n")
	}
	for i, asked := range r.All {
		if len(r.All) == 1 {
			break
		}
		fmt.Fprintf(b, "\n### %d of %d\n\n", i+1, len(r.All))
		if err := asked.write(b, "The parts above are of this request."); err != nil {
			return err
		}
	}
	if len(r.Sent) > 0 {
		b.WriteString("\n## The requests of the last run\n")
	}
	for i, asked := range r.Sent {
		fmt.Fprintf(b, "\n### %d of %d in the last run\n\n", i+1, len(r.Sent))
		if err := asked.write(
			b, fmt.Sprintf("It had %d messages, which the chat shows.", len(asked.Request.Messages)),
		); err != nil {
			return err
		}
	}
	return nil
}

// write puts a request on the page: why it is made, its messages and its settings. Of the chat itself only a sentence
// is written.
func (a Asked) write(b *strings.Builder, ofChat string) error {
	writeFenced(b, "", visible.Line(a.Why))
	switch {
	case a.Kind == event.ForReply:
		b.WriteString("\n" + ofChat + "\n")
		return nil
	case len(a.Body) > maxWire:
		fmt.Fprintf(b, "\nIt has %d bytes: `assent inspect --all` prints them.\n", len(a.Body))
		return nil
	}
	w, err := readBody(a.Body)
	if err != nil {
		return fmt.Errorf("the request cannot be read: %w", err)
	}
	for _, m := range w.Messages {
		b.WriteString("\nA message of the role " + visible.Line(m.Role) + ":\n\n")
		m.write(b)
	}
	b.WriteString("\nIts settings:\n\n")
	writeFenced(b, "json", indented(w.settings))
	return nil
}

// List is a JSON array of all that Send would ask the model server now, and may ask behind the reply, in order: each
// with its reason, its kind and what goes over the wire, byte for byte.
func (r Request) List() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	list := make([]map[string]any, len(r.All))
	for i, a := range r.All {
		list[i] = map[string]any{"why": a.Why, "kind": a.Kind, "body": json.RawMessage(a.Body)}
	}
	err := encoder.Encode(list)
	return out.Bytes(), err
}
