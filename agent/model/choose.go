package model

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Choose picks the model for a user who named none, from what [Backend.Models] or Describe tell, and says why in words
// that fit after "chosen because it is". Of the chat models that fit in memoryBytes (0: unknown, all fit), or are
// loaded now, it takes one that can call tools before one that cannot, then the one with the most parameters. A model
// that runs on another machine is never chosen: that would send the user's files there unasked. If none fits, it is the
// smallest.
func Choose(models []Info, memoryBytes int64) (Info, string, error) {
	profiles, err := LoadProfiles()
	if err != nil {
		return Info{}, "", err
	}
	var candidates []candidate
	for _, m := range models {
		if m.Chats() && m.Elsewhere() == "" {
			candidates = append(candidates, newCandidate(m, profiles))
		}
	}
	if len(candidates) == 0 {
		return Info{}, "", &Error{Kind: NotInstalled, Sentence: fmt.Sprintf(
			"No chat model is installed: run `ollama pull %s`, or name a model.", firstModel(memoryBytes))}
	}
	fitting := slices.DeleteFunc(
		slices.Clone(candidates),
		func(c candidate) bool { return memoryBytes > 0 && c.needs > memoryBytes && c.LoadedBytes == 0 },
	)
	if len(fitting) == 0 {
		smallest := slices.MinFunc(candidates, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(a.needs, b.needs), cmp.Compare(a.Name, b.Name))
		})
		return smallest.Info, fmt.Sprintf(
			"the smallest installed chat model; none fits in %s of memory", gibibytes(memoryBytes),
		), nil
	}
	best := slices.MaxFunc(fitting, better)
	return best.Info, reason(best, len(candidates) == 1, memoryBytes), nil
}

// candidate is a model with what it is compared by.
type candidate struct {
	Info
	calls  bool    // it is known to call tools, by itself or with our help
	params float64 // billions
	needs  int64   // bytes of memory, about
}

func newCandidate(m Info, profiles *Profiles) candidate {
	_, known := profiles.match(m)
	// Weights, and about a fifth of them for the context and buffers.
	needs := max(m.Bytes+m.Bytes/5, m.LoadedBytes)
	return candidate{Info: m, calls: m.Can("tools") || known, params: billions(m), needs: needs}
}

// better orders candidates from worst to best; ties are broken so that the order of the list does not matter.
func better(a, b candidate) int {
	return cmp.Or(
		compareBool(a.calls, b.calls),
		cmp.Compare(a.params, b.params),
		compareBool(a.LoadedBytes > 0, b.LoadedBytes > 0),
		cmp.Compare(a.Bytes, b.Bytes),
		cmp.Compare(b.Name, a.Name),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

func reason(best candidate, only bool, memoryBytes int64) string {
	if only {
		return "the only installed chat model"
	}
	what := "the largest installed chat model"
	if best.calls {
		what += " known to call tools"
	}
	switch {
	case memoryBytes <= 0:
	case best.needs <= memoryBytes:
		what += " that fits in " + gibibytes(memoryBytes) + " of memory"
	default:
		what += " that is loaded"
	}
	return what
}

// firstModel is what to install when nothing is.
func firstModel(memoryBytes int64) string {
	if memoryBytes >= 8<<30 {
		return "qwen2.5-coder:7b"
	}
	return "qwen2.5-coder:1.5b"
}

func gibibytes(bytes int64) string {
	return strconv.FormatFloat(float64(bytes)/(1<<30), 'f', 1, 64) + " GiB"
}

// Chats reports whether a model answers in text. Where the server does not tell, family and name do.
func (i Info) Chats() bool {
	if len(i.Capabilities) > 0 {
		return i.Can("completion")
	}
	family, name := strings.ToLower(i.Family), strings.ToLower(i.Name)
	return !strings.Contains(family, "bert") && !strings.Contains(name, "embed") && !strings.Contains(name, "rerank") &&
		!strings.Contains(name, "minilm") && !strings.HasPrefix(name, "bge-")
}

// billions reads a count of parameters as servers write it ("1.5B", "270M", "8x7B"), else estimates it from the size.
func billions(m Info) float64 {
	text := strings.ToUpper(strings.TrimSpace(m.Parameters))
	factor := 1.0
	if experts, rest, ok := strings.Cut(text, "X"); ok {
		if n, err := strconv.ParseFloat(experts, 64); err == nil {
			factor, text = n, rest
		}
	}
	for unit, size := range map[string]float64{"T": 1000, "B": 1, "M": 1e-3, "K": 1e-6} {
		if count, ok := strings.CutSuffix(text, unit); ok {
			if n, err := strconv.ParseFloat(strings.TrimSpace(count), 64); err == nil && n >= 0 {
				return factor * n * size
			}
		}
	}
	return float64(m.Bytes) / 0.65e9 // four-bit weights and a margin
}
