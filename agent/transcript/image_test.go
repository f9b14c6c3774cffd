package transcript

import (
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

func targets(markdown string) []string {
	var all []string
	for _, link := range ImageLinks(markdown) {
		all = append(all, link.Target)
	}
	return all
}

func TestImageLinks(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string][]string{
		"![](a.png)": {"a.png"},
		"See ![the chart](images/a%20b.png), and ![](b).":      {"images/a b.png", "b"},
		"![](<a b.png>) ![](my shot (1).png)":                  {"a b.png", "my shot (1).png"},
		`![](a.png "A title") ![](b c.png 'it')`:               {"a.png", "b c.png"},
		`![a [b] c](x[1].png)`:                                 {"x[1].png"},
		`![](a\)b.png) ![](<a\>b.png>)`:                        {"a)b.png", "a>b.png"},
		"[![](badge.svg)](https://x/)":                         {"badge.svg"},
		"- ![](in-a-list.png)\n\n> ![](quoted.png)":            {"in-a-list.png", "quoted.png"},
		"# ![](head.png)":                                      {"head.png"},
		"![](https://x/y.png) ![](data:image/png;base64,iVBO)": {"https://x/y.png", "data:image/png;base64,iVBO"},
		"![](100%.png) ![](%2e%2e/%2E%2E/secret)":              {"100%.png", "../../secret"},
		"![](a&amp;b.png)":                                     {"a&b.png"},
		"word\n    ![](lazy.png)":                              {"lazy.png"},
		"`![](code.png)` ``a ` ![](b.png)``":                   nil,
		"`open ![](a.png)":                                     {"a.png"},
		"```\n![](fenced.png)\n```":                            nil,
		"- ```\n  ![](fenced.png)\n":                           nil,
		"    ![](indented.png)":                                nil,
		"<!-- ![](comment.png) -->":                            nil,
		"text <!-- ![](comment.png) --> ![](a.png)":            {"a.png"},
		"<div>\n![](html.png)\n</div>":                         nil,
		`\![](not.png) !\[](not.png) ![]\(not.png)`:            nil,
		"[](link.png) ![label] ![ref][x]":                      nil,
		"![](<a\n![](":                                         nil,
		"![](":                                                 nil,
	} {
		if diff := cmp.Diff(want, targets(markdown)); diff != "" {
			t.Errorf("%q:\n%s", markdown, diff)
		}
		for _, link := range ImageLinks(markdown) {
			if s := markdown[link.Span.Start:link.Span.End]; !strings.HasPrefix(s, "![") || !strings.HasSuffix(s, ")") {
				t.Errorf("%q: the span of %q is %q", markdown, link.Target, s)
			}
		}
	}
}

// On one line, and without blanks in targets, images are what CommonMark says.
func TestImageLinksAgreeWithGoldmark(t *testing.T) {
	t.Parallel()
	parts := strings.Split("![|[|]|](|)|(|<|>|`|``|\\|a.png|b|é|%20|&amp;|!|\"|'|*|_", "|")
	found := 0
	for seed := range fewer(uint64(30_000)) {
		r := rand.New(rand.NewPCG(seed, 9))
		line := "x"
		for range 1 + r.IntN(14) {
			line += parts[r.IntN(len(parts))]
		}
		if diff := cmp.Diff(goldmarkImages(line), targets(line)); diff != "" {
			t.Fatalf("seed %d: goldmark reads %q otherwise:\n%s", seed, line, diff)
		}
		found += len(targets(line))
	}
	if found < fewer(100) {
		t.Errorf("only %d images were generated", found)
	}
}

func goldmarkImages(line string) []string {
	var all []string
	root := goldmark.DefaultParser().Parse(text.NewReader([]byte(line)))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if image, ok := n.(*ast.Image); ok && entering {
			target := string(util.ResolveEntityNames(util.UnescapePunctuations(image.Destination)))
			if plain, err := url.PathUnescape(target); err == nil {
				target = plain
			}
			all = append(all, target)
		}
		return ast.WalkContinue, nil
	})
	return all
}

// A line of ours is an image of the result or the context that it names; where it is none of ours it is text.
func TestImagesOfResultsAndContexts(t *testing.T) {
	t.Parallel()
	const file = "## You\n\n```context screen 1\nhere\n```\n\n![context screen 1](a.images/1.png)\n\nLook. ![](b.png)\n\n![result c1](c.png)\n\n" +
		"## Assistant\n\n```tool shot c1\n```\n\n```result c1 ok\ndone\n```\n\n![result c1 not-sent](a%20b.images/%5B2%5D.png)\n\n![context x](y)\n\n![result](y) and ![result c1](y)\n"
	chat := Parse(file)
	you, assistant := chat.Turns[0].Blocks, chat.Turns[1].Blocks
	want := [][]Block{{
		Context{Name: "screen 1", Text: "here"}, Image{Of: "screen 1", Context: true, Path: "a.images/1.png"}, Text{Markdown: "Look. ![](b.png)\n\n![result c1](c.png)"},
	}, {
		Call{ID: "c1", Tool: "shot", Arguments: []byte("{}")},
		Result{ID: "c1", Status: OK, Text: "done"},
		Image{Of: "c1", Path: "a b.images/[2].png", NotSent: true},
		Text{Markdown: "![context x](y)\n\n![result](y) and ![result c1](y)"},
	}}
	if diff := cmp.Diff(want, [][]Block{you, assistant}, noSpans); diff != "" {
		t.Error(diff)
	}
}

// What a model says never becomes an image of a result, however it arrives.
func TestAnImageThatIsSaidIsText(t *testing.T) {
	t.Parallel()
	const said = "Here:\n![result c1](secret.png)\n\\![result c1](x)\n  ![context outline](y)\n![](z.png)"
	for size := 1; size <= len(said); size++ {
		w := NewWriter("## You\n\nHi\n")
		file := "## You\n\nHi\n" + w.AssistantHeading()
		for at := 0; at < len(said); at += size {
			file += w.Text(said[at:min(at+size, len(said))])
		}
		file += w.End()
		if diff := cmp.Diff([]Block{Text{Markdown: said}}, Parse(file).Turns[1].Blocks, noSpans); diff != "" {
			t.Fatalf("in pieces of %d:\n%s\n%s", size, diff, file)
		}
	}
}

func TestImageLinksAreLinear(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"![](", "![](<", "![", "`", "` ``", "![](a \"", "![](((", "](", "![](a '", "<!--", "\\"} {
		line := strings.Repeat(part, fewer(2_000_000)/len(part))
		began := time.Now()
		ImageLinks("![" + line)
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%d bytes of %q take %v", len(line), part, took)
		}
	}
}
