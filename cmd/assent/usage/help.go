// Package usage is what the program says about its own command line: its help, and what is wrong with a line.
package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const (
	least  = 24 // columns: a narrower terminal is not believed
	indent = "  "
	deep   = "      "
)

// Help is the help of a command, in lines of so many columns. The settings, which are flags of every command, are left
// out: they are a topic of their own.
func Help(cmd *cobra.Command, columns int) string {
	p := page{columns: max(columns, least)}
	p.paragraphs(description(cmd))
	p.line("")
	p.hanging("Usage: ", deep, useLine(cmd))
	p.commands(cmd)
	p.examples(cmd)
	if cmd.HasParent() {
		p.flags(own(cmd))
	}
	p.line("")
	switch {
	case !cmd.HasParent():
		p.paragraphs(
			"`assent COMMAND --help` shows the flags of a command. `assent help settings` lists the settings, " +
				"which are flags of every command; so is --color auto|always|never.",
		)
	case cmd.HasAvailableSubCommands():
		p.paragraphs("`" + cmd.CommandPath() + " COMMAND --help` shows the flags of each.")
	default:
		p.paragraphs("Settings are flags, too: see `assent help settings`.")
	}
	return p.String()
}

// Section is some flags below a title.
type Section struct {
	Title string
	Flags []*pflag.Flag
}

// Topic lists flags with all that is known about them, in sections, below a sentence about them.
func Topic(about string, sections []Section, columns int) string {
	p := page{columns: max(columns, least)}
	p.paragraphs(about)
	for _, section := range sections {
		p.line("")
		p.line(section.Title)
		for _, f := range section.Flags {
			kind, says := pflag.UnquoteUsage(f)
			if f.DefValue != "" {
				says += " Default: " + f.DefValue + "."
			}
			p.line("")
			p.hanging(indent, deep, strings.TrimSpace("--"+f.Name+" "+kind))
			p.hanging(deep, deep, says)
		}
	}
	return p.String()
}

// page is text in lines of so many columns.
type page struct {
	strings.Builder

	columns int
}

func (p *page) line(text string) { p.WriteString(strings.TrimRight(text, " ") + "\n") }

// paragraphs fills the lines of a text: a single line end in it is a space.
func (p *page) paragraphs(text string) {
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			p.line("")
		}
		p.hanging("", "", paragraph)
	}
}

// hanging fills lines with a text, behind first in the first line and behind rest in the others.
func (p *page) hanging(first, rest, text string) {
	line, empty := first, true
	for word := range strings.FieldsSeq(text) {
		if !empty && len([]rune(line))+1+len([]rune(word)) > p.columns {
			p.line(line)
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	p.line(line)
}

// pair is a name with what is said about it.
type pair struct{ name, says string }

// table lists pairs, the names in a column if there is room for two.
func (p *page) table(pairs []pair) {
	width := 0
	for _, one := range pairs {
		width = max(width, len(one.name))
	}
	width += len(indent) + len(indent)
	for _, one := range pairs {
		if width > p.columns/2 {
			p.hanging(indent, deep, one.name)
			p.hanging(deep, deep, one.says)
			continue
		}
		p.hanging(fmt.Sprintf("%-*s", width, indent+one.name), strings.Repeat(" ", width), one.says)
	}
}

// commands lists the subcommands, by their groups.
func (p *page) commands(cmd *cobra.Command) {
	var subs []*cobra.Command
	width := 0
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			subs = append(subs, sub)
			width = max(width, len(sub.Name()))
		}
	}
	groups := append(slices.Clone(cmd.Groups()), &cobra.Group{Title: "Commands:"})
	for _, group := range groups {
		var pairs []pair
		for _, sub := range subs {
			if sub.GroupID == group.ID {
				pairs = append(pairs, pair{fmt.Sprintf("%-*s", width, sub.Name()), sub.Short})
			}
		}
		if len(pairs) > 0 {
			p.line("")
			p.line(group.Title)
			p.table(pairs)
		}
	}
}

func (p *page) examples(cmd *cobra.Command) {
	if cmd.Example == "" {
		return
	}
	p.line("")
	p.line("Examples:")
	for line := range strings.SplitSeq(cmd.Example, "\n") {
		p.hanging(indent, deep, line)
	}
}

func (p *page) flags(flags []*pflag.Flag) {
	var pairs []pair
	for _, f := range flags {
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		kind, says := pflag.UnquoteUsage(f)
		switch f.DefValue {
		case "", "false", "true", "[]", "0":
		default:
			says += " Default: " + f.DefValue + "."
		}
		pairs = append(pairs, pair{strings.TrimSpace(name + " " + kind), says})
	}
	p.line("")
	p.line("Flags:")
	p.table(pairs)
}

// own are the flags of a command and those that it shares with its neighbours, without those of every command.
func own(cmd *cobra.Command) (flags []*pflag.Flag) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { // before InheritedFlags, which adds those of the parents
		if !f.Hidden && f.Name != "help" {
			flags = append(flags, f)
		}
	})
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && cmd.Root().PersistentFlags().Lookup(f.Name) == nil {
			flags = append(flags, f)
		}
	})
	cmd.InitDefaultHelpFlag()
	help := *cmd.Flags().Lookup("help")
	help.Usage = "Show this help."
	return append(flags, &help)
}

// description is what a command does, in sentences.
func description(cmd *cobra.Command) string {
	text := strings.TrimSpace(cmd.Long)
	if text == "" {
		text = cmd.Short
	}
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, ":") && !strings.HasSuffix(text, "`") {
		text += "."
	}
	return text
}

func useLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() {
		return cmd.CommandPath() + " COMMAND"
	}
	return cmd.CommandPath() + strings.TrimPrefix(cmd.Use, cmd.Name()) + " [flags]"
}
