package transcript

import (
	"encoding/json"
	"strings"
	"time"
)

const notSent = "not-sent"

// RoundTook rounds a duration to what a result shows: whole milliseconds below a second, tenths of a second above.
func RoundTook(d time.Duration) time.Duration {
	switch {
	case d <= 0:
		return 0
	case d < time.Second:
		return max(d.Round(time.Millisecond), time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}

// header is the info string of a reserved block: its word, its fields, and the flag not-sent.
type header struct {
	word    string
	fields  []string
	notSent bool
}

func parseHeader(info string) header {
	words := strings.Fields(info)
	if len(words) == 0 {
		return header{}
	}
	h := header{word: words[0]}
	for _, w := range words[1:] {
		if w == notSent {
			h.notSent = true
			continue
		}
		h.fields = append(h.fields, w)
	}
	return h
}

// field returns a decoded field, or "" if there are not so many.
func (h header) field(i int) string {
	if i >= len(h.fields) {
		return ""
	}
	return decodeField(h.fields[i])
}

// rest returns the decoded fields from the first on, with spaces between them.
func (h header) rest() string {
	var decoded []string
	for _, f := range h.fields {
		decoded = append(decoded, decodeField(f))
	}
	return strings.Join(decoded, " ")
}

func (h header) String() string {
	all := append([]string{h.word}, h.fields...)
	if h.notSent {
		all = append(all, notSent)
	}
	return strings.Join(all, " ")
}

// reserved reports whether fences with this word are blocks in a turn of this role.
func reserved(role Role, word string) bool {
	if role == You {
		return word == "context" || word == "reason" || word == "answer"
	}
	return role == Assistant && reservedWords[word]
}

// newBlock reads a reserved block. problem is a sentence for the person if something in it cannot be read.
func newBlock(f fence, body string, span Span) (b Block, problem string) {
	h := parseHeader(f.info)
	switch h.word {
	case "thinking":
		return Thinking{Text: NormalText(f.unescapeClosers(decodeBody(body))), NotSent: h.notSent, Span: span}, ""
	case "context":
		return Context{Name: h.rest(), Text: decodeBody(body), NotSent: h.notSent, Span: span}, ""
	case "reason":
		problem = h.expect(1, "a reason block is written as `reason ID`")
		return Reason{ID: h.field(0), Text: decodeBody(body), NotSent: h.notSent, Span: span}, problem
	case "answer":
		problem = h.expect(1, "an answer block is written as `answer ID`")
		return Answer{ID: h.field(0), Text: decodeBody(body), NotSent: h.notSent, Span: span}, problem
	case "tool":
		return newCall(h, body, span)
	case "malformed":
		return newMalformed(h, body, span)
	}
	return newResult(h, body, span)
}

func (h header) expect(n int, usage string) string {
	if len(h.fields) != n {
		return sentence(usage)
	}
	return ""
}

func newCall(h header, body string, span Span) (Block, string) {
	c := Call{Tool: h.field(0), ID: h.field(1), NotSent: h.notSent, Span: span}
	c.Problem = h.expect(2, "a call is written as `tool NAME ID`")
	if c.Problem == "" {
		arguments, err := ParseArguments(body)
		if err == nil {
			c.Arguments = arguments
			return c, ""
		}
		c.Problem = sentence(err.Error())
	}
	c.Raw = decodeBody(body)
	return c, c.Problem
}

func newMalformed(h header, body string, span Span) (Block, string) {
	m := Malformed{ID: h.field(0), NotSent: h.notSent, Span: span}
	problem := h.expect(1, "a call that could not be read is written as `malformed ID`")
	args, err := parseLabels(body)
	for _, a := range args {
		var text string
		if json.Unmarshal(a.value, &text) != nil {
			text = string(a.value)
		}
		switch a.name {
		case "reason":
			m.Reason = text
		case "wrote":
			m.Raw = text
		}
	}
	if err != nil {
		m.Raw, problem = decodeBody(body), sentence(err.Error())
	}
	return m, problem
}

func newResult(h header, body string, span Span) (Block, string) {
	r := Result{ID: h.field(0), Status: Status(h.field(1)), Text: decodeBody(body), NotSent: h.notSent, Span: span}
	const usage = "a result is written as `result ID ok|error|denied|not-run|stopped TIME`"
	problem := ""
	if !r.Status.known() {
		r.Status, problem = NotRun, sentence(usage)
	}
	if len(h.fields) > 2 {
		took, err := time.ParseDuration(h.fields[2])
		if err != nil || took < 0 || len(h.fields) > 3 {
			problem = sentence(usage)
		}
		r.Took = RoundTook(took)
	}
	return r, problem
}

// sentence makes a clause a sentence.
func sentence(clause string) string {
	return strings.ToUpper(clause[:1]) + clause[1:] + "."
}

// isCloser reports whether a line, without the backslashes after its indentation, closes the fence; if it is not whole,
// whether it might with more text.
func (f fence) isCloser(line string, whole bool) bool {
	at := leading(line, ' ')
	if at > maxIndent {
		return false
	}
	rest := line[at:]
	rest = rest[leading(rest, '\\'):]
	n := leading(rest, f.char)
	return (n >= f.size || !whole && n == len(rest)) && isBlank(rest[n:])
}

// unescapeClosers takes away the backslash that was put before each line that would have closed the fence. Lines that
// began with a backslash before such a line got one more, so they get back what they had.
func (f fence) unescapeClosers(text string) string {
	if !strings.Contains(text, `\`+f.String()) {
		return text
	}
	return mapLines(text, func(line string) string {
		if at := leading(line, ' '); f.isCloser(line, true) && line[at] == '\\' {
			return line[:at] + line[at+1:]
		}
		return line
	})
}

// Fence is a fence that is longer than any run of backticks in a text, so that no line of it closes the fence.
func Fence(text string) string { return strings.Repeat("`", max(3, longestRun(text)+1)) }

// formatBlock writes a block. body has no line end of its own unless it is a part of the text.
func formatBlock(h header, body string) string {
	ticks := Fence(body)
	if body != "" {
		body += "\n"
	}
	return ticks + h.String() + "\n" + body + ticks
}

func longestRun(s string) int {
	longest := 0
	for {
		i := strings.IndexByte(s, '`')
		if i < 0 {
			return longest
		}
		n := leading(s[i:], '`')
		longest = max(longest, n)
		s = s[i+n:]
	}
}

func formatCall(c Call) string {
	body, err := FormatArguments(c.Arguments)
	if err != nil {
		if body = c.Raw; body == "" {
			body = string(c.Arguments)
		}
		body = encodeBody(body)
	}
	h := header{"tool", []string{encodeField(c.Tool), encodeField(c.ID)}, c.NotSent}
	return formatBlock(h, strings.TrimSuffix(body, "\n"))
}

func formatMalformed(m Malformed) string {
	var b strings.Builder
	b.WriteString("reason:")
	writeText(&b, strings.ToValidUTF8(m.Reason, "\uFFFD"))
	b.WriteString("wrote:")
	writeText(&b, strings.ToValidUTF8(m.Raw, "\uFFFD"))
	h := header{"malformed", []string{encodeField(m.ID)}, m.NotSent}
	return formatBlock(h, strings.TrimSuffix(b.String(), "\n"))
}

func formatResult(r Result) string {
	if !r.Status.known() {
		r.Status = NotRun
	}
	h := header{"result", []string{encodeField(r.ID), string(r.Status)}, r.NotSent}
	if took := RoundTook(r.Took); took > 0 {
		h.fields = append(h.fields, took.String())
	}
	return formatBlock(h, encodeBody(r.Text))
}

func formatContext(c Context) string {
	h := header{word: "context", notSent: c.NotSent}
	if c.Name != "" {
		for f := range strings.SplitSeq(c.Name, " ") {
			h.fields = append(h.fields, encodeField(f))
		}
	}
	return formatBlock(h, encodeBody(c.Text))
}

// formatOwn writes a block of the user's own words, with an empty line where they are to be written.
func formatOwn(word, id string, notSent bool, text string) string {
	h := header{word, []string{encodeField(id)}, notSent}
	if text == "" {
		const ticks = "````" // so that code with a fence of its own can be pasted
		return ticks + h.String() + "\n\n" + ticks
	}
	return formatBlock(h, encodeBody(text))
}
