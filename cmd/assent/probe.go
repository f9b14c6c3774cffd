package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/servers"
	"github.com/assent-ls/assent/agent/probe"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/cmd/assent/diagnosis"
	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/internal/visible"
)

// probe finds out how a model calls tools best, says what it found, and writes the profile for it.
func (p *parts) probe(cmd *cobra.Command, server *servers.Set, name string, asJSON bool) error {
	ctx, out, notes := cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr()
	if asJSON {
		out = io.Discard
	}
	info, err := server.Describe(ctx, name)
	if err != nil {
		return err
	}
	options := session.RunOptions(p.settings.Get(), p.settings)
	bar := &progressBar{out: notes}
	if screen, ok := notes.(*terminal.Writer); ok && screen.Live() {
		bar.screen = screen
	}
	job := probe.Job{
		Backend: server, Folder: filepath.Join(p.config, "profiles"), Format: options.Format, Lock: p.state.LockChat,
		Options: probe.Options{
			ContextSize: model.ChooseContext(options.ContextSize, info),
			KeepAlive:   options.KeepAlive, Progress: bar.show, Found: bar.found,
		},
	}
	if p.settings.Get().ModelQueue {
		queue := p.queue(server.Place(info.Name))
		job.Turn = func(ctx context.Context) (give func(), err error) {
			return queue.Wait(ctx, engine.Requester{Later: true}, func(string) {})
		}
	}
	if info.Found != nil {
		return fmt.Errorf(
			"%s is on a server that you did not declare: declare it in servers.json, or send a chat there once",
			info.Name,
		)
	}
	if info, err = p.abilities(ctx, out, server, info); err != nil {
		return err
	}
	fmt.Fprintln(out, visible.Line(info.Name+": "+info.Parameters+" "+info.Quantization+diagnosis.Where(info)))
	outcome, trouble := job.Do(ctx, info)
	bar.end()
	if asJSON && (trouble == nil || len(outcome.Report.Findings) > 0) {
		trouble = errors.Join(trouble, listing.Print(cmd.OutOrStdout(), listing.ProbedOf(outcome, trouble)))
	}
	if len(outcome.Report.Findings) > 0 {
		fmt.Fprintf(
			out, "its profile until now: %s (%s)\n\n", visible.Line(outcome.Before.Name), visible.Line(outcome.Why),
		)
		if err := outcome.Report.WriteTable(out); err != nil {
			return err
		}
	}
	if trouble != nil {
		return trouble
	}
	fmt.Fprintf(out, "\n%s\n%s\n", visible.Line(outcome.Headline()), visible.Line(outcome.Changed()))
	return nil
}

// probeAll probes all models that are installed, one after the other. One that cannot be probed ends nothing.
func (p *parts) probeAll(cmd *cobra.Command, server *servers.Set, asJSON bool) error {
	installed, err := server.Models(cmd.Context())
	if err != nil {
		return err
	}
	installed = slices.DeleteFunc(installed, func(m model.Info) bool {
		info, err := server.Describe(cmd.Context(), m.Name)
		return err == nil && info.Can(model.CanEmbed) || m.Elsewhere() != ""
	})
	if len(installed) == 0 {
		return errors.New(
			"no model that chats is installed on your own server: run `ollama pull qwen2.5-coder:1.5b`, or a larger " +
				"one",
		)
	}
	failed := 0
	for i, m := range installed {
		fmt.Fprintf(cmd.ErrOrStderr(), "model %d of %d: %s\n", i+1, len(installed), visible.Line(m.Name))
		err := p.probe(cmd, server, m.Name, asJSON)
		if cmd.Context().Err() != nil {
			return err
		}
		if err != nil {
			failed++
			p.tell(fmt.Sprintf("%s was not probed: %v", m.Name, err))
		}
	}
	if failed > 0 {
		return &exitError{1, fmt.Sprintf("%d of %d models were not probed", failed, len(installed))}
	}
	return nil
}

// abilities tries what the server does with a model, says it and keeps it for chats.
func (p *parts) abilities(
	ctx context.Context, out io.Writer, server *servers.Set, info model.Info,
) (model.Info, error) {
	a, err := server.Probe(ctx, info.Name)
	if err != nil || a.Model == "" {
		return info, err
	}
	known := session.Models(p.state)
	all := known.Recall(server.Name(), info.Name)
	all.Abilities = &a
	if err := known.Keep(server.Name(), info.Name, all); err != nil {
		return info, err
	}
	fmt.Fprintln(out, visible.Line(fmt.Sprintf(
		"the server %s: schemas by %s; native calls: %s%s", a.Server, a.Schema, a.Calls,
		diagnosis.Prefixed(", ", a.CallReason),
	)))
	return server.Describe(ctx, info.Name)
}

// progressBar rewrites one line on a terminal; elsewhere it prints a line for each probe.
type progressBar struct {
	out    io.Writer
	screen *terminal.Writer // nil: there is none
	shown  bool
}

const barWidth = 24

func (b *progressBar) show(done, total int, name string) {
	b.shown = true
	if b.screen == nil {
		fmt.Fprintf(b.out, "%d of %d  %s\n", min(done+1, total), total, name)
		return
	}
	filled := barWidth * done / max(1, total)
	b.overwrite(fmt.Sprintf(
		"[%s%s] %d of %d  %s", strings.Repeat("#", filled), strings.Repeat(" ", barWidth-filled), min(done+1, total),
		total, name,
	))
}

func (b *progressBar) overwrite(line string) {
	_ = b.screen.Overwrite(line) // a failed write to the terminal cannot be reported anywhere
}

// found prints the result of a probe, where lines are not rewritten.
func (b *progressBar) found(f probe.Finding) {
	if b.screen == nil && !f.Skipped {
		fmt.Fprintf(b.out, "        %s, %v\n", f.Verdict(), f.Took.Round(100*time.Millisecond))
	}
}

func (b *progressBar) end() {
	if b.screen != nil && b.shown {
		b.overwrite("")
	}
}
