package grammar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/values"
	"github.com/assent-ls/assent/internal/lazyregexp"
)

// Reader turns drafts into events for the tools of one reply.
type Reader struct {
	Catalog *catalog
	Scanned int // bytes that were searched or read, some more than once
	keys    keys
	reasons map[string]string // by the tool and what is wrong: a reply can hold the same broken call many times
}

// WithKeys is a reader of calls whose name and arguments are under these keys; the usual ones are read, too.
func (r *Reader) WithKeys(name, arguments string) *Reader {
	if r.reasons == nil {
		r.reasons = map[string]string{} // which both share
	}
	other := *r
	other.keys = keys{name, arguments}
	return &other
}

// NamedTool gives the offered tool that broken JSON names, or nil.
func (r *Reader) NamedTool(text string) *offered {
	m := nameInJSON().FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	return r.Catalog.Resolve(m[1])
}

// toolOnFirstLine gives the offered tool whose name is the first line of text, or nil.
func (r *Reader) toolOnFirstLine(text string) *offered {
	line, _, found := strings.Cut(strings.TrimSpace(text), "\n")
	if !found {
		return nil
	}
	return r.Catalog.Resolve(line)
}

// tooLong is a call that is cut at its beginning, with the tool if it says which.
func (r *Reader) tooLong(body []byte) Draft {
	return r.brokenDraft(
		string(body[:min(len(body), KeptOfExcess)]),
		fmt.Sprintf("it is longer than %d MiB, so that the rest of the reply was dropped", MaxCall>>20),
	)
}

// Payload reads calls from JSON text: an object, a list, or a wrapper round either. It gives false if the text is no
// call at all.
func (r *Reader) Payload(text string, final bool) ([]Draft, bool) {
	if value, ok := values.Repair(text, final); ok {
		if drafts := r.keys.draftsOf(value, 0); len(drafts) > 0 {
			return drafts, true
		}
	}
	for _, t := range r.Catalog.tools {
		for _, key := range slices.Backward(t.Schema().Order) {
			if !t.Schema().Properties[key].Only("string") {
				continue
			}
			fixed, changed := values.EscapeInnerQuotes(text, key)
			if !final || !changed || !strings.Contains(text, t.Name) {
				continue
			}
			if value, ok := values.Repair(fixed, final); ok {
				if drafts := r.keys.draftsOf(value, 0); len(drafts) == 1 && r.Catalog.Resolve(drafts[0].Name) == t {
					return drafts, true
				}
			}
		}
	}
	return nil, false
}

// SchemaOf is the schema of a tool; that of one which is not known allows anything.
func (r *Reader) SchemaOf(name string) *values.Schema {
	if t := r.Catalog.Resolve(name); t != nil {
		return t.Schema()
	}
	return &values.Schema{}
}

// reason gives a sentence for the model, which is made once.
func (r *Reader) reason(name, broken string, sentence func() string) string {
	key := name + "\x00" + broken
	if known, ok := r.reasons[key]; ok {
		return known
	}
	if r.reasons == nil {
		r.reasons = map[string]string{}
	}
	r.reasons[key] = sentence()
	return r.reasons[key]
}

// Event finishes a draft: it finds the tool, fits the arguments to its schema and checks that none is missing.
func (r *Reader) Event(d Draft) toolcall.Event {
	if d.Broken != "" {
		return r.Broken(d)
	}
	t := r.Catalog.Resolve(d.Name)
	if t == nil {
		return toolcall.Malformed{
			Raw: d.written(), Reason: r.reason(d.Name, "", func() string { return r.unknown(d.Name) }),
		}
	}
	members := d.Members
	if members == nil {
		var err error
		if members, err = argumentsOf(d.Arguments, !d.Unchecked); err != nil {
			d.Name, d.Broken = t.Name, "its arguments are not a JSON object"
			return r.Broken(d)
		}
	}
	members = unwrapArguments(members, t.Schema())
	for i, m := range members {
		property, _ := t.Schema().Property(m.Key)
		if m.Value != nil || !property.Allows("string") { // a string where one is wanted stays as it is
			members[i].Value = values.CoerceValue(m.JSON(), property)
		}
	}
	if missing := missing(members, t.Schema()); len(missing) > 0 {
		d.Name, d.Broken = t.Name, "it lacks "+listed(missing)
		return r.Broken(d)
	}
	return toolcall.Called{Call: toolcall.Call{ID: d.ID, Name: t.Name, Arguments: values.WriteObject(members)}}
}

