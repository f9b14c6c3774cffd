// Package logview prints the logs of calls and of tokens for `assent log`.
package logview

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/usagelog"
)

// objects prints one JSON object in a line for each entry.
func objects[T any](out io.Writer, entries []T) error {
	enc := json.NewEncoder(terminal.JSON(out))
	for _, e := range entries {
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

// Calls prints a line for each call of a tool, or an object of JSON for each.
func Calls(out io.Writer, entries []usagelog.Entry, asJSON bool) error {
	if asJSON {
		return objects(out, entries)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range entries {
		took := time.Duration(e.TookMS) * time.Millisecond
		row := []string{
			e.Time.Local().Format("2006-01-02 15:04:05"), filepath.Base(
				cmp.Or(e.Workspace, "-"),
			), toolOf(e), string(e.Outcome), took.String(), e.Target, e.Reason,
		}
		for i := range row {
			row[i] = visible.Line(row[i])
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// toolOf names the tool of a line, and who called it if no model did.
func toolOf(e usagelog.Entry) string {
	name := e.Tool
	if e.Origin != "" {
		name += " of " + e.Origin
	}
	if e.Caller != "model" && e.Caller != "" {
		name += " by " + e.Caller
	}
	if e.Client != "" {
		name += " " + strconv.Quote(e.Client)
	}
	return name
}
