package envelope

import (
	"html"
	"regexp"

	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/scan"
	"github.com/assent-ls/assent/internal/lazyregexp"
)

// parameterEquals is <parameter=KEY>.
func parameterEquals() *regexp.Regexp {
	return regexp.MustCompile(`<\s*parameter\s*=\s*(?P<key>[^>\n]+?)\s*>`)
}

// ParameterName is <TAG name="KEY">.
func ParameterName(tag string) *regexp.Regexp {
	return regexp.MustCompile(`<\s*` + tag +
		`\s+name\s*=\s*["']?(?P<key>[^"'>\n]+?)["']?\s*(?:string\s*=\s*["']?(?P<string>true|false)["']?\s*)?>`)
}

func argKey() *regexp.Regexp {
	return regexp.MustCompile(
		`<arg_key>\s*(?P<key>[^<\n]+?)\s*(?:</arg_key>|</arg_value>)?\s*(?:<arg_type>\s*(?P<type>[^<\n]*?)\s*</arg_type>\s*)?(?:<arg_value>)`,
	)
}

// EqualsTags is <function=NAME> with <parameter=KEY> in an outer tag.
func EqualsTags(open, closer string) Tagged {
	return Tagged{
		Open: []string{open}, Closers: []string{closer}, Call: Pattern(`<\s*function\s*=\s*NAME\s*(?:>|\n|$)`),
		CallEnd: []string{"</function>"},
		Arg:     parameterEquals(), ArgEnd: []string{"</parameter>"}, Trim: TrimLine, First: "<{[\\", JSON: true,
	}
}

// BareEquals is the call whose outer tag was forgotten.
func BareEquals(closer string) Tagged {
	return Tagged{
		Open: []string{"<function="}, Closers: []string{closer}, Opens: true, Call: Pattern(
			`<\s*function\s*=\s*NAME\s*(?:>|\n|$)`,
		),
		CallEnd: []string{closer},
		Arg:     parameterEquals(), ArgEnd: []string{"</parameter>"}, Trim: TrimLine, First: scan.Letters, known: true,
	}
}

// GLMTags is NAME with <arg_key> and <arg_value> in an outer tag.
func GLMTags(open string) Tagged {
	return Tagged{
		Open: []string{open}, Closers: []string{"</tool_call>"}, Call: Pattern(`^\s*NAME\s*`), Single: true, JSON: true,
		Arg: argKey(), ArgEnd: []string{"</arg_value>"}, Trim: TrimNone,
	}
}

// HunyuanTags is GLMTags with a separator behind the name.
func HunyuanTags() Tagged {
	k := GLMTags("<tool_call>")
	k.Call = Pattern(`^\s*NAME\s*(?:<tool_sep>)?\s*`)
	return k
}

// Trimming is an envelope whose values are trimmed in another way.
func Trimming(k Tagged, trim func(string) string) Tagged {
	k.Trim = trim
	return k
}

// InvokeTags is a list of invocations in an outer tag; space and bar are what is before and inside the tags' names.
func InvokeTags(open, closer, space, bar string) Tagged {
	return Tagged{
		Open: []string{open}, Closers: []string{closer}, Call: Pattern(
			`<` + bar + space + `invoke\s+name\s*=\s*["']?NAME["']?\s*>`,
		),
		CallEnd: []string{"</" + bar + space + "invoke>"},
		Arg:     ParameterName(bar + space + "parameter"), ArgEnd: []string{"</" + bar + space + "parameter>"},
		Trim: TrimLine, First: "<{[", JSON: true,
	}
}

// WithEntities decodes HTML entities in values.
func WithEntities(k Tagged) Tagged {
	k.Decode = html.UnescapeString
	return k
}

// PrefixedInvokes accepts the tags with a prefix too, and the older form.
func PrefixedInvokes(open, closer, prefix string) Tagged {
	k := InvokeTags(open, closer, "", "")
	optional := "(?:" + prefix + ")?"
	k.Open, k.Closers = append(k.Open, "<"+prefix+open[1:]), append(k.Closers, "</"+prefix+closer[2:])
	k.Call = Pattern(`<` + optional + `invoke\s+name\s*=\s*["']?NAME["']?\s*>`)
	k.Arg = ParameterName(optional + "parameter")
	k.CallEnd, k.ArgEnd = append(k.CallEnd, "</"+prefix+"invoke>"), append(k.ArgEnd, "</"+prefix+"parameter>")
	k.other = legacyInvokes
	return k
}

// GlimmerGrammar reads messages whose header names the recipient: self, user or a tool.
func GlimmerGrammar() func() *grammar.Grammar {
	ends := []string{"<|eom|>", "<|eot|>"}
	calls := InvokeTags("<atem:function_calls>", "</atem:function_calls>", "atem:", "")
	calls.Trim = TrimNone
	reasoning := grammar.Thought{Close: ends, Shared: true}
	then := func(f grammar.Found) grammar.Next {
		if header, _ := f.Text(); Group1(Recipient, header) == "self" {
			return grammar.Next{Thought: &reasoning}
		}
		return grammar.Next{}
	}
	header := grammar.Block{Open: []string{"<|start|>"}, Closers: ends, Scan: ScanHeader(ends), Then: then}
	first := grammar.Block{Scan: ScanFirstHeader(ends), Then: then}
	return grammar.New([]grammar.Block{header, calls.Block()}, func(g *grammar.Grammar) {
		reasoning.Build(nil, nil)
		g.Opening = &first
		g.Thoughts = []grammar.Thought{grammar.Think()}
	}, grammar.WithSections("<|message|>"), grammar.Dropping("<|eom|>", "<|eot|>"))
}

// FromCDATA takes a value out of a CDATA section.
func FromCDATA(text string) string {
	if m := cdata().FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return text
}

var cdata = lazyregexp.New(`(?s)^\s*<!\[CDATA\[(.*)\]\]>\s*$`)
