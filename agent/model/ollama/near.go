package ollama

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

const (
	nearModels = 3   // how many installed models a sentence names
	maxName    = 200 // bytes of a name that are compared
)

// notInstalled says what to do about a model that the server does not have, and names the installed ones nearest to it.
func (b *Backend) notInstalled(ctx context.Context, name string) string {
	sentence := fmt.Sprintf("The model %q is not installed: run `ollama pull %s`", name, name)
	if strings.ContainsAny(name, " \t\n`'\"$;&|<>\\") {
		sentence = fmt.Sprintf("The model %q is not installed: correct its name", name) // nothing to paste into a shell
	}
	var installed []string
	if models, err := b.Models(ctx); err == nil {
		for _, m := range models {
			installed = append(installed, m.Name)
		}
	}
	if near := nearest(name, installed); len(near) > 0 {
		sentence += ", or use one that is: " + strings.Join(near, ", ")
	}
	return sentence + "."
}

// nearest picks the names most like a name: those of the same base first, then by edit distance.
func nearest(name string, installed []string) []string {
	name = strings.ToLower(name[:min(maxName, len(name))])
	base, _, _ := strings.Cut(name, ":")
	distance := func(other string) int {
		other = strings.ToLower(other[:min(maxName, len(other))])
		if strings.HasPrefix(other, base+":") {
			return 0
		}
		return 1 + levenshtein.ComputeDistance(name, other)
	}
	slices.SortStableFunc(installed, func(a, b string) int {
		return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(a, b))
	})
	return installed[:min(nearModels, len(installed))]
}
