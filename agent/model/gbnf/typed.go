package gbnf

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	mostRepeats = 100 // of what a schema counts: a grammar repeats it that often
	mostNumbers = 120 // that are listed
)

// typed gives the rule of a schema for the values of one type.
func (w *writer) typed(s schema, name string) string {
	switch name {
	case "object":
		return w.inside(func() string { return w.object(s) })
	case "array":
		return w.inside(func() string { return w.array(s) })
	case "string":
		return w.text(s)
	case "integer", "number":
		return w.numeric(s, name)
	case "boolean":
		return name
	case anything:
		return "value"
	case "null":
		return w.rule(`"null"`)
	}
	w.drop(true, "type")
	return "value"
}

// object allows the members that a schema names, in its order.
func (w *writer) object(s schema) string {
	all := slices.Clone(s.properties)
	for _, name := range s.required {
		if !slices.ContainsFunc(all, func(m member) bool { return m.name == name }) {
			all = append(all, member{name, s.additional})
		}
	}
	var members []string
	var required []bool
	for _, m := range all {
		must, rule := slices.Contains(s.required, m.name), w.value(m.value)
		switch {
		case rule != nothing:
			members = append(members, w.rule(literal(quote(m.name)+":")+" space "+rule))
			required = append(required, must)
		case must:
			return nothing
		}
	}
	switch extra := string(bytes.TrimSpace(s.additional)); {
	case len(all) > 0, s.named, extra == "false":
		return w.rule(sequence(`"{"`, w.members(members, required), `"}"`))
	case extra == "" || extra == "true" || extra == "{}":
		return "object"
	}
	rule := w.value(s.additional)
	if rule == nothing {
		return w.rule(`"{}"`)
	}
	return w.rule(`"{" ` + repeat(w.rule(`string ":" space `+rule), separator, 0, -1) + ` "}"`)
}

const separator = `"," space`

// members is the sequence of members, of which those that are not required may be left out. Which one comes first says
// how it goes on.
func (w *writer) members(rules []string, required []bool) string {
	rest := make([]string, len(rules)+1) // behind each
	for i := len(rules) - 1; i > 0; i-- {
		more := "(" + sequence(separator, rules[i]) + ")"
		if !required[i] {
			more += "?"
		}
		rest[i] = w.rule(sequence(more, rest[i+1]))
	}
	var firsts []string
	for i, rule := range rules {
		firsts = append(firsts, sequence(rule, rest[i+1]))
		if required[i] {
			return "(" + strings.Join(firsts, " | ") + ")"
		}
	}
	if len(firsts) == 0 {
		return ""
	}
	return "(" + strings.Join(firsts, " | ") + ")?"
}

// sequence is one thing behind the other, without those that are empty.
func sequence(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " ")
}

func (w *writer) array(s schema) string {
	item := w.value(s.items)
	least, most := w.bounds(s.minItems, s.maxItems, "Items")
	switch {
	case item == nothing && least > 0:
		return nothing
	case item == nothing || most == 0:
		return w.rule(`"[]"`)
	case item == "value" && least == 0 && most < 0:
		return "array"
	}
	return w.rule(`"[" ` + repeat(item, separator, least, most) + ` "]"`)
}

func (w *writer) text(s schema) string {
	least, most := w.bounds(s.minLength, s.maxLength, "Length")
	if s.pattern != nil {
		body, err := w.pattern(*s.pattern)
		if err == nil {
			w.drop(least > 0, "minLength")
			w.drop(most >= 0, "maxLength")
			return w.rule(sequence(`"\""`, body, `"\""`))
		}
		w.drop(true, "pattern")
	}
	if least == 0 && most < 0 {
		return "string"
	}
	return w.rule(sequence(`"\""`, repeat("plain", "", least, most), `"\""`)) // an escape may be half a character
}

// bounds are how often something comes. most is -1 if there is no limit.
func (w *writer) bounds(minimum, maximum *int, what string) (least, most int) {
	most = -1
	if minimum != nil {
		w.drop(*minimum > mostRepeats, "min"+what)
		least = min(max(*minimum, 0), mostRepeats)
	}
	if maximum != nil {
		w.drop(*maximum > mostRepeats || *maximum < least, "max"+what)
		if *maximum <= mostRepeats {
			most = max(*maximum, least)
		}
	}
	return least, most
}

// repeat is an item that comes again, with something between. most is -1 if there is no limit. Older servers do not
// know counts, so it is written out.
func repeat(item, between string, least, most int) string {
	next := item
	if between != "" {
		next = "(" + sequence(between, item) + ")"
	}
	tail := next + "*"
	if most >= 0 {
		tail = upTo(next, most-max(least, 1))
	}
	all := sequence(append(append([]string{item}, slices.Repeat([]string{next}, max(least-1, 0))...), tail)...)
	switch {
	case most == 0:
		return ""
	case least == 0:
		return "(" + all + ")?"
	}
	return all
}

// upTo is something that comes up to n times.
func upTo(item string, n int) string {
	if n <= 0 {
		return ""
	}
	return strings.Repeat("("+item+" ", n-1) + item + "?" + strings.Repeat(")?", n-1)
}

// numeric allows numbers from zero or one on, and whole numbers between two that are near each other. Of other limits
// nothing is held.
func (w *writer) numeric(s schema, name string) string {
	least := math.Inf(-1)
	if s.minimum != nil {
		least = *s.minimum
		switch {
		case name == "integer" && s.above:
			least = math.Floor(least) + 1
		case name == "integer":
			least = math.Ceil(least)
		}
	}
	if name == "integer" && s.maximum != nil {
		from, to := math.Ceil(least), math.Floor(*s.maximum)
		if count := to - from + 1; count >= 1 && count <= mostNumbers && math.Abs(from) < 1e15 {
			var all []string
			for i := range int(count) {
				all = append(all, literal(strconv.FormatInt(int64(from)+int64(i), 10)))
			}
			return w.rule(strings.Join(all, " | "))
		}
	}
	w.drop(s.maximum != nil, "maximum")
	switch {
	case s.minimum == nil:
		return name
	case name == "number":
		w.drop(least > 0 || s.above, "minimum")
		if least < 0 {
			break
		}
		return "size"
	case least == 0:
		return "natural"
	case least >= 1:
		w.drop(least > 1, "minimum")
		return "positive"
	}
	w.drop(true, "minimum")
	return name
}

// literal is a text as a grammar writes it.
func literal(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text) + `"`
}

// quote writes a string as JSON, as models write it: without escapes that are for pages.
func quote(text string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string is always written
	return strings.TrimSuffix(b.String(), "\n")
}

// compact is a value as JSON on one line. Strings are written anew, since models write few escapes.
func compact(v json.RawMessage) string {
	var b bytes.Buffer
	if text := ""; json.Unmarshal(v, &text) == nil && bytes.HasPrefix(bytes.TrimSpace(v), []byte(`"`)) {
		return quote(text)
	}
	_ = json.Compact(&b, v) // it is JSON
	return b.String()
}
