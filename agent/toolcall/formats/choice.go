package formats

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
)

// Choice is what a user chose about formats. The zero value leaves all to the profile of the model.
type Choice struct {
	// Only is the format in which tools are described and calls are written and read. Calls in others run under the
	// stricter rules of grammar.Foreign. Empty: see Primary.
	Only string
	// Primary is the format in which tools are described and earlier calls are written, before those of the profile.
	Primary string
	// Enabled are the only formats whose calls run; nil: all.
	Enabled []string
}

// Check says in a sentence what is wrong with a choice; nil: nothing. Names that do not exist are told with those that
// do.
func (f Finder) Check(c Choice) error {
	for _, name := range slices.Concat([]string{c.Only, c.Primary}, c.Enabled) {
		if name == "" {
			continue
		}
		if _, err := f.ByName(name); err != nil {
			known := Names()
			for _, d := range f.declared {
				known = append(known, d.Name)
			}
			return fmt.Errorf("%w; the formats are %s", err, strings.Join(known, ", "))
		}
	}
	for _, name := range []string{c.Only, c.Primary} {
		if name != "" && !f.Enables(c.Enabled, name) {
			return notEnabled(name, c.Enabled)
		}
	}
	return nil
}

func notEnabled(name string, enabled []string) error {
	return fmt.Errorf(
		"tools cannot be described in the format %s, whose calls would not run: toolCallEnabled has only %s", name,
		strings.Join(enabled, ", "),
	)
}

// Enables reports whether the calls of a format run; nil: those of all do.
func (f Finder) Enables(enabled []string, name string) bool {
	return enabled == nil || slices.ContainsFunc(enabled, func(e string) bool { return f.same(e, name) })
}

// same reports whether two names are those of one format.
func (f Finder) same(a, b string) bool {
	x, errX := f.ByName(strings.TrimSuffix(a, openThought))
	y, errY := f.ByName(strings.TrimSuffix(b, openThought))
	return errX == nil && errY == nil && x.Name() == y.Name()
}

// Choose is [Finder.ForModel] with a user's choice. If none of the profile's formats is enabled, the first enabled one
// that can be described in a prompt takes their place. The error is one sentence.
func (f Finder) Choose(names []string, opened bool, c Choice) (toolcall.Format, error) {
	if err := f.Check(c); err != nil {
		return nil, err
	}
	if c.Primary != "" {
		names = append([]string{c.Primary}, slices.DeleteFunc(slices.Clone(names), func(n string) bool {
			return f.same(n, c.Primary)
		})...)
	}
	if c.Enabled == nil {
		if c.Only != "" {
			return f.ByName(c.Only)
		}
		return f.ForModel(names, opened)
	}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !f.Enables(c.Enabled, n) })
	if len(names) == 0 {
		names = slices.DeleteFunc(slices.Clone(c.Enabled), func(n string) bool { return n == nativeName })
	}
	if len(names) == 0 { // no call runs in any of them, and text describes the tools of any model
		names = []string{textName}
	}
	all, err := f.ByName(c.Only)
	if c.Only == "" {
		all, err = f.ForModel(names, opened)
	}
	if err != nil {
		return nil, err
	}
	return limited{
		Format: f.among(all, c.Enabled), all: all, enabled: c.Enabled, native: f.Enables(c.Enabled, nativeName),
	}, nil
}

// among is a format that looks for the envelopes of enabled formats alone.
func (f Finder) among(format toolcall.Format, enabled []string) toolcall.Format {
	var families []*grammar.Grammar
	for _, e := range entries() {
		if f.Enables(enabled, e.info.Name) {
			families = append(families, grammarOf(e.format))
		}
	}
	narrowed := *format.(*family)
	narrowed.others = grammar.Foreign(families)
	return &narrowed
}

// limited is a format beside which only the calls of enabled formats run.
type limited struct {
	toolcall.Format
	all     toolcall.Format // reads the calls of all formats
	enabled []string
	native  bool // calls in the server's own field run
}

// Decoder implements Format.
func (f limited) Decoder(tools []model.Tool) toolcall.Decoder {
	return &limitedDecoder{format: f, inner: f.Format.Decoder(tools), all: f.all.Decoder(tools)}
}

// limitedDecoder reads a reply twice: as what runs, and as what any format would make of it, to tell what does not run.
type limitedDecoder struct {
	format      limited
	inner, all  toolcall.Decoder
	made, meant []toolcall.Call
	words       bool // there is text besides calls of any format
}

// Push implements Decoder.
func (d *limitedDecoder) Push(c model.Chunk) []toolcall.Event {
	d.watch(d.all.Push(c))
	if !d.format.native {
		c.Calls = nil
	}
	return d.keep(d.inner.Push(c))
}

// End implements Decoder.
func (d *limitedDecoder) End(complete bool) []toolcall.Event {
	d.watch(d.all.End(complete))
	events := d.keep(d.inner.End(complete))
	left := slices.DeleteFunc(d.meant, func(c toolcall.Call) bool {
		return slices.ContainsFunc(d.made, func(m toolcall.Call) bool {
			return m.Name == c.Name && string(m.Arguments) == string(c.Arguments)
		})
	})
	if len(left) == 0 {
		return events
	}
	var last []toolcall.Event
	events = slices.DeleteFunc(events, func(e toolcall.Event) bool {
		_, quoted := e.(toolcall.Quoted)
		_, unclosed := e.(toolcall.Unclosed)
		if unclosed {
			last = append(last, e)
		}
		return quoted || unclosed
	})
	return slices.Concat(events, []toolcall.Event{d.notice(left[0])}, last)
}

func (d *limitedDecoder) notice(c toolcall.Call) toolcall.Event {
	which := "no format is enabled"
	if len(d.format.enabled) > 0 {
		which = "only calls in the formats " + strings.Join(d.format.enabled, ", ") + " run"
	}
	return toolcall.Quoted{
		Name: c.Name, Alone: !d.words && len(d.made) == 0,
		Reason: fmt.Sprintf(
			"The call of %s in this reply was shown and not made, because %s: if it was meant, write it in the form "+
				"that you were told, and if it was only to be shown, nothing needs to be done.", c.Name, which,
		),
	}
}

// watch keeps what any format makes of the reply.
func (d *limitedDecoder) watch(events []toolcall.Event) {
	for _, e := range events {
		switch e := e.(type) {
		case toolcall.Called:
			d.meant = append(d.meant, e.Call)
		case toolcall.Text:
			d.words = d.words || strings.TrimSpace(e.Text) != ""
		case toolcall.Thinking, toolcall.Malformed, toolcall.Quoted, toolcall.Unclosed:
		}
	}
}

// keep keeps which calls run.
func (d *limitedDecoder) keep(events []toolcall.Event) []toolcall.Event {
	for _, e := range events {
		if c, ok := e.(toolcall.Called); ok {
			d.made = append(d.made, c.Call)
		}
	}
	return events
}
