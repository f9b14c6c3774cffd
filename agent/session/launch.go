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
	which := func(names []string, none, only string) string {
		if len(names) == 0 {
			return none
		}
		return only + strings.Join(names, ", ")
	}
	if now.Tools != nil {
		which := which(now.Tools.All(), "no tool", "only these tools: ")
		said = append(said, by("tools", "tools")+" leaves "+which+".")
	}
	written := func(who, format string) {
		said = append(said, fmt.Sprintf("%s has calls written in the format %s.", who, visible.Line(format)))
	}
	switch {
	case now.CallFormat != "":
		written(by("legacyToolCallFormat", "legacy-tool-call-format"), now.CallFormat)
	case now.Primary != "":
		written(by("toolCallPrimary", "tool-call-primary"), now.Primary)
	}
	if now.Enabled != nil {
		which := which(now.Enabled.All(), "no format run", "only these formats run: ")
		said = append(said, by("toolCallEnabled", "tool-call-enabled")+" has the calls of "+which+".")
	}
	return said
}
