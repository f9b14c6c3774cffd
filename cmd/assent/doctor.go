package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/ollama"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/internal/visible"
)

const serverTimeout = 3 * time.Second

func newDoctor() *cobra.Command {
	var probed string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is there and what is missing",
		Long: "Say what is there and what is missing: the sandbox for commands, the model server, its models, memory and context.\n" +
			"With --probe, ask one model some 20 short questions to find out how it calls tools best, and keep that as its profile.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := wire(cmd)
			if err != nil {
				return err
			}
			server, err := backend(p.settings.Get())
			if err != nil {
				return err
			}
			if probed != "" {
				return p.probe(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), server, probed)
			}
			d := doctor{out: cmd.OutOrStdout()}
			d.sandbox(cmd.Context(), p.settings.Get())
			d.databases(cmd.Context(), p)
			d.examine(cmd.Context(), server, p.settings.Get())
			if d.missing > 0 {
				return &exitError{status: 1}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(
		&probed, "probe", "", "Find out how the model `MODEL` calls tools best; takes a minute or more.",
	)
	return cmd
}

// doctor prints findings; each line begins with ok, note or MISSING.
type doctor struct {
	out     io.Writer
	missing int
}

func (d *doctor) ok(format string, args ...any) { d.say("ok       ", fmt.Sprintf(format, args...)) }

func (d *doctor) note(format string, args ...any) { d.say("note     ", fmt.Sprintf(format, args...)) }

func (d *doctor) reportMissing(sentence string) {
	d.missing++
	d.say("MISSING  ", sentence)
}

func (d *doctor) say(kind, sentence string) { fmt.Fprintln(d.out, kind+visible.Line(sentence)) }

func (d *doctor) examine(ctx context.Context, server *ollama.Backend, now settings.Settings) {
	d.ok("assent %s", version())
	if free := server.Memory(); free > 0 {
		d.ok("memory: %s free for a model, besides a GPU's", bytesText(free))
	}
	short, cancel := context.WithTimeout(ctx, serverTimeout)
	defer cancel()
	v, err := server.Version(short)
	if err != nil {
		d.reportMissing(err.Error())
		d.note("  it was to be reached %s", server.Way())
		return
	}
	d.ok("%s, version %s, reached %s", server.Name(), v, server.Way())
	installed, err := server.Models(ctx)
	if err != nil {
		d.reportMissing(err.Error())
		return
	}
	known, err := profiles()
	if err != nil {
		d.reportMissing(err.Error())
		return
	}
	if len(installed) == 0 {
		d.reportMissing("no model is installed: run `ollama pull qwen2.5-coder:1.5b`, or a larger one")
		return
	}
	var embeds []string
	for _, m := range installed {
		if info, ok := d.model(ctx, server, known, m, now.ContextSize); ok && info.Can(model.CanEmbed) &&
			info.Elsewhere() == "" {
			embeds = append(embeds, m.Name)
		}
	}
	d.embedding(now.EmbeddingModel, embeds)
	if now.Model != "" {
		if _, err := server.Describe(ctx, now.Model); err != nil {
			d.reportMissing(err.Error())
		}
		return
	}
	best, why, err := model.Choose(installed, server.Memory())
	if err != nil {
		d.reportMissing(err.Error())
		return
	}
	d.ok("%s answers when you name no model: %s", best.Name, why)
}

// embedding says whether tools and tables are found by what they mean; able are the models that can do that.
func (d *doctor) embedding(chosen string, able []string) {
	switch {
	case chosen != "" && slices.ContainsFunc(able, func(name string) bool { return model.SameName(name, chosen) }):
		d.ok("tools and tables are found by words and, with %s, by what they mean", chosen)
	case chosen != "":
		d.reportMissing(fmt.Sprintf(
			"%s, your embeddingModel, is no installed model of this server that can do %q: tools and tables are found by words alone",
			chosen, model.CanEmbed,
		))
	case len(able) > 0:
		d.note(
			"tools and tables are found by words alone; to find them also by what they mean, set embeddingModel to %s (docs/mcp.md)",
			strings.Join(able, " or "),
		)
	}
}

func (d *doctor) model(
	ctx context.Context, server model.Backend, known *model.Profiles, m model.Info, setting int,
) (info model.Info, ok bool) {
	info, err := server.Describe(ctx, m.Name)
	if err != nil {
		d.note("%s: %s", m.Name, err)
		return info, false
	}
	profile, why := known.For(info)
	d.ok(
		"%s: %s %s, %s on disk; can %s%s", info.Name, info.Parameters, info.Quantization, bytesText(info.Bytes),
		strings.Join(info.Capabilities, ", "), whereText(info),
	)
	d.note(
		"  calls tools by %s (%s); context %d of at most %d tokens", profile.Formats[0], why,
		model.ChooseContext(setting, info), info.ContextLimit,
	)
	if info.LoadedContext > 0 {
		d.note(
			"  loaded with %d tokens of context, %s, %s of it in the GPU's memory", info.LoadedContext,
			bytesText(info.LoadedBytes), bytesText(info.VRAMBytes),
		)
	}
	return info, true
}

// whereText names the host of a model that runs elsewhere, to be appended to its description; else it is empty.
func whereText(info model.Info) string {
	if host := info.Elsewhere(); host != "" {
		return "; runs at " + host
	}
	return ""
}

func bytesText(n int64) string { return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30)) }
