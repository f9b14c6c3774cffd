package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/diagnosis"
	"github.com/assent-ls/assent/internal/visible"
)

// fix mends what a person wants mended.
func (p *parts) fix(cmd *cobra.Command) error {
	all, err := diagnosis.Fixes(p.state.Dir(), p.config)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if len(all) == 0 {
		_, err := fmt.Fprintln(out, "Nothing here can be mended without you: `assent doctor` says what is missing.")
		return err
	}
	var what []string
	for _, one := range all {
		for _, line := range one.What {
			what = append(what, visible.Line(line))
		}
	}
	person, nobody := openAsker(cmd, runFlags{})
	if person == nil {
		fmt.Fprintln(out, strings.Join(what, "\n"))
		return &exitError{exitUnanswered, nobody + ", so nobody could be asked and nothing was changed"}
	}
	defer person.Terminal.Close()
	person.Terminal.Begin()
	const prompt = "[y] do all of it  [n] do nothing"
	if !person.Terminal.Show("What can be mended without harm:", strings.Join(what, "\n"), prompt) {
		return nil
	}
	line, err := person.Terminal.Ask(prompt)
	if err != nil || !strings.EqualFold(strings.TrimSpace(line), "y") {
		_, err := fmt.Fprintln(out, "Nothing was changed.")
		return err
	}
	for _, one := range all {
		done, err := one.Do()
		for _, line := range done {
			fmt.Fprintln(out, visible.Line(line))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
