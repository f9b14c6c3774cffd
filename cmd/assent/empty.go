package main

import (
	"io"

	"github.com/spf13/cobra"
)

// nothing begins what a subcommand says that has nothing to list.
const nothing = "nothing here yet: "

// Annotations of subcommands.
const (
	emptyMark  = "when empty" // the sentence to say when there is nothing to print
	serverMark = "server"     // it prints a protocol, and has nothing to say to a person
)

// whenNothing annotates a subcommand that lists things with what to do where there are none.
func whenNothing(todo string) map[string]string { return whenEmpty(nothing + todo) }

// whenEmpty annotates a subcommand with what it says when there is nothing to print.
func whenEmpty(sentence string) map[string]string { return map[string]string{emptyMark: sentence} }

// isServer annotates a subcommand that may end in silence.
func isServer() map[string]string { return map[string]string{serverMark: ""} }

// sayEmpty breaks the silence of a subcommand that ended well: printed and noted say whether anything went to its
// output, and to its notes.
func sayEmpty(cmd *cobra.Command, printed, noted bool, notes io.Writer) {
	sentence, own := cmd.Annotations[emptyMark]
	_, silent := cmd.Annotations[serverMark]
	switch {
	case printed || silent:
	case own:
		tell(notes, sentence)
	case !noted:
		tell(notes, "done, and there is nothing to show")
	}
}
