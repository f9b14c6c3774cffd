package probe

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/assent-ls/assent/agent/model"
)

// File writes a profile in the form that model.LoadProfileFiles reads.
func File(profile model.Profile, engine string, when time.Time) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Found out by `assent doctor --probe` on %s with %s. Delete this file to use the built-in profile again.\n\n",
		when.Format(time.DateOnly), strings.Join(strings.Fields(engine), " "))
	err := toml.NewEncoder(&out).Encode(struct {
		Profile []model.Profile `toml:"profile"`
	}{[]model.Profile{profile}})
	return out.Bytes(), err
}

// FileName is the name of the file for a model, the same for every probe of it.
func FileName(name string) string {
	return "probed-" + strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name) + ".toml"
}

// Changes says in sentences what a new profile does differently.
func Changes(before, after model.Profile) []string {
	var changes []string
	if was, is := before.Formats[0], after.Formats[0]; was != is {
		changes = append(changes, fmt.Sprintf("tool calls: %s instead of %s", is, was))
	}
	if was, is := strings.Join(before.Formats, ", "), strings.Join(after.Formats, ", "); was != is {
		changes = append(changes, fmt.Sprintf("formats in order: %s (before: %s)", is, was))
	}
	if before.MaxTools != after.MaxTools {
		changes = append(changes, fmt.Sprintf("at most %d tools at once", after.MaxTools))
	}
	return changes
}
