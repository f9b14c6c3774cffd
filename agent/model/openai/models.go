package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/internal/lazyregexp"
)

// list asks for the models and notes what the server calls each.
func (b *Backend) list(ctx context.Context) ([]row, error) {
	kind, err := b.discover(ctx)
	if err != nil {
		return nil, err
	}
	var rows []row
	if kind == LMStudio {
		rows, err = b.studioRows(ctx)
	}
	if kind != LMStudio || err != nil || len(rows) == 0 {
		rows, err = b.rows(ctx)
	}
	if err != nil {
		return nil, err
	}
	if kindOf(rows) == ollama {
		return nil, errOllama
	}
	count := map[string]int{}
	for _, r := range rows {
		count[shownName(r.ID)]++
	}
	ids := map[string]string{}
	for i := range rows {
		r := &rows[i]
		if r.shown = shownName(r.ID); count[r.shown] > 1 {
			r.shown = r.ID
		}
		ids[r.shown] = r.ID
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ids = ids
	return rows, nil
}

// listSoon is list for those who have no limit of their own.
func (b *Backend) listSoon(ctx context.Context) ([]row, error) {
	limited, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return b.list(limited)
}

// shownName is what people call a model: without the folders of a file.
func shownName(id string) string {
	name := id
	if strings.HasPrefix(id, "/") || strings.Contains(id, `:\`) || strings.HasSuffix(id, ".gguf") {
		name = path.Base(strings.ReplaceAll(id, `\`, "/"))
	}
	return cmp.Or(strings.TrimSuffix(name, ".gguf"), id)
}

// noWait is for those who show nothing while the server loads its model.
func noWait() error { return nil }

// ready sees that a request can be written: what the server is, and what it calls the model.
func (b *Backend) ready(ctx context.Context, name string, wait func() error) error {
	b.mu.Lock()
	_, known := b.ids[name]
	known = known && b.kind != ""
	b.mu.Unlock()
	if known {
		return nil
	}
	_, err := b.find(ctx, name, wait)
	return err
}

// find gives the row of a model. While the server loads its model, it calls wait and asks again. Of a server that lists
// none, any name may be one.
func (b *Backend) find(ctx context.Context, name string, wait func() error) (row, error) {
	rows, err := b.listSoon(ctx)
	for refused := (*serverError)(nil); errors.As(err, &refused) && refused.loading(); {
		if err = cmp.Or(wait(), sleep(ctx, loadingPoll)); err == nil {
			rows, err = b.listSoon(ctx)
		}
	}
	if missing, ok := errors.AsType[*serverError](err); ok && missing.noRoute() {
		rows, err = nil, nil
	}
	if err != nil {
		return row{}, err
	}
	if i := slices.IndexFunc(rows, func(r row) bool { return r.shown == name || r.ID == name }); i >= 0 {
		b.call(name, rows[i].ID)
		return rows[i], nil
	}
	open := slices.ContainsFunc(rows, func(r row) bool { return strings.Contains(r.ID, "*") })
	if open || len(rows) == 0 && b.knownKind() == Other {
		b.call(name, name)
		return row{ID: name, shown: name}, nil
	}
	return row{}, &model.Error{Kind: model.NotInstalled, Sentence: b.secrets.Hide(b.notServed(ctx, name))}
}

// call notes what the server calls a model.
func (b *Backend) call(name, id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ids[name] = id
}

// targetOf is what a request to a model is written for.
func (b *Backend) targetOf(name string) target {
	b.mu.Lock()
	defer b.mu.Unlock()
	return target{
		kind: cmp.Or(b.kind, Other), id: cmp.Or(b.ids[name], name), slots: b.slots, beside: -1,
		schema: b.tried[name].Schema, whole: b.lossy[name], without: maps.Clone(b.refused), field: b.field,
	}
}

// Models implements [model.Backend].
func (b *Backend) Models(ctx context.Context) ([]model.Info, error) {
	limited, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	rows, err := b.list(limited)
	if err != nil {
		return nil, b.failure(ctx, "", false, err)
	}
	infos := make([]model.Info, 0, len(rows))
	for _, r := range rows {
		infos = append(infos, b.info(r))
	}
	return infos, nil
}

// Describe implements [model.Backend]. While the server loads its model, it waits.
func (b *Backend) Describe(ctx context.Context, name string) (model.Info, error) {
	answer, end := b.propsAhead(ctx, name)
	defer end()
	r, err := b.find(ctx, name, noWait)
	if err != nil {
		return model.Info{}, b.failure(ctx, name, false, err)
	}
	limited, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	info, kind := b.info(r), b.knownKind()
	info.Name, info.Endpoint = name, model.NewEndpoint(cmp.Or(kind, Other), b.at)
	switch kind {
	case LlamaCpp:
		p, err := answer(limited, r.ID)
		if err != nil && r.Status.Value != "unloaded" {
			return info, b.failure(ctx, name, false, err)
		}
		b.remember(p.Build, p.Slots)
		addProps(&info, p)
	case SGLang:
		s := b.serverInfo(limited)
		b.remember(s.Version, s.Slots)
		setContext(&info, cmp.Or(info.LoadedContext, s.Context))
		addCapability(&info, "vision", s.Image)
		addCapability(&info, "audio", s.Audio)
	case VLLM:
		b.remember(b.version(limited), 0)
	}
	if info.LoadedContext == 0 && kind != LMStudio {
		setContext(&info, b.config.Context)
	}
	info.Digest = fmt.Sprintf("%s %s %d %.0f %.0f", r.ID, r.Root, info.LoadedContext, r.Meta.Parameters, r.Meta.Size)
	if a, ok := b.Abilities(name); ok {
		info.Unconstrained = a.Schema == model.NoSchema
		info.Capabilities = slices.DeleteFunc(info.Capabilities, func(c string) bool { return c == "tools" })
		addCapability(&info, "tools", a.Calls == model.WholeCalls)
	}
	return info, nil
}

// propsAhead asks llama.cpp's server about a model at the same time as for its list, if an earlier list had the model:
// a Send waits for both. answer gives the props, and asks for those that are not there; end must be called.
func (b *Backend) propsAhead(
	ctx context.Context, name string,
) (answer func(ctx context.Context, id string) (props, error), end func()) {
	b.mu.Lock()
	early, known := b.ids[name]
	known = known && b.kind == LlamaCpp
	b.mu.Unlock()
	limited, cancel := context.WithTimeout(ctx, answerTime)
	var asking conc.WaitGroup
	var p props
	err := errNoReply
	if known {
		asking.Go(func() { p, err = b.props(limited, early) })
	}
	answer = func(ctx context.Context, id string) (props, error) {
		if asking.Wait(); err == nil && id == early {
			return p, nil
		}
		return b.props(ctx, id)
	}
	return answer, func() { cancel(); asking.Wait() }
}

// info is what the list tells of a model.
func (b *Backend) info(r row) model.Info {
	info := model.Info{
		Name: r.shown, Family: r.Arch, Quantization: cmp.Or(r.Quantization, quantization(r.shown)),
		Parameters: parameters(r.Meta.Parameters), Bytes: int64(r.Meta.Size), Capabilities: []string{"completion"},
	}
	setContext(&info, cmp.Or(r.MaxModelLen, r.MaxInputTokens, r.ContextLength, r.Meta.Context))
	if r.State != "" { // LM Studio
		info.LoadedContext, info.ContextLimit = r.Loaded, cmp.Or(r.Loaded, r.MaxContext)
	}
	lower := strings.ToLower(r.shown)
	switch {
	case r.Type == "embeddings" || strings.Contains(lower, "embed") || strings.HasPrefix(lower, "bge-"):
		info.Capabilities = []string{model.CanEmbed}
	case r.Type == "vlm" || seesByName().MatchString(lower):
		addCapability(&info, "vision", true)
	}
	addCapability(&info, "tools", slices.Contains(r.Can, "tool_use"))
	return info
}

const mostContext = 1 << 30 // tokens that a server may tell of

// setContext says how many tokens a request may take. What a model was trained for is never that.
func setContext(info *model.Info, size int) {
	if size > 0 && size <= mostContext {
		info.LoadedContext, info.ContextLimit = size, size
	}
}

// addProps adds what llama.cpp's server tells.
func addProps(info *model.Info, p props) {
	setContext(info, p.Settings.Context)
	info.Template = p.Template
	if p.Settings.Context > 0 {
		info.LoadedBytes = info.Bytes
	}
	tools := p.Caps["supports_tools"] == true || p.Caps["supports_tool_calls"] == true
	if len(p.Caps) == 0 {
		tools = strings.Contains(p.Template, "tools")
	}
	addCapability(info, "tools", tools)
	addCapability(info, "thinking", strings.Contains(p.Template, "enable_thinking") ||
		strings.Contains(p.Template, "reasoning_content") || strings.Contains(p.Template, "reasoning_effort"))
	addCapability(info, "vision", p.Modes["vision"] == true)
	addCapability(info, "audio", p.Modes["audio"] == true)
}

func addCapability(info *model.Info, capability string, has bool) {
	if has && !info.Can(capability) && !info.Can(model.CanEmbed) {
		info.Capabilities = append(info.Capabilities, capability)
	}
}

// Names say something where the server does not.
var (
	seesByName       = lazyregexp.New(`(^|[-_/.\d])(vl|vision|llava|pixtral|internvl|minicpm-v|omni)([-_.:\d]|$)`)
	quantizationName = lazyregexp.New(`(?i)(?:^|[-._])(i?q\d(?:_[a-z0-9]+)*|bf16|f16|fp8|awq|gptq|int4|int8)$`)
)

func quantization(name string) string {
	if m := quantizationName().FindStringSubmatch(name); m != nil {
		return strings.ToUpper(m[1])
	}
	return ""
}

// parameters writes a count as people do ("1.5B").
func parameters(n float64) string {
	switch {
	case n <= 0:
		return ""
	case n < 1e9:
		return fmt.Sprintf("%.0fM", n/1e6)
	}
	return fmt.Sprintf("%.1fB", n/1e9)
}

// Preload implements [model.Backend]: a server that loads models when they are asked for is asked for one token. The
// context size is the server's own.
func (b *Backend) Preload(ctx context.Context, name string, _ int, _ time.Duration) error {
	r, err := b.find(ctx, name, noWait)
	if err != nil {
		return b.failure(ctx, name, false, err)
	}
	if r.State != "not-loaded" && r.Status.Value != "unloaded" {
		return nil
	}
	return b.Chat(ctx, preloadRequest(name), func(model.Chunk) error { return nil })
}

func preloadRequest(name string) model.Request {
	return model.Request{Model: name, MaxTokens: 1, Messages: []model.Message{{Role: model.RoleUser, Text: "."}}}
}
