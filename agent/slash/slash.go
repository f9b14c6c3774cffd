// Package slash knows the commands that a message may begin with, such as /explain: what they are, and what a message
// becomes that uses one. It does no I/O.
package slash

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// Command is something that a message may begin with.
type Command struct {
	Name      string
	Arguments string // what may be behind it, for people; empty: nothing
	Doc       string // one sentence
	Does      Action // what it does instead of being sent; 0: the message becomes Template
	Template  string
	Default   string // what stands for the arguments where there are none
	Path      string // of the file that it comes from; empty: it is built in
	// Summarizes says that the message is sent with a summary in the place of what was said before.
	Summarizes bool
	// From is the server whose prompt it is: what the message becomes is asked of it when the message is sent. Empty:
	// it is of no server.
	From    string
	Problem string // why it cannot be used: a sentence; empty: it can
}

// Action is what a command does that is not sent.
type Action int

// The actions.
const (
	New Action = iota + 1
	Model
	Tools
	Retry
	Undo
	Prompt
)

// Builtin lists the commands that are always there.
func Builtin() []Command {
	const chosen = "@selection"
	return []Command{
		{
			Name: "explain", Arguments: "[WHAT]",
			Doc: "Asks what something does; without words, what you took as @selection.", Default: chosen,
			Template: "Explain what this does, how it works, and what is surprising about it: $ARGUMENTS",
		},
		{
			Name: "fix", Arguments: "[WHAT]",
			Doc:      "Asks for what is wrong to be found and changed; without words, in what you took as @selection.",
			Default:  chosen,
			Template: "Find what is wrong here and fix it. Change nothing else: $ARGUMENTS",
		},
		{
			Name: "test", Arguments: "[WHAT]", Doc: "Asks for tests; without words, of what you took as @selection.",
			Default:  chosen,
			Template: "Write tests, where the tests of this project are and as those are written, for $ARGUMENTS",
		},
		{
			Name: "document", Arguments: "[WHAT]",
			Doc:     "Asks for comments that document something; without words, what you took as @selection.",
			Default: chosen,
			Template: "Document this by comments, as the comments of this project are written. " +
				"Change no code: $ARGUMENTS",
		},
		{
			Name: "commit", Arguments: "[WORDS]",
			Doc: "Asks for the message of a commit of what changed. It commits nothing.",
			Template: "Write the message of a commit of what changed: @diff. " +
				"Its first line has at most 72 characters and is an imperative; then an empty line, then why. " +
				"$ARGUMENTS",
		},
		{
			Name: "compact", Arguments: "MESSAGE",
			Doc:      "Sends the message with a summary of the chat in the place of what was said before.",
			Template: "$ARGUMENTS", Summarizes: true,
		},
		{Name: "new", Arguments: "[MESSAGE]", Doc: "Makes a new chat, which begins with the message.", Does: New},
		{Name: "model", Arguments: "MODEL", Doc: "Lets another model answer in this chat from now on.", Does: Model},
		{Name: "tools", Doc: "Shows the tools that there are.", Does: Tools},
		{Name: "retry", Doc: "Asks the last question again. What followed it is kept in another file.", Does: Retry},
		{Name: "undo", Doc: "Takes back what the last turn changed in files.", Does: Undo},
		{
			Name: "prompt", Arguments: "[PRESET]",
			Doc: "Shows the system prompt, or lets the chat use a preset from now on.", Does: Prompt,
		},
	}
}

// begins finds the command that a message begins with, and what follows it.
var begins = lazyregexp.New(`^/(` + ownName + `|[\w.-]{1,64}:[\w.-]{1,128})(?:\s+([\s\S]*))?$`)

// ownName is the name of a command that is of no server.
const ownName = `[a-z][a-z0-9_-]{0,63}`

// Parse finds the command that a message begins with; ok is false where it begins with none, as with a path.
func Parse(message string) (name, arguments string, ok bool) {
	m := begins().FindStringSubmatch(strings.TrimSpace(message))
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

// IsName reports whether a command that is of no server can be called so.
func IsName(name string) bool { return begins().MatchString("/"+name) && !strings.Contains(name, ":") }

// Find returns the command of a name.
func Find(all []Command, name string) (Command, bool) {
	i := slices.IndexFunc(all, func(c Command) bool { return c.Name == name })
	if i < 0 {
		return Command{}, false
	}
	return all[i], true
}

// placeholder is what a template has in the place of arguments.
var placeholder = lazyregexp.New(`\$(ARGUMENTS\b|[1-9]|\$)`)

// Expand is the message that a command makes of its arguments. The error is a sentence.
func (c Command) Expand(arguments string) (string, error) {
	if c.Problem != "" {
		return "", fmt.Errorf("/%s cannot be used: %s", c.Name, c.Problem)
	}
	if strings.TrimSpace(arguments) == "" {
		arguments = c.Default
	}
	split, needed, used := words(arguments), 0, false
	text := placeholder().ReplaceAllStringFunc(c.Template, func(found string) string {
		switch found = found[1:]; found {
		case "$":
			return "$"
		case "ARGUMENTS":
			used = true
			return arguments
		}
		n := int(found[0] - '0')
		needed, used = max(needed, n), true
		if n > len(split) {
			return ""
		}
		return split[n-1]
	})
	switch {
	case needed > len(split):
		return "", fmt.Errorf(
			"/%s needs more words behind it, %d and not %d: a word with blanks needs quotation marks", c.Name,
			needed, len(split),
		)
	case !used && arguments != "":
		text = strings.TrimRight(text, " \t\r\n") + "\n\n" + arguments
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", fmt.Errorf("/%s needs words behind it", c.Name)
	}
	return text, nil
}

// words splits arguments at blanks; what is in quotation marks is one word.
func words(arguments string) []string {
	var all []string
	for rest := strings.TrimSpace(arguments); rest != ""; rest = strings.TrimSpace(rest) {
		if inner, quoted := strings.CutPrefix(rest, `"`); quoted {
			if word, behind, closed := strings.Cut(inner, `"`); closed {
				all, rest = append(all, word), behind
				continue
			}
		}
		end := strings.IndexAny(rest, " \t\r\n")
		if end < 0 {
			end = len(rest)
		}
		all, rest = append(all, rest[:end]), rest[end:]
	}
	return all
}
