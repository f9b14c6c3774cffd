package piped

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/tools/diskfile"
)

// Flag is the name of the flag that says what chats of a launch begin with.
const Flag = "initial-prompt"

// AddFlag adds the flag; use says what is done with the text.
func AddFlag(flags *pflag.FlagSet, use string) {
	flags.String(Flag, "", use+" A text, or @FILE that holds it; a text that begins with @@ begins with @.")
	flags.Lookup(Flag).Annotations = map[string][]string{settings.LaunchMark: {}}
}

// Initial is what the flag says; empty: it was not given. The error is a sentence without its end.
func Initial(flags *pflag.FlagSet) (string, error) {
	text, err := flags.GetString(Flag)
	if err != nil || !flags.Changed(Flag) {
		return "", err
	}
	path, at := strings.CutPrefix(text, "@")
	switch {
	case at && strings.HasPrefix(path, "@"):
		text = path
	case at:
		data, err := diskfile.ReadSmall(path, diskfile.MaxText)
		if err == nil && data == nil {
			err = errors.New("there is no file " + path)
		}
		if err != nil {
			return "", fmt.Errorf("--%s: %w", Flag, err)
		}
		text = string(data)
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", errors.New("--" + Flag + ": the text is empty")
	}
	return text, nil
}
