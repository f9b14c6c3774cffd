package diagnosis

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/servers"
	"github.com/assent-ls/assent/internal/settings"
)

const serverTimeout = 3 * time.Second

// Models says how the model servers and their models are. program is the version of this one, profiles reads the
// profiles of models.
func (r *Report) Models(
	ctx context.Context, server *servers.Set, now settings.Settings, program string,
	profiles func() (*model.Profiles, error),
) {
	r.OK("assent %s", program)
	if free := server.Memory(); free > 0 {
		r.OK("memory: %s free for a model, besides a GPU's", Size(free))
	}
	for _, problem := range server.Problems() {
		report := r.Miss
		if problem.Warning {
			report = r.Note
		}
		report("%s: %s", servers.File, problem.Reason)
	}
	installed, asked := r.servers(ctx, server)
	if !asked {
		return
	}
	known, err := profiles()
	if err != nil {
		r.Miss("%s", err.Error())
		return
	}
	if len(installed) == 0 {
		r.Miss("no model is installed: run `ollama pull qwen2.5-coder:1.5b`, or a larger one")
		return
	}
	var embeds []string
	for _, m := range installed {
		if m.Found != nil {
			r.Note("%s: not approved yet", m.Name)
			continue
		}
		if info, ok := r.model(ctx, server, known, m, now.ContextSize); ok && info.Can(model.CanEmbed) &&
			info.Elsewhere() == "" {
			embeds = append(embeds, m.Name)
		}
	}
	r.embedding(now.EmbeddingModel, embeds)
	installed = slices.DeleteFunc(installed, func(m model.Info) bool { return m.Found != nil })
	if len(installed) == 0 && now.Model == "" {
		r.Note("a chat that names no model asks whether it may use one of these")
		return
	}
	if now.Model != "" {
		if _, err := server.Describe(ctx, now.Model); err != nil {
			r.Miss("%s", err.Error())
		}
		return
	}
	best, why, err := model.Choose(installed, server.Memory())
	if err != nil {
		r.Miss("%s", err.Error())
		return
	}
	r.OK("%s answers when you name no model: %s", best.Name, why)
}

// servers says how each model server is, and lists the models of all. asked is false if none can be asked.
func (r *Report) servers(ctx context.Context, server *servers.Set) (installed []model.Info, asked bool) {
	short, cancel := context.WithTimeout(ctx, serverTimeout)
	defer cancel()
	list := server.Look(short)
	others := len(list) > 1
	for _, now := range list {
		if now.Err == nil {
			asked = true
		}
		if !now.Usual {
			r.Names = append(r.Names, now.Name)
		}
		installed = append(installed, now.Models...)
		r.server(now, server.Way(), others)
	}
	return installed, asked
}

// server says how one is, and what to do. way is how Ollama is reached where the settings say.
func (r *Report) server(now servers.Status, way string, others bool) {
	switch {
	case now.Err != nil && now.Usual && others:
		r.Note("no Ollama is used: %s", now.Err)
	case now.Err != nil && now.Usual:
		r.Miss("%s", now.Err.Error())
		r.Note("  it was to be reached %s", way)
	case now.Err != nil:
		r.Miss("%s", now.Err.Error())
	case now.Usual:
		r.OK("Ollama at %s, version %s, reached %s", now.Place, now.Version, way)
	case now.Found != nil:
		r.Note(
			"%s answers at %s%s, and you did not declare it: a chat asks before it uses it; declare it in %s to give "+
				"it a name",
			now.Kind, now.Place, Listens(now.Found), servers.File,
		)
	default:
		r.OK(
			"%s (%s) at %s%s%s", now.Name, now.Kind, now.Place, Prefixed(", version ", now.Version),
			slotsText(now.Slots),
		)
	}
	if now.Err == nil && now.Kind == servers.Ollama {
		r.vulnerable(now.Version)
	}
	if now.Err == nil && now.Host != "" {
		r.Note("  it is not this machine: what chats send there leaves it")
	}
}

// Listens says which process listens where a server was found, to be appended.
func Listens(at *model.Listener) string {
	if at.Process == "" {
		return ""
	}
	return ", where " + at.Process + " listens"
}

// Prefixed is a text behind a prefix; empty: there is no text.
func Prefixed(prefix, text string) string {
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
func (r *Report) embedding(chosen string, able []string) {
	switch {
	case chosen != "" && slices.ContainsFunc(able, func(name string) bool { return model.SameName(name, chosen) }):
		r.OK("tools and tables are found by words and, with %s, by what they mean", chosen)
	case chosen != "":
		r.Miss(
			"%s, your embeddingModel, is no installed model of this server that can do %q: tools and tables are "+
				"found by words alone",
			chosen, model.CanEmbed,
		)
	case len(able) > 0:
		r.Note(
			"tools and tables are found by words alone; to find them also by what they mean, set embeddingModel to "+
				"%s (docs/mcp.md)",
			strings.Join(able, " or "),
		)
	}
}

func (r *Report) model(
	ctx context.Context, server model.Backend, known *model.Profiles, m model.Info, setting int,
) (info model.Info, ok bool) {
	info, err := server.Describe(ctx, m.Name)
	if err != nil {
		r.Note("%s: %s", m.Name, err)
		return info, false
	}
	profile, why := known.For(info)
	r.OK(
		"%s: %s %s, %s on disk; can %s%s", info.Name, info.Parameters, info.Quantization, Size(info.Bytes),
		strings.Join(info.Capabilities, ", "), Where(info),
	)
	if free := server.Memory(); free > 0 && info.Bytes > free && info.LoadedContext == 0 && info.Elsewhere() == "" {
		r.Note(
			"  larger than the %s that are free: without a GPU of that size it is slow or fails; close programs, or "+
				"choose a smaller model", Size(free),
		)
	}
	r.Note(
		"  calls tools by %s (%s); context %d of at most %d tokens", profile.Formats[0], why,
		model.ChooseContext(setting, info), info.ContextLimit,
	)
	if info.LoadedContext > 0 {
		r.Note(
			"  loaded with %d tokens of context, %s, %s of it in the GPU's memory", info.LoadedContext,
			Size(info.LoadedBytes), Size(info.VRAMBytes),
		)
	}
	return info, true
}

// Where names the host of a model that runs elsewhere, to be appended to its description; else it is empty.
func Where(info model.Info) string {
	if host := info.Elsewhere(); host != "" {
		return "; runs at " + host
	}
	return ""
}

// Size writes bytes for people.
func Size(n int64) string { return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30)) }
