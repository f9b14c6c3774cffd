package transcript

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"time"
)

// fragments are what generated texts are made of: all that means something to the grammar, and some plain text.
var fragments = strings.Split("## You|## Assistant|##\tYou ##|## Your|### You|```|````|`````|~~~|~~~~|```tool read_file c1|```\\tool|"+
	"``` result c1 ok|```result|~~~context x|```thinking|```go|`|``|tool|reason|answer|path: a|path: |text: |-\\|  |    |\t| |  |\n|\n|\n|\n\n|\n\n\n|"+
	"\r|\r\n|<!--|-->|<!-- assent: closed -->|\\|\\\\|\\<!-- assent: closed -->|\\## You|<pre>|</pre>|<div>|<b>|<?|?>|<!X|>|> |- |1. |10) |* * *|---|===|"+
	"-|foo|bar baz|é|日本|👍🏽|\u202E|\u200B|\u00A0|\uFEFF|\x00|\x1b[31m|\x7f|\xff|\xc3|<U+202E>|<U+|<U+000A>|<0xFF>|<|>|\"|{|[|{\"a\":1}|"+
	"![result c1](x.png)|![context a](|![](|](|)|![result |true|12|null|%2D|%|not-sent|context|:|'|\u2028|\U000E0041|#|##|=|_|+|"+
	"![|](command:a)|](/a)|](http://a)|](/a \"b\")|[a]: command:b|[a]: /b|]:|[a]|][|<img src=x>|</a>|<http://a>|<a@b.c>|<`@b.c>|@|command:|&#58;|!", "|")

func mixed(r *rand.Rand, most int) string {
	var b strings.Builder
	for range r.IntN(most + 1) {
		b.WriteString(fragments[r.IntN(len(fragments))])
	}
	return b.String()
}

func jsonValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(9); {
	case n < 4 || depth == 0:
		return mixed(r, 8)
	case n == 4:
		return json.Number([]string{"0", "-1", "1.0", "1e400", "12345678901234567890"}[r.IntN(5)])
	case n == 5:
		return []any{true, false, nil}[r.IntN(3)]
	case n == 6:
		return []any{jsonValue(r, depth-1), jsonValue(r, depth-1)}
	default:
		return map[string]any{mixed(r, 2): jsonValue(r, depth-1)}
	}
}

func arguments(r *rand.Rand) json.RawMessage {
	object := map[string]any{}
	for range r.IntN(4) {
		name := []string{"path", "content", "old_text", "a.b-c", mixed(r, 3)}[r.IntN(5)]
		object[name] = jsonValue(r, 2)
	}
	raw, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return raw
}

// block makes a random block. Texts are not normal yet.
func block(r *rand.Rand, role Role) Block {
	flag := r.IntN(4) == 0
	n := r.IntN(8)
	if role == You {
		n = []int{0, 5, 6, 7, 8}[r.IntN(5)]
	}
	switch n {
	case 1:
		return Thinking{Text: mixed(r, 12), NotSent: flag}
	case 2:
		return Call{ID: mixed(r, 2), Tool: mixed(r, 2), Arguments: arguments(r), NotSent: flag}
	case 3:
		return Malformed{ID: mixed(r, 2), Raw: mixed(r, 8), Reason: mixed(r, 4), NotSent: flag}
	case 4:
		status := []Status{OK, Failed, Denied, NotRun}[r.IntN(4)]
		return Result{ID: mixed(r, 2), Status: status, Took: time.Duration(r.Int64N(3e11)), Text: mixed(r, 12), NotSent: flag}
	case 5:
		return Context{Name: mixed(r, 3), Text: mixed(r, 12), NotSent: flag}
	case 7:
		return Image{Of: mixed(r, 2), Context: role == You, Path: mixed(r, 4), NotSent: flag}
	case 6:
		return Reason{ID: mixed(r, 2), Text: mixed(r, 6), NotSent: flag}
	case 8:
		return Answer{ID: mixed(r, 2), Text: mixed(r, 6), NotSent: flag}
	}
	return Text{Markdown: mixed(r, 16)}
}

func chat(r *rand.Rand) Chat {
	var c Chat
	if r.IntN(3) == 0 {
		c.Front = Front{Model: mixed(r, 3), Title: mixed(r, 3), Prompt: mixed(r, 2)}
		if r.IntN(2) == 0 {
			c.Front.Tools = []string{}
			for range r.IntN(3) {
				c.Front.Tools = append(c.Front.Tools, mixed(r, 2))
			}
		}
	}
	if r.IntN(3) == 0 {
		c.Preamble.Markdown = mixed(r, 6)
	}
	for range r.IntN(5) {
		t := Turn{Role: []Role{You, Assistant}[r.IntN(2)]}
		for range r.IntN(5) {
			t.Blocks = append(t.Blocks, block(r, t.Role))
		}
		c.Turns = append(c.Turns, t)
	}
	return c
}

// normal is the chat that Render writes for c: see Render.
func normal(c Chat) Chat {
	c.Preamble.Markdown = normalPreamble(c.Preamble.Markdown)
	c.Front.Model, c.Front.Title = strings.ToValidUTF8(c.Front.Model, "\uFFFD"), strings.ToValidUTF8(c.Front.Title, "\uFFFD")
	c.Front.Prompt = strings.ToValidUTF8(c.Front.Prompt, "\uFFFD")
	for i, name := range c.Front.Tools {
		c.Front.Tools[i] = strings.ToValidUTF8(name, "\uFFFD")
	}
	turns := c.Turns
	c.Turns = nil
	for _, t := range turns {
		t.Blocks = normalBlocks(t.Blocks)
		c.Turns = append(c.Turns, t)
	}
	return c
}

func normalBlocks(blocks []Block) []Block {
	var out []Block
	joined := "" // adjacent texts are one
	flush := func() {
		if joined = NormalText(joined); joined != "" {
			out = append(out, Text{Markdown: joined})
		}
		joined = ""
	}
	for _, b := range blocks {
		if text, ok := b.(Text); ok {
			joined += text.Markdown
			continue
		}
		if thinking, ok := b.(Thinking); ok {
			thinking.Text = NormalText(thinking.Text)
			if b = thinking; thinking.Text == "" {
				continue
			}
		}
		flush()
		switch block := b.(type) {
		case Call:
			body, err := FormatArguments(block.Arguments)
			if err != nil {
				panic(err)
			}
			if block.Arguments, err = ParseArguments(body); err != nil {
				panic(err)
			}
			b = block
		case Malformed:
			block.Raw, block.Reason = strings.ToValidUTF8(block.Raw, "\uFFFD"), strings.ToValidUTF8(block.Reason, "\uFFFD")
			b = block
		case Result:
			block.Took = RoundTook(block.Took)
			b = block
		}
		out = append(out, b)
	}
	flush()
	return out
}
