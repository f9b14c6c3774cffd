package transcript_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/transcript"
)

// TestCodeBlocksAreThoseOfCommonMark: a block ends at its own fence, so that nothing in it is taken for another one.
func TestCodeBlocksAreThoseOfCommonMark(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][][2]string{
		"": nil, "no `code`": nil, "```py\nnever closed\n": nil,
		"```py\nx = 1\n```\n":                             {{"py", "x = 1\n"}},
		"```py\r\nx = 1\r\n\r\ny\r\n```":                  {{"py", "x = 1\n\ny\n"}},
		"a\n````  python  title=x \n```py\nin\n```\n````": {{"python  title=x", "```py\nin\n```\n"}},
		"~~~py\n```\n~~~ no\n~~~~ \n":                     {{"py", "```\n~~~ no\n"}},
		"  ```py\n    x\n y\n  ```":                       {{"py", "  x\ny\n"}},
		"- ```py\n  x\n  ```\n> ```py\n> x\n> ```\n":      nil,
		"    ```py\n    x\n    ```\n":                     nil,
		"<pre>\n```py\nx\n```\n</pre>\n":                  nil,
		"``` a`b\n```py\nx\n```\n":                        {{"py", "x\n"}},
		"```py\n```\n```py\nx\n```":                       {{"py", ""}, {"py", "x\n"}},
	} {
		var got [][2]string
		for _, b := range transcript.CodeBlocks(text) {
			got = append(got, [2]string{b.Info, b.Text})
			if b.Span.Start != b.First.Start || b.First.End > b.Body.Start || b.Body.End > b.Span.End || b.Span.End > len(text) {
				t.Errorf("%q: spans %+v", text, b)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", text, diff)
		}
	}
}
