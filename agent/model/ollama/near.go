package ollama

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/model/transport"
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
	if near := transport.Nearest(name, installed); len(near) > 0 {
		sentence += ", or use one that is: " + strings.Join(near, ", ")
	}
	return sentence + "."
}
