package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/diagnosis"
	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/internal/visible"
)

// fixes prints what can be mended, or was, for people or for programs.
type fixes struct {
	out  io.Writer
	json bool
}

// say prints a sentence that is for people alone.
func (f fixes) say(sentence string) {
	if !f.json {
		fmt.Fprintln(f.out, visible.Line(sentence))
	}
}

func (f fixes) list(done bool, lines ...string) {
	for _, line := range lines {
		f.say(line)
		if f.json {
			_ = listing.Print(f.out, listing.Fix{Says: line, Done: done}) // a closed pipe ends the command by itself
		}
	}
}

// fix mends what a person wants mended. For programs there is a line for each thing: done, or to be done.
func (p *parts) fix(cmd *cobra.Command, asJSON bool) error {
	all, err := diagnosis.Fixes(p.state.Dir(), p.config)
	if err != nil {
		return err
	}
	told := fixes{cmd.OutOrStdout(), asJSON}
	if len(all) == 0 {
		told.say("Nothing here can be mended without you: `assent doctor` says what is missing.")
		return nil
	}
	var what []string
	for _, one := range all {
		what = append(what, one.What...)
	}
	person, nobody := openAsker(cmd, runFlags{})
	if person == nil {
		told.list(false, what...)
		return &exitError{exitUnanswered, nobody + ", so nobody could be asked and nothing was changed"}
	}
	defer person.Terminal.Close()
	person.Terminal.Begin()
	const prompt = "[y] do all of it  [n] do nothing"
	var shown []string
	for _, line := range what {
		shown = append(shown, visible.Line(line))
	}
	if !person.Terminal.Show("What can be mended without harm:", strings.Join(shown, "\n"), prompt) {
		return nil
	}
	line, err := person.Terminal.Ask(prompt)
	if err != nil || !strings.EqualFold(strings.TrimSpace(line), "y") {
		if asJSON { // a person has just read it
			told.list(false, what...)
		}
		told.say("Nothing was changed.")
		return nil
	}
	for _, one := range all {
		done, err := one.Do()
		told.list(true, done...)
		if err != nil {
			return err
		}
	}
	return nil
}
