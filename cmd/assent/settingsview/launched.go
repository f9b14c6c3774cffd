package settingsview

import (
	"github.com/spf13/pflag"

	"github.com/assent-ls/assent/internal/settings"
)

// Launched is the first event of a run, with the flags of its launch by name, as JSON has it.
func Launched(given *pflag.FlagSet) map[string]any {
	var launch settings.Store
	launch.SetFlags(given)
	flags := map[string]any{}
	for _, g := range launch.Launched() {
		flags[g.Flag] = g.Value
	}
	return map[string]any{"event": "launched", "flags": flags}
}
