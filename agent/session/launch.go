package session

import (
	"fmt"
	"strings"

	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/internal/visible"
)

// maxFlag is how many characters of a flag are shown.
const maxFlag = 80

// LaunchFlags are the flags of this launch, for people: "--mode plan".
func LaunchFlags(store *settings.Store) (flags []string) {
	for _, given := range store.Launched() {
		flags = append(flags, visible.Shorten(visible.Line(given.String()), maxFlag))
	}
	return flags
}

// LaunchChanges says what a launch, or a trial by the user's own settings, changes in every chat, in sentences that the
// chats show.
func LaunchChanges(now settings.Settings, store *settings.Store) []string {
	by := func(name, flag string) string {
		if store.ByFlag(name) {
			return "The flag --" + flag
		}
		return "The setting " + name
	}
	var said []string
	if now.ToolPrompt != "" {
		said = append(
			said,
			by("toolSystemPrompt", "tool-system-prompt")+" takes the place of the words that say how tools are called.",
		)
	}
	if now.Tools != nil {
		which := "no tool"
		if names := now.Tools.All(); len(names) > 0 {
			which = "only these tools: " + strings.Join(names, ", ")
		}
		said = append(said, by("tools", "tools")+" leaves "+which+".")
	}
	if now.CallFormat != "" {
		said = append(
			said,
			fmt.Sprintf(
				"%s has calls written in the format %s.", by("legacyToolCallFormat", "legacy-tool-call-format"),
				visible.Line(now.CallFormat),
			),
		)
	}
	return said
}
