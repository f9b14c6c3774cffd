// Package decode is the command that shows what Assent makes of a reply of a model.
package decode

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/formats"
	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/visible"
)

// New makes "assent decode", which answers "why did my call not run?". formatOf gives the name of the tool-call format
// that an installed model uses, and byName finds a format by its name.
func New(formatOf func(model string) (string, error), byName func(string) (toolcall.Format, error)) *cobra.Command {
	o := options{formatOf: formatOf, byName: byName}
	cmd := &cobra.Command{
		Use:   "decode",
		Short: "Show what Assent makes of a model's reply",
		Long: "Read a reply as a model printed it on standard input, and show its text, its thinking and its calls.\n" +
			"Without --tools any name counts as a tool. With --batch every line is a case of its own:\n" +
			`{"id", "format" or "model", "tools", "text", "chunk"}.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.OutOrStdout(), cmd.InOrStdin())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.format, "format", "", "tool-call format of the reply (see --list)")
	flags.StringVar(&o.model, "model", "", "model that wrote the reply; its profile names the format")
	flags.StringVar(&o.tools, "tools", "", "file with the tools that were offered, a list of OpenAI-style definitions")
	flags.StringVar(&o.chunk, "chunk", "whole", "how the reply is fed: whole, rune, byte or a number of bytes")
	const says = "print one JSON object per line; with --list: docs/json/decode-list.schema.json"
	flags.BoolVar(&o.json, "json", false, says)
	flags.BoolVar(&o.batch, "batch", false, "read one case per line as JSON, answer one per line")
	flags.BoolVar(&o.list, "list", false, "list the formats with their aliases")
	return cmd
}

type options struct {
	format, model, tools, chunk string
	json, batch, list           bool
	formatOf                    func(model string) (string, error)
	byName                      func(name string) (toolcall.Format, error)
}

func (o *options) run(out io.Writer, in io.Reader) error {
	switch {
	case o.list:
		return listFormats(out, o.json)
	case o.batch:
		return formats.ReplayBatch(terminal.JSON(out), in, o.find())
	}
	format, err := o.find()(o.format, o.model)
	if err != nil {
		return err
	}
	var tools []model.Tool
	if o.tools != "" {
		raw, err := os.ReadFile(o.tools)
		if err != nil {
			return fmt.Errorf("read the tools: %w", err)
		}
		if tools, err = formats.ReadTools(raw); err != nil {
			return fmt.Errorf("%s: %w", o.tools, err)
		}
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read the reply: %w", err)
	}
	events, err := formats.Replay{Format: format, Tools: tools, Text: string(text), Chunk: o.chunk}.Decode()
	if err != nil {
		return err
	}
	if o.json {
		return formats.WriteEvents(terminal.JSON(out), events)
	}
	return printEvents(out, events)
}

// find returns a function that finds formats by name or by model and caches them, since a batch asks for the same ones
// again and again. If both are empty, the flags say which.
func (o *options) find() func(format, model string) (toolcall.Format, error) {
	kept := map[[2]string]toolcall.Format{}
	return func(format, model string) (toolcall.Format, error) {
		if format == "" && model == "" {
			format, model = o.format, o.model
		}
		key := [2]string{format, model}
		if f, ok := kept[key]; ok {
			return f, nil
		}
		if format == "" {
			if model == "" {
				return nil, usage.Error(
					"name the format with --format, or the model with --model; `assent decode --list` lists formats",
				)
			}
			name, err := o.formatOf(model)
			if err != nil {
				return nil, err
			}
			format = name
		}
		f, err := o.byName(format)
		if err != nil {
			return nil, usage.Error(err.Error())
		}
		kept[key] = f
		return f, nil
	}
}

func listFormats(out io.Writer, asJSON bool) error {
	for _, info := range formats.List() {
		f, err := formats.ByName(info.Name)
		if err == nil {
			err = listFormat(out, info, formats.Example(f), asJSON)
		}
		if err != nil {
			return fmt.Errorf("list the formats: %w", err)
		}
	}
	return nil
}

func listFormat(out io.Writer, info formats.Info, example string, asJSON bool) error {
	if asJSON {
		return listing.Print(out, listing.Format{
			Name: info.Name, Aliases: append([]string{}, info.Aliases...), Says: info.Summary, Example: example,
		})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-22s %s\n%-22s aliases: %s\n", info.Name, info.Summary, "", strings.Join(info.Aliases, ", "))
	for line := range strings.Lines(example) {
		fmt.Fprintf(&b, "%-22s | %s\n", "", strings.TrimRight(line, "\n"))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func printEvents(out io.Writer, events []toolcall.Event) error {
	var b strings.Builder
	for _, e := range events {
		switch e := e.(type) {
		case toolcall.Text:
			section(&b, "text", e.Text)
		case toolcall.Thinking:
			section(&b, "thinking", e.Text)
		case toolcall.Called:
			section(&b, "call "+visible.Line(e.Call.Name), string(e.Call.Arguments))
		case toolcall.Malformed:
			section(&b, "not a call that can run", e.Reason+"\n"+e.Raw)
		case toolcall.Quoted:
			section(&b, "notice", e.Reason)
		case toolcall.Unclosed:
			section(&b, "error", e.String())
		}
	}
	if len(events) == 0 {
		b.WriteString("The reply is empty.\n")
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return fmt.Errorf("print the events: %w", err)
	}
	return nil
}

// section prints a label and the indented text below it.
func section(b *strings.Builder, label, text string) {
	b.WriteString(label + ":\n")
	for line := range strings.Lines(text) {
		b.WriteString("  " + strings.TrimSuffix(line, "\n") + "\n")
	}
}
