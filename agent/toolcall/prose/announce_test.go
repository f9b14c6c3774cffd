package prose

import (
	"bytes"
	"regexp"
	"testing"
	"unicode/utf8"
)

var (
	speaksPattern  = regexp.MustCompile(`(?:\b(?i:example|for instance|such as|syntax|template)\b.*|\b(?i:e\.g\.|i\.e\.).*|\b(?i:write|writes|written|writing|emit|emits|output|outputs|print|prints|say|says|type|types|like|as|is|form|shape|format)\s*:?\s*)$`)
	reportsPattern = regexp.MustCompile(`\b(?i:says|said|contains|contained|reads|states|stated|shows|showed|prints|printed|returns|returned|writes|wrote|quotes|quoted|replies|replied)\b[^.!?\n]{0,40}:(?:\s*(?:<|to=)[^\n]{0,60})?\s*$`)
)

// FuzzAnnouncements compares the reading of prose before a marker with the patterns that say what it is.
func FuzzAnnouncements(f *testing.F) {
	for _, text := range []string{
		"", "For example: ", "an EXAMPLE of", "examples", "For instance,", "for  instance", "for instances", "such as ", "such asp", "e.g. this", "me.g. this", "i.e.x", "You write ", "You write: \t", "You write a ", "it is", "this", "is:", "is :x", "as: : ",
		"the file says:", "It contains the line:\n", "It said: <tool_call>\n", "It says. So: ", "It shows to=x: to=ping", "it reads:" + " <abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklm", "it wrote a very long sentence of many more than forty bytes: ", "says:\n<a\nb", "quoted:x:<", "replies é:",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		prose := bytes.ReplaceAll(bytes.ReplaceAll([]byte(text), []byte("ſ"), nil), []byte("K"), nil) // letters that a pattern takes for s and k
		if !utf8.Valid(prose) {
			return
		}
		line := prose[bytes.LastIndexByte(prose, '\n')+1:]
		if got, want := namesExample(line), speaksPattern.Match(line); got != want {
			t.Errorf("%q speaks: %t, the pattern says %t", line, got, want)
		}
		if got, want := endsWithReport(prose), reportsPattern.Match(prose); got != want {
			t.Errorf("%q reports: %t, the pattern says %t", prose, got, want)
		}
	})
}
