package diagnosis

import (
	"fmt"
	"io"
	"time"

	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/tools/egress"
)

// Contacts prints which addresses were contacted since a time.
func Contacts(out io.Writer, places []egress.Place, since time.Time) error {
	if len(places) == 0 {
		_, err := fmt.Fprintln(
			out, "Nothing was contacted yet: model servers, web pages and MCP servers are listed here.",
		)
		return err
	}
	rows := [][]string{{"WHO", "ADDRESS", "TIMES", "LAST", "WHY"}}
	for _, place := range places {
		at := place.Host
		if place.Address != "" {
			at += " (" + place.Address + ")"
		}
		rows = append(rows, []string{
			place.Who, at, fmt.Sprint(place.Times), place.Last.Local().Format(time.DateTime), place.Why,
		})
	}
	if err := terminal.PlainTable(out, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(
		out, "since %s; the oldest are forgotten after some 3,000 connections\n", since.Local().Format(time.DateTime),
	)
	return err
}
