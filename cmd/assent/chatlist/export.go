package chatlist

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/tools/diskfile"
)

func newShow() *cobra.Command {
	var turn int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show FILE.chat.md",
		Short: "Print a chat without what was attached to it",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			chat, err := readChat(args[0])
			if err != nil {
				return err
			}
			if turn < 0 || turn > len(chat.Turns) {
				return usage.Error(fmt.Sprintf("--turn: this chat has %d turns", len(chat.Turns)))
			}
			if turn > 0 {
				chat.Turns, chat.preamble = chat.Turns[turn-1:turn], ""
			}
			if asJSON {
				return listing.Print(cmd.OutOrStdout(), chat.exported())
			}
			fmt.Fprint(cmd.OutOrStdout(), chat.markdown())
			return nil
		},
	}
	cmd.Flags().IntVar(&turn, "turn", 0, "Only this turn, from 1. 0: all.")
	listing.AddFlag(cmd, &asJSON, "chats show")
	return cmd
}

func newExport() *cobra.Command {
	var format, output string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "export FILE.chat.md",
		Short: "Write a chat as Markdown, JSON or HTML, without what was attached to it",
		Long: "Write a chat without what was attached to it: as Markdown, as one JSON object, or as an HTML page " +
			"that needs no other\nfile, and in which nothing of the chat is markup.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			chat, err := readChat(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				format = "json"
			}
			text, err := chat.as(format)
			if err != nil {
				return err
			}
			if output == "" {
				return terminal.Exact(cmd.OutOrStdout(), []byte(text))
			}
			f, err := diskfile.Create(output, []byte(text)) // nobody's file is written over
			if errors.Is(err, os.ErrExist) {
				return fmt.Errorf("%s exists: name another file, or remove it", output)
			}
			if err == nil {
				err = f.Close()
			}
			if err == nil {
				say(cmd.ErrOrStderr(), "%s", terminal.Path(output))
			}
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "markdown", "What to write: markdown, json or html.")
	listing.AddFlag(cmd, &asJSON, "chats export")
	cmd.Flags().StringVar(&output, "output", "", "The file to make. Empty: standard output.")
	cmd.MarkFlagsMutuallyExclusive("format", "json")
	complete(cmd, "format", "markdown", "json", "html")
	return cmd
}

// chat is a chat that is to be shown.
type chat struct {
	*transcript.Chat
	text     string
	preamble string // front matter and what is before the first turn
}

// readChat reads the chat that a command line names.
func readChat(named string) (*chat, error) {
	path, err := Path(named)
	if err != nil {
		return nil, err
	}
	f, err := diskfile.OpenRegular(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(f, diskfile.MaxText+1))
	if err != nil {
		return nil, err
	}
	if len(data) > diskfile.MaxText {
		return nil, fmt.Errorf("%s has more than %d MB", named, diskfile.MaxText>>20)
	}
	c := &chat{Chat: transcript.Parse(string(data)), text: string(data)}
	c.preamble = c.text
	if len(c.Turns) > 0 {
		c.preamble = c.text[:c.Turns[0].Span.Start]
	}
	return c, nil
}

// Path is the absolute path of a chat that a command line names. The error is a [usage.Error] if it is no chat.
func Path(named string) (string, error) {
	path, err := filepath.Abs(named)
	if err == nil && !transcript.IsChat(path) {
		err = usage.Error(named + " is no chat: the name of a chat ends in .chat.md")
	}
	return path, err
}

// as is the chat in one of the formats.
func (c *chat) as(format string) (string, error) {
	switch format {
	case "markdown":
		return c.markdown(), nil
	case "json":
		text, err := json.MarshalIndent(c.exported(), "", "  ")
		return string(text) + "\n", err
	case "html":
		var b strings.Builder
		err := page.Execute(&b, c.exported())
		return b.String(), err
	}
	return "", usage.Error("--format is markdown, json or html")
}

// markdown is the chat as it is in its file, without its context blocks and their images.
func (c *chat) markdown() string {
	var b strings.Builder
	b.WriteString(c.preamble)
	for _, turn := range c.Turns {
		at := turn.Span.Start
		for _, block := range turn.Blocks {
			if !isContext(block) {
				continue
			}
			span := block.Range()
			b.WriteString(c.text[at:span.Start])
			at = span.End
			for at < turn.Span.End && c.text[at] == '\n' { // one empty line is there before it
				at++
			}
		}
		b.WriteString(c.text[at:turn.Span.End])
	}
	return b.String()
}

func isContext(block transcript.Block) bool {
	switch b := block.(type) {
	case transcript.Context:
		return true
	case transcript.Image:
		return b.Context
	}
	return false
}

func (c *chat) exported() listing.Transcript {
	out := listing.Transcript{Title: c.Title(), Model: c.Front.Model, Turns: []listing.Turn{}}
	for _, turn := range c.Turns {
		t := listing.Turn{Role: turn.Role.Name(), Blocks: []listing.Block{}}
		for _, block := range turn.Blocks {
			if !isContext(block) {
				t.Blocks = append(t.Blocks, exportedOf(block))
			}
		}
		out.Turns = append(out.Turns, t)
	}
	return out
}

func exportedOf(block transcript.Block) listing.Block {
	switch b := block.(type) {
	case transcript.Text:
		return listing.Block{Kind: "text", Text: b.Markdown}
	case transcript.Thinking:
		return listing.Block{Kind: "thinking", Text: b.Text}
	case transcript.Call:
		e := listing.Block{Kind: "call", ID: b.ID, Tool: b.Tool, Arguments: b.Arguments}
		if b.Arguments == nil {
			e.Text = b.Raw
		}
		return e
	case transcript.Malformed:
		return listing.Block{Kind: "malformed", ID: b.ID, Text: b.Raw}
	case transcript.Result:
		return listing.Block{Kind: "result", ID: b.ID, Status: string(b.Status), Text: b.Text}
	case transcript.Reason:
		return listing.Block{Kind: "reason", ID: b.ID, Text: b.Text}
	case transcript.Answer:
		return listing.Block{Kind: "answer", ID: b.ID, Text: b.Text}
	case transcript.Image:
		return listing.Block{Kind: "image", ID: b.Of, Text: b.Path}
	}
	return listing.Block{Kind: "unknown"}
}

// page is a chat as HTML. The template escapes all that is put into it, and the policy has a browser load and run
// nothing.
var page = template.Must(template.New("chat").Funcs(template.FuncMap{ //nolint:gochecknoglobals // a constant
	"json": func(raw json.RawMessage) string { return string(raw) },
}).Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{.Title}}</title>
<style>
body { font: 16px/1.5 sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }
pre.call, pre.result, pre.malformed { font-family: monospace; background: #eee; padding: 0.5em; }
pre.thinking { color: #666; }
</style>
</head>
<body>
<h1>{{.Title}}</h1>
{{range .Turns}}<section>
<h2>{{.Role}}</h2>
{{range .Blocks}}<pre class="{{.Kind}}">{{if .Tool}}{{.Tool}} {{json .Arguments}}
{{end}}{{if .Status}}{{.Status}}
{{end}}{{.Text}}</pre>
{{end}}</section>
{{end}}</body>
</html>
`))
