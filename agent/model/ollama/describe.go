package ollama

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"
	"github.com/sourcegraph/conc"

	"github.com/assent-ls/assent/agent/model"
)

// facts are what a server reports of one model, unchanged as long as the model's digest is the same.
type facts struct {
	digest           string
	details          api.ModelDetails
	template, parser string
	capabilities     []string
	contextLimit     int
	tokenBytes       int64
	remoteHost       string
}

func factsOf(show *api.ShowResponse) facts {
	return facts{
		details: show.Details, template: show.Template, parser: show.Parser, capabilities: names(show.Capabilities),
		contextLimit: cmp.Or(contextLimit(show.ModelInfo), show.Details.ContextLength),
		tokenBytes:   tokenBytes(show.ModelInfo), remoteHost: cmp.Or(show.RemoteHost, show.RemoteModel),
	}
}

// inventory is what is installed and what of it is loaded.
type inventory struct {
	list    *api.ListResponse
	running *api.ProcessResponse
}

// Models implements [model.Backend], with what is loaded.
func (b *Backend) Models(ctx context.Context) ([]model.Info, error) {
	limited, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	inventory, err := b.inventory(limited)
	if err != nil {
		return nil, b.failure(ctx, "", err)
	}
	infos := make([]model.Info, 0, len(inventory.list.Models))
	for _, m := range inventory.list.Models {
		infos = append(infos, inventory.info(m))
	}
	return infos, nil
}

// Describe implements [model.Backend]. What is loaded, and whether the model is still the same, is asked each time.
func (b *Backend) Describe(ctx context.Context, name string) (model.Info, error) {
	limited, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var (
		show               *api.ShowResponse
		showErr, othersErr error
		others             inventory
		beside             conc.WaitGroup
	)
	known, asked := b.known(name)
	if !asked {
		beside.Go(func() { show, showErr = b.client.Show(limited, &api.ShowRequest{Model: name}) })
	}
	beside.Go(func() { others, othersErr = b.inventory(limited) })
	beside.Wait()
	if showErr != nil {
		return model.Info{}, b.failure(ctx, name, showErr)
	}
	if othersErr != nil {
		return model.Info{}, b.failure(ctx, "", othersErr)
	}
	info := model.Info{Name: name}
	var installed api.ListModelResponse
	if i := slices.IndexFunc(
		others.list.Models, func(m api.ListModelResponse) bool { return sameModel(listedName(m), name) },
	); i >= 0 {
		installed = others.list.Models[i]
		info = others.info(installed)
	}
	if asked && known.digest != installed.Digest { // it was replaced or removed meanwhile
		if show, showErr = b.client.Show(limited, &api.ShowRequest{Model: name}); showErr != nil {
			return model.Info{}, b.failure(ctx, name, showErr)
		}
	}
	if show != nil {
		known = factsOf(show)
		// The two answers are about the same model if it did not change between them.
		if !show.ModifiedAt.IsZero() && show.ModifiedAt.Equal(installed.ModifiedAt) {
			known.digest = installed.Digest
		}
		b.remember(name, known)
	}
	addDetails(&info, known.details)
	info.Template, info.Parser, info.Capabilities = known.template, known.parser, slices.Clone(known.capabilities)
	info.RemoteHost = cmp.Or(info.RemoteHost, known.remoteHost)
	info.ContextLimit = cmp.Or(known.contextLimit, info.ContextLimit)
	info.TokenBytes, info.Endpoint = known.tokenBytes, model.NewEndpoint("ollama", b.base)
	return info, nil
}

// known returns what is known of a model from before.
func (b *Backend) known(name string) (facts, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, ok := b.facts[name]
	return f, ok
}

func (b *Backend) remember(name string, f facts) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if delete(b.facts, name); f.digest != "" {
		b.facts[name] = f
	}
}

// inventory asks for the lists of what is installed and what is loaded.
func (b *Backend) inventory(ctx context.Context) (inventory, error) {
	var (
		s                   inventory
		listErr, runningErr error
		beside              conc.WaitGroup
	)
	beside.Go(func() { s.list, listErr = b.client.List(ctx) })
	beside.Go(func() { s.running, runningErr = b.client.ListRunning(ctx) })
	beside.Wait()
	return s, cmp.Or(listErr, runningErr)
}

// info is what the lists say about an installed model.
func (s inventory) info(m api.ListModelResponse) model.Info {
	info := model.Info{
		Name: listedName(m), Digest: m.Digest, Bytes: m.Size, RemoteHost: cmp.Or(m.RemoteHost, m.RemoteModel),
		ContextLimit: m.Details.ContextLength, Capabilities: names(m.Capabilities),
	}
	addDetails(&info, m.Details)
	for _, r := range s.running.Models {
		if sameModel(cmp.Or(r.Name, r.Model), info.Name) {
			info.LoadedContext, info.LoadedBytes, info.VRAMBytes = r.ContextLength, r.Size, r.SizeVRAM
		}
	}
	return info
}

func listedName(m api.ListModelResponse) string { return cmp.Or(m.Name, m.Model) }

func addDetails(info *model.Info, d api.ModelDetails) {
	info.Family = cmp.Or(d.Family, info.Family)
	info.Parameters = cmp.Or(d.ParameterSize, info.Parameters)
	info.Quantization = cmp.Or(d.QuantizationLevel, info.Quantization)
}

// sameModel compares names as Ollama does: letter case and the tag "latest" mean nothing.
func sameModel(a, b string) bool {
	return strings.EqualFold(strings.TrimSuffix(a, ":latest"), strings.TrimSuffix(b, ":latest"))
}

// contextLimit finds the context length among a model's facts, whose keys begin with its architecture.
func contextLimit(facts map[string]any) int {
	architecture, _ := facts["general.architecture"].(string)
	if n, ok := facts[architecture+".context_length"].(float64); ok {
		return int(n)
	}
	limit := 0
	for key, value := range facts {
		if n, ok := value.(float64); ok && strings.HasSuffix(key, ".context_length") {
			limit = max(limit, int(n))
		}
	}
	return limit
}

// tokenBytes is what the keys and values of one token take in memory, in half precision; 0 where the facts do not tell.
func tokenBytes(facts map[string]any) int64 {
	architecture, _ := facts["general.architecture"].(string)
	number := func(key string) float64 {
		n, _ := facts[architecture+"."+key].(float64)
		return max(n, 0)
	}
	heads := number("attention.head_count")
	width := number("attention.key_length")
	if width == 0 && heads > 0 {
		width = number("embedding_length") / heads
	}
	const most = 1 << 30 // of what a server may say
	return int64(min(2*2*number("block_count")*cmp.Or(number("attention.head_count_kv"), heads)*width, most))
}

func names[T fmt.Stringer](values []T) []string {
	var out []string
	for _, v := range values {
		out = append(out, v.String())
	}
	return out
}
