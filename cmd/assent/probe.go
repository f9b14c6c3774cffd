package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/term"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/probe"
	"github.com/assent-ls/assent/lsp/settings"
)

// runProbe finds out how a model calls tools best, says what it found, and writes the profile for it.
func runProbe(ctx context.Context, out, notes io.Writer, server model.Backend, s settings.Settings, name string) error {
	info, err := server.Describe(ctx, name)
	if err != nil {
		return err
	}
	known, err := profiles()
	if err != nil {
		return err
	}
	profile, why := known.For(info)
	fmt.Fprintf(out, "%s: %s %s; its profile is %s (%s)\n", info.Name, info.Parameters, info.Quantization, profile.Name, why)
	bar := &progressBar{out: notes, live: isTerminal(notes)}
	o := probe.Options{
		Profile: profile, ContextSize: model.ChooseContext(s.ContextSize, info), Salt: rand.Text(), Progress: bar.show,
	}
	if free, _, err := memory(); err == nil {
		o.Memory = free + info.LoadedBytes
	}
	report, err := probe.Run(ctx, server, info, o)
	bar.end()
	if err != nil {
		return err
	}
	printReport(out, report)
	return keepProfile(ctx, out, server, info, profile, report)
}

func printReport(out io.Writer, report probe.Report) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nWAY\tPROBE\tRESULT")
	for _, f := range report.Findings {
		verdict := "ok"
		if !f.Passed {
			verdict = "no"
		}
		if f.Note != "" {
			verdict += ": " + f.Note
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", f.Way, f.Probe, verdict)
	}
	fmt.Fprintln(table, "\nWAY\tPOINTS\tSECONDS")
	for _, w := range report.Ways {
		fmt.Fprintf(table, "%s\t%d of %d\t%.1f\n", w.Format, w.Points, probe.MaxPoints(), w.Took.Seconds())
	}
	_ = table.Flush()
}

// keepProfile writes the profile into the user's configuration folder and makes sure that it is the one that will be used.
func keepProfile(ctx context.Context, out io.Writer, server model.Backend, info model.Info, before model.Profile, report probe.Report) error {
	if report.Ways[0].Points == 0 {
		fmt.Fprintf(out, "\n%s called no tool in any way, so its profile stays as it is. It can still answer; a larger model calls tools.\n", info.Name)
		return nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return fmt.Errorf("there is no configuration folder to write the profile to: %w", err)
	}
	version, err := server.Version(ctx)
	if err != nil {
		return err
	}
	text, err := probe.File(report.Profile, server.Name()+" "+version, time.Now())
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "assent", "profiles", probe.FileName(info.Name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := writeWhole(path, text); err != nil {
		return err
	}
	known, err := profiles()
	if err != nil {
		return err
	}
	after, why := known.For(info)
	if after.Formats[0] != report.Best {
		return fmt.Errorf("the profile was written to %s, but another one applies (%s): remove that one", path, why)
	}
	changes := probe.Changes(before, after)
	if len(changes) == 0 {
		changes = []string{"nothing: it was right already"}
	}
	fmt.Fprintf(out, "\nWrote %s. What changed:\n  %s\n", path, strings.Join(changes, "\n  "))
	return nil
}

// writeWhole writes a file in one step: a reader never sees half of it.
func writeWhole(path string, text []byte) error {
	temporary := path + ".new"
	if err := os.WriteFile(temporary, text, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// progressBar shows one line that is written over, on a terminal; else a line for each probe.
type progressBar struct {
	out   io.Writer
	live  bool
	shown bool
}

const barWidth = 24

func (b *progressBar) show(done, total int, name string) {
	b.shown = true
	if !b.live {
		fmt.Fprintf(b.out, "%d of %d  %s\n", done+1, total, name)
		return
	}
	filled := barWidth * done / max(1, total)
	fmt.Fprintf(b.out, "\r\x1b[K[%s%s] %d of %d  %s", strings.Repeat("#", filled), strings.Repeat(" ", barWidth-filled), done+1, total, name)
}

func (b *progressBar) end() {
	if b.live && b.shown {
		fmt.Fprint(b.out, "\r\x1b[K")
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
