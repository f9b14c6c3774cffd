package probe

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/assent-ls/assent/internal/visible"
)

// WriteTable prints what was found: a line for each probe with its seconds, then one for each way.
func (r Report) WriteTable(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "WAY\tPROBE\tSECONDS\tRESULT")
	for _, f := range r.Findings {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", f.Way, f.Probe, seconds(f), f.Verdict())
	}
	fmt.Fprintln(table, "\nWAY\tPOINTS\tCALLS\tSECONDS")
	for _, w := range r.Ways {
		fmt.Fprintf(table, "%s\t%s\t%d of %d\t%.1f\n", w.Format, w.points(), w.Calls, MaxCalls(), w.Took.Seconds())
	}
	fmt.Fprintf(
		table, "\nall\t%.1f seconds, and %.1f to load the model\n", (r.Took - r.Load).Seconds(), r.Load.Seconds(),
	)
	return table.Flush()
}

func (w Way) points() string {
	text := fmt.Sprintf("%d of %d", w.Points, MaxPoints())
	if !w.Whole {
		text += ", not to its end"
	}
	return text
}

func seconds(f Finding) string {
	if f.Took == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", f.Took.Seconds())
}

// Page is the outcome as a Markdown document; trouble is why the probe ended early, or nil.
func (o Outcome) Page(trouble error) string {
	var b strings.Builder
	r := o.Report
	fmt.Fprintf(&b, "# How %s calls tools\n\n", cell(o.Info.Name))
	fmt.Fprintf(&b, "%s, %s %s, on %s, %.1f seconds and %.1f to load the model.\n\n", o.When.Format(time.DateOnly),
		cell(o.Info.Parameters), cell(
			o.Info.Quantization,
		), cell(o.Engine), (r.Took - r.Load).Seconds(), r.Load.Seconds())
	if trouble != nil {
		fmt.Fprintf(&b, "It ended early: %s\n\nNothing was written.\n\n", cell(trouble.Error()))
	} else {
		fmt.Fprintf(&b, "%s\n\n%s\n\n", cell(o.Headline()), cell(o.Changed()))
	}
	if len(r.Ways) > 0 {
		b.WriteString("| way | points | calls | seconds |\n|---|---|---|---|\n")
		for _, w := range r.Ways {
			fmt.Fprintf(
				&b, "| %s | %s | %d of %d | %.1f |\n", w.Format, w.points(), w.Calls, MaxCalls(), w.Took.Seconds(),
			)
		}
		b.WriteString("\n")
	}
	b.WriteString("| way | probe | seconds | result |\n|---|---|---|---|\n")
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.Way, f.Probe, seconds(f), cell(f.Verdict()))
	}
	o.writeReplies(&b)
	return b.String()
}

// writeReplies shows what the model wrote where that was not what was asked for.
func (o Outcome) writeReplies(b *strings.Builder) {
	heading := "\n## What it wrote\n"
	for _, f := range o.Report.Findings {
		if f.Passed || f.Skipped || f.Wrote == "" {
			continue
		}
		var lines []string
		for line := range strings.Lines(f.Wrote) {
			lines = append(lines, "    "+visible.Line(strings.TrimRight(line, "\r\n")))
		}
		fmt.Fprintf(b, "%s\n%s:\n\n%s\n", heading, label(f.Way, f.Probe), strings.Join(lines, "\n"))
		heading = ""
	}
}

// cell writes text from outside on one line of Markdown.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "<", "\\<", "`", "'").Replace(visible.Line(text))
}

// PageName is the name of a model's page, without its ending.
func PageName(model string) string { return baseName(model) }
