// Package fence finds the fenced blocks of the pages that tell people what to paste and what to run, for the tests that
// try them.
package fence

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Block is a fenced block. Blocks inside another one are part of it.
type Block struct {
	Page     string // its path in the repository, with slashes
	Line     int    // of the first line of the text, from 1
	Language string // empty: none is named
	Text     string
}

// First is the first line of the text.
func (b Block) First() string {
	line, _, _ := strings.Cut(b.Text, "\n")
	return line
}

// OfPages lists the blocks of the pages for users, README.md, editors/*.md and docs/*.md below root, in order.
func OfPages(root string) ([]Block, error) {
	var all []Block
	for _, pattern := range []string{"README.md", "editors/*.md", "docs/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			page, err := filepath.Rel(root, file)
			if err != nil {
				return nil, err
			}
			source, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			all = append(all, In(filepath.ToSlash(page), source)...)
		}
	}
	return all, nil
}

// In lists the blocks of one page.
func In(page string, source []byte) (all []Block) {
	document := goldmark.DefaultParser().Parse(text.NewReader(source))
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if block, ok := n.(*ast.FencedCodeBlock); ok && entering && block.Lines().Len() > 0 {
			lines := block.Lines()
			all = append(all, Block{
				Page: page, Language: string(block.Language(source)), Text: string(lines.Value(source)),
				Line: bytes.Count(source[:lines.At(0).Start], []byte("\n")) + 1,
			})
		}
		return ast.WalkContinue, nil
	})
	return all
}
