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
	"github.com/assent-ls/assent/agent/model/servers"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/internal/visible"
)

const serverTimeout = 3 * time.Second

func newDoctor() *cobra.Command {
	var probed string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is there and what is missing",
		Long: "Say what is there and what is missing: the sandbox for commands, the model server, its models, memory " +
			"and context.\n" +
			"With --probe, ask one model some 20 short questions to find out how it calls tools best, and keep that " +
			"as its profile.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := wire(cmd)
			if err != nil {
				return err
			}
			server, err := p.backend(p.settings.Get())
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

func (d *doctor) examine(ctx context.Context, server *servers.Set, now settings.Settings) {
	d.ok("assent %s", version())
	if free := server.Memory(); free > 0 {
		d.ok("memory: %s free for a model, besides a GPU's", bytesText(free))
	}
	for _, problem := range server.Problems() {
		d.say(map[bool]string{true: "note     ", false: "MISSING  "}[problem.Warning], servers.File+": "+problem.Reason)
		if !problem.Warning {
			d.missing++
		}
	}
	installed, asked := d.servers(ctx, server)
	if !asked {
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
		if m.Found != nil {
			d.note("%s: not approved yet", m.Name)
			continue
		}
		if info, ok := d.model(ctx, server, known, m, now.ContextSize); ok && info.Can(model.CanEmbed) &&
			info.Elsewhere() == "" {
			embeds = append(embeds, m.Name)
		}
	}
	d.embedding(now.EmbeddingModel, embeds)
	installed = slices.DeleteFunc(installed, func(m model.Info) bool { return m.Found != nil })
	if len(installed) == 0 && now.Model == "" {
		d.note("a chat that names no model asks whether it may use one of these")
		return
	}
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

// servers says how each model server is, and lists the models of all. asked is false if none can be asked.
func (d *doctor) servers(ctx context.Context, server *servers.Set) (installed []model.Info, asked bool) {
	short, cancel := context.WithTimeout(ctx, serverTimeout)
	defer cancel()
	list := server.Look(short)
	others := len(list) > 1
	for _, now := range list {
		if now.Err == nil {
			asked = true
		}
		installed = append(installed, now.Models...)
		d.server(now, server.Way(), others)
	}
	return installed, asked
}

// server says how one is, and what to do. way is how Ollama is reached where the settings say.
func (d *doctor) server(now servers.Status, way string, others bool) {
	switch {
	case now.Err != nil && now.Usual && others:
		d.note("no Ollama is used: %s", now.Err)
	case now.Err != nil && now.Usual:
		d.reportMissing(now.Err.Error())
		d.note("  it was to be reached %s", way)
	case now.Err != nil:
		d.reportMissing(now.Err.Error())
	case now.Usual:
		d.ok("Ollama at %s, version %s, reached %s", now.Place, now.Version, way)
	case now.Found != nil:
		d.note(
			"%s answers at %s%s, and you did not declare it: a chat asks before it uses it; declare it in %s to give "+
				"it a name",
			now.Kind, now.Place, listens(now.Found), servers.File,
		)
	default:
		d.ok(
			"%s (%s) at %s%s%s", now.Name, now.Kind, now.Place, prefixed(", version ", now.Version),
			slotsText(now.Slots),
		)
	}
	if now.Err == nil && now.Host != "" {
		d.note("  it is not this machine: what chats send there leaves it")
	}
}

func listens(at *model.Listener) string {
	if at.Process == "" {
		return ""
	}
	return ", where " + at.Process + " listens"
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

func slotsText(slots int) string {
	switch slots {
	case 0:
		return ""
	case 1:
		return ", one request at a time"
	}
	return fmt.Sprintf(", %d requests at a time", slots)
}

// embedding says whether tools and tables are found by what they mean; able are the models that can do that.
func (d *doctor) embedding(chosen string, able []string) {
	switch {
	case chosen != "" && slices.ContainsFunc(able, func(name string) bool { return model.SameName(name, chosen) }):
		d.ok("tools and tables are found by words and, with %s, by what they mean", chosen)
	case chosen != "":
		d.reportMissing(fmt.Sprintf(
			"%s, your embeddingModel, is no installed model of this server that can do %q: tools and tables are "+
				"found by words alone",
			chosen, model.CanEmbed,
		))
	case len(able) > 0:
		d.note(
			"tools and tables are found by words alone; to find them also by what they mean, set embeddingModel to "+
				"%s (docs/mcp.md)",
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
