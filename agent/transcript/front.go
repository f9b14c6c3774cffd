package transcript

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"
	"go.yaml.in/yaml/v3"

	"github.com/assent-ls/assent/internal/visible"
)

// maxFront bounds the front matter in bytes: it is a few lines, and YAML is costly to read.
const maxFront = 64 << 10

const byteOrderMark = "\uFEFF"

// parseFront reads the front matter and returns where the rest of the document begins.
func parseFront(text string, chat *Chat) int {
	begin := 0
	if strings.HasPrefix(text, byteOrderMark) {
		begin = len(byteOrderMark)
	}
	walk := newLines(text, begin)
	opening, ok := walk.next()
	if !ok || strings.TrimRight(text[opening.Start:opening.End], " \t") != "---" {
		return begin
	}
	body := walk.pos
	for {
		line, ok := walk.next()
		if !ok || line.Start-body > maxFront {
			chat.report(Problem{
				Span: opening, Message: "The front matter that begins here is not closed by a line `---`.",
			})
			return begin
		}
		if s := strings.TrimRight(text[line.Start:line.End], " \t"); s == "---" || s == "..." {
			chat.Front.Span = Span{opening.Start, line.End}
			readFront(normalNewlines(text[body:line.Start]), chat)
			return walk.pos
		}
	}
}

// fields are the keys of the front matter, besides those of Sampling.
var fields = []string{"model", "title", "tools", "mode", "prompt", "think"}

// readFront reads the YAML between the fences. Keys that are not ours are the person's, and it is said that nothing
// reads them.
func readFront(source string, chat *Chat) {
	front := &chat.Front
	report := func(message string) { chat.report(Problem{Span: front.Span, Message: message}) }
	var keys map[string]yaml.Node
	if err := unmarshal(source, &keys); err != nil {
		report("The front matter is not valid YAML: " + visible.Line(strings.TrimPrefix(err.Error(), "yaml: ")) + ".")
		return
	}
	chat.Problems = append(chat.Problems, unread(keys, front)...)
	for _, key := range fields {
		node, ok := keys[key]
		if !ok {
			continue
		}
		must := func(what string) { report("In the front matter, `" + key + "` must be " + what + ".") }
		text := func(into *string, what string) {
			if node.Decode(into) != nil || node.Kind != yaml.ScalarNode {
				must(what)
			}
		}
		switch key {
		case "model":
			text(&front.Model, "a name")
		case "title":
			text(&front.Title, "a text")
		case "prompt":
			text(&front.Prompt, "the name of a preset")
		case "tools":
			if node.Decode(&front.Tools) != nil || node.Kind != yaml.SequenceNode {
				front.Tools = []string{} // it was meant to narrow the tools: none is the safe reading
				must("a list of names, such as `[read_file, edit_file]`")
			}
		case "think":
			if front.Think, ok = thinkOf(node); !ok {
				last := len(ThinkValues) - 1
				values := strings.Join(ThinkValues[:last], ", ") + " or " + ThinkValues[last]
				must(values + meant(node.Value, ThinkValues))
			}
		case "mode":
			if node.Decode(&front.Mode) != nil || front.Mode != "plan" && front.Mode != "ask" {
				front.Mode = "plan" // it was meant to narrow what runs
				report("In the front matter, `mode` may be plan or ask" + meant(node.Value, []string{"plan", "ask"}) +
					". A chat can only ask for less: other modes are a setting of yours.")
			}
		}
	}
	readSampling(keys, front, report)
	for _, kept := range []*string{&front.Model, &front.Title, &front.Mode, &front.Prompt, &front.Think} {
		*kept = strings.Clone(*kept) // it must not keep the whole text in memory
	}
}

// unread says which keys nothing reads, with the one that was probably meant. A key that was meant to narrow what runs
// is a mistake, which narrows it to the least; others may be the person's own.
func unread(keys map[string]yaml.Node, front *Front) (problems []Problem) {
	known := slices.Clone(fields)
	for field := range reflect.TypeFor[Sampling]().Fields() {
		known = append(known, field.Tag.Get("yaml"))
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if slices.Contains(known, key) {
			continue
		}
		shown := visible.Shorten(visible.Line(key), 40)
		mode, tools := strings.EqualFold(key, "mode"), strings.EqualFold(key, "tools")
		if mode {
			front.Mode = "plan"
		}
		if tools {
			front.Tools = []string{}
		}
		message := "Nothing reads `" + shown + "` in the front matter"
		if mode || tools {
			message = "In the front matter there is no key `" + shown + "`"
		}
		problems = append(problems, Problem{
			Span: front.Span, Hint: !mode && !tools, Message: message + meant(key, known) + ".",
		})
	}
	return problems
}

