package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/cmd/assent/piped"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/visible"
)

// question is the text of a new chat that asks what the command line says, together with what is piped in.
func question(cmd *cobra.Command, prompt string) (string, error) {
	note := func(sentence string) { tell(cmd.ErrOrStderr(), sentence) }
	var input string
	var err error
	if prompt == "-" {
		prompt, err = piped.Whole(cmd.Context(), cmd.InOrStdin(), note)
	} else {
		input, err = piped.Beside(cmd.Context(), cmd.InOrStdin(), note)
	}
	switch {
	case cmd.Context().Err() != nil:
		return "", &exitError{status: exitStopped}
	case errors.Is(err, piped.ErrSilent):
		note(err.Error())
	case err != nil:
		return "", usage.Error(err.Error())
	}
	var attached []transcript.Context
	if input != "" {
		attached = []transcript.Context{{Name: piped.Block, Text: strings.TrimRight(visible.Text(input), "\n")}}
	}
	turn := transcript.UserText(strings.TrimSpace(prompt), attached...)
	if turn == "" {
		return "", usage.Error("the prompt is empty: write it after `assent run`, or pipe something in")
	}
	return transcript.YouHeading + turn + "\n", nil
}
