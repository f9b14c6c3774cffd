package diagnosis

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/assent-ls/assent/internal/visible"
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
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "WHO\tADDRESS\tTIMES\tLAST\tWHY")
	for _, place := range places {
		at := place.Host
		if place.Address != "" {
			at += " (" + place.Address + ")"
		}
		row := []string{
			place.Who, at, fmt.Sprint(place.Times), place.Last.Local().Format(time.DateTime), place.Why,
		}
		for i := range row {
			row[i] = visible.Line(row[i])
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(
		out, "since %s; the oldest are forgotten after some 3,000 connections\n", since.Local().Format(time.DateTime),
	)
	return err
}