// meant ends a sentence with the word that was probably meant; empty: none was.
func meant(word string, known []string) string {
	lower := strings.ToLower(word)
	for most := range 3 {
		for _, k := range known {
			if len(word) < 40 && len(k) > most+2 && levenshtein.ComputeDistance(lower, k) <= most {
				return ": perhaps you mean `" + k + "`"
			}
		}
	}
	return ""
}

// ThinkValues are what the line `think` of the front matter may say.
var ThinkValues = []string{"true", "false", "low", "medium", "high"}

// thinkOf reads how much the model shall think; empty where nothing is.
func thinkOf(node yaml.Node) (value string, ok bool) {
	if node.Tag == "!!null" {
		return "", true
	}
	if node.Decode(&value) != nil || node.Kind != yaml.ScalarNode || !slices.Contains(ThinkValues, value) {
		return "", false
	}
	return value, true
}

// readSampling reads the numbers that say how tokens are picked.
func readSampling(keys map[string]yaml.Node, front *Front, report func(string)) {
	for field, value := range reflect.ValueOf(&front.Sampling).Elem().Fields() {
		tag, kind := field.Tag, field.Type.Elem()
		node, ok := keys[tag.Get("yaml")]
		if !ok || node.Tag == "!!null" {
			continue
		}
		var number float64
		least, _ := strconv.ParseFloat(tag.Get("min"), 64) // a tag of ours
		most, _ := strconv.ParseFloat(tag.Get("max"), 64)
		called, whole := "number", kind.Kind() == reflect.Int
		if whole {
			called = "whole number"
		}
		if node.Decode(&number) != nil || !(number >= least && number <= most) ||
			whole && number != math.Trunc(number) {
			report(fmt.Sprintf(
				"In the front matter, `%s` must be a %s from %s to %s.", tag.Get("yaml"), called, tag.Get("min"),
				tag.Get("max"),
			))
			continue
		}
		value.Set(reflect.New(kind))
		value.Elem().Set(reflect.ValueOf(number).Convert(kind))
	}
}

// unmarshal reads YAML; the library has panicked on hostile input before, and a document must never end the server.
func unmarshal(source string, into any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it cannot be read (%v)", r)
		}
	}()
	return yaml.Unmarshal([]byte(source), into)
}

// SetFront is the edit that gives a key of the front matter a value: what is at a place becomes the text. front is
// what the document has in the place of its front matter, its hyphens included.
func (c *Chat) SetFront(front, key, value string) (at Span, text string) {
	line := key + ": " + scalar(value)
	if c.Front.Span.Start == c.Front.Span.End {
		return Span{}, "---\n" + line + "\n---\n\n"
	}
	start, all := c.Front.Span.Start, newLines(front, 0)
	all.next() // the hyphens that open it
	for {
		span, ok := all.next()
		switch whole := (Span{start + span.Start, start + span.End}); {
		case !ok:
			return Span{c.Front.Span.End, c.Front.Span.End}, ""
		case strings.HasPrefix(front[span.Start:], key+":"):
			return whole, line
		case span.End == len(front): // the hyphens that close it
			return Span{whole.Start, whole.Start}, line + "\n"
		}
	}
}

// formatFront writes front matter, or nothing if it is empty.
func formatFront(f Front) string {
	var b strings.Builder
	text := func(key, value string) {
		if value != "" {
			b.WriteString(key + ": " + scalar(value) + "\n")
		}
	}
	text("model", f.Model)
	text("title", f.Title)
	if f.Tools != nil {
		names := make([]string, len(f.Tools))
		for i, name := range f.Tools {
			names[i] = scalar(name)
		}
		b.WriteString("tools: [" + strings.Join(names, ", ") + "]\n")
	}
	text("mode", f.Mode)
	text("prompt", f.Prompt)
	if f.Think != "" {
		b.WriteString("think: " + f.Think + "\n") // not quoted: true and false are no texts in YAML
	}
	for field, v := range reflect.ValueOf(f.Sampling).Fields() {
		if !v.IsNil() {
			fmt.Fprintf(&b, "%s: %v\n", field.Tag.Get("yaml"), v.Elem())
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "---\n" + b.String() + "---\n"
}

// scalar writes a YAML string as it is where that is safe inside a list too, else in double quotes.
func scalar(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if isScalar(s) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case unprintable(r):
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// isScalar reports whether s, without quotes, is read as the string s both after a key and in a list.
func isScalar(s string) bool {
	if strings.ContainsAny(s, ",[]{}") || firstEncoded(s, unprintable) >= 0 {
		return false
	}
	var value struct{ Key any }
	var list []any
	return unmarshal("key: "+s, &value) == nil && value.Key == s &&
		unmarshal("["+s+"]", &list) == nil && len(list) == 1 && list[0] == s
}

// unprintable reports what a YAML scalar shows as an escape.
func unprintable(r rune) bool { return r < ' ' || hidden(r) || r == 0xFFFE || r == 0xFFFF }