// Broken explains a call that cannot run, with the schema of its tool if that is known.
func (r *Reader) Broken(d Draft) toolcall.Event {
	t := r.Catalog.Resolve(d.Name)
	if t == nil {
		return toolcall.Malformed{Raw: d.written(), Reason: r.reason("", d.Broken, func() string {
			return fmt.Sprintf("The call could not be read: %s. %s", d.Broken, r.offer())
		})}
	}
	return toolcall.Malformed{Raw: d.written(), Name: t.Name, Reason: r.reason(t.Name, d.Broken, func() string {
		return fmt.Sprintf(
			"The call of %s was not run: %s. Its arguments must be one JSON object that fits this schema: %s", t.Name,
			d.Broken, values.Compact(t.Parameters),
		)
	})}
}

func (r *Reader) unknown(name string) string {
	if near := r.Catalog.near(name); len(near) > 0 {
		return fmt.Sprintf("There is no tool %q. Nearest: %s.", name, strings.Join(near, ", "))
	}
	return fmt.Sprintf("There is no tool %q; no tools are offered.", name)
}

func (r *Reader) offer() string {
	names := make([]string, 0, len(r.Catalog.tools))
	for _, t := range r.Catalog.tools {
		if !t.Found {
			names = append(names, t.Name)
		}
	}
	if len(names) == 0 {
		return "No tools are offered."
	}
	return "The tools are: " + strings.Join(names, ", ") + "."
}

// brokenOff reports a call that was not whole when the stream ended.
func (r *Reader) brokenOff(raw string) toolcall.Event { return r.Broken(r.cutOff(raw)) }

// cutOff is such a call.
func (r *Reader) cutOff(raw string) Draft {
	return r.brokenDraft(raw, "the reply ended in the middle of it")
}

// brokenDraft is a call that cannot run, with the tool if it says which.
func (r *Reader) brokenDraft(raw, broken string) Draft {
	d := Draft{Raw: raw, Broken: broken}
	if t := r.NamedTool(raw); t != nil {
		d.Name = t.Name
	}
	return d
}

// NewReader makes a reader for the offered tools.
func NewReader(tools []model.Tool) *Reader { return &Reader{Catalog: newCatalog(tools)} }

func missing(members []values.Member, s *values.Schema) []string {
	var names []string
	for _, key := range s.Required {
		if _, found := values.Find(members, key); !found {
			names = append(names, key)
		}
	}
	return names
}

// argumentsOf reads the arguments: an object, a string that holds one, or nothing. valid says that raw is known to be
// JSON.
func argumentsOf(raw json.RawMessage, valid bool) ([]values.Member, error) {
	trimmed := bytes.TrimSpace(raw)
	switch string(trimmed) {
	case "", "null", `""`:
		return nil, nil
	}
	if valid && trimmed[0] == '{' {
		return values.SplitObject(trimmed)
	}
	if members, err := values.ReadObject(trimmed); err == nil {
		return members, nil
	}
	fixed, ok := values.Repair(string(trimmed), true)
	if !ok {
		return nil, values.ErrNotObject
	}
	return values.ReadObject(fixed)
}

// unwrapArguments takes the arguments out of a wrapper that the schema does not know.
func unwrapArguments(members []values.Member, s *values.Schema) []values.Member {
	if len(members) != 1 {
		return members
	}
	key := members[0].Key
	if _, declared := s.Properties[key]; declared ||
		!slices.Contains([]string{"arguments", "input", "parameters"}, key) {
		return members
	}
	value := members[0].JSON()
	if inner, err := argumentsOf(value, true); err == nil && value[0] != '[' {
		return inner
	}
	return members
}

func listed(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(quoted, ", ")
}

var nameInJSON = lazyregexp.New(
	`["'](?:name|tool_name|tool|function|function_name|toolName|action)["']\s*:\s*["']([^"']+)["']`,
)

// MaxCall bounds what is held of one call, or of what may be one: a model can loop inside an open tag for its whole
// context. It is far more than a context window holds, and than any tool takes.
const MaxCall = 8 << 20

// KeptOfExcess is how much of a call that was too long is reported: enough to see what it was.
const KeptOfExcess = 4 << 10
