package envelope

import (
	"regexp"
	"slices"
	"testing"
)

// FuzzTags compares the search for tags near what they begin with with the search for their patterns.
func FuzzTags(f *testing.F) {
	kinds := []Tagged{
		EqualsTags("<tool_call>", "</tool_call>"), BareEquals("</function>"), GLMTags("<tool_call>"), HunyuanTags(),
		InvokeTags("<a:calls>", "</a:calls>", "a:", ""), PrefixedInvokes("<function_calls>", "</function_calls>", "a:"),
	}
	for _, text := range []string{
		"\n<function=ping>\n<parameter=host>\ndb1\n</parameter>", "<function=ns.ping:0>", "<function=1ping>", "<function=ping\n", "< function = ping >", "a < b <parameter=host>",
		"<parameter=größe>", "<parameter=a b>", "<parameter=>", "<parameter=host>>",
		"ping<arg_key>host</arg_key><arg_value>db1</arg_value>", "ping <arg_key>", "ping:0<arg_key>", "größe<", "<arg_key> host </arg_key>\n<arg_value>", "<arg_key>host</arg_key><arg_type>string</arg_type><arg_value>", "<arg_key>a.b-c</arg_key><arg_value>",
		"ping<tool_sep><arg_key>", "ping<tool_sep> <arg_key>",
		`<a:invoke name="ping"><a:parameter name="host">db1`, `<a:invoke name=ping>`, `<a:parameter name="host" string="true">`, `<invoke name="ping"><a:parameter name='host'>`, `<parameter name="host">`, `<parameter name="">`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = text[:min(len(text), MaxHead)] // no tag is longer
		for _, k := range kinds {
			for _, p := range []*regexp.Regexp{k.Call, k.Arg} {
				if got, want := newTag(p).next(text, 0), p.FindStringSubmatchIndex(text); !slices.Equal(got, want) {
					t.Fatalf("%s in %q: %v, the pattern gives %v", p, text, got, want)
				}
			}
		}
	})
}
