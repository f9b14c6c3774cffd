package settings

import "fmt"

// Source is where a value comes from. A later source wins over an earlier one, but for the workspace: it can only
// tighten what the other sources set together (invariant 1), and a flag wins over what it may choose. See
// [Field.Precedence] for the whole order.
type Source int

// The sources, weakest first.
const (
	BuiltIn     Source = iota - 1 // the default; no [Store] holds it
	Environment                   // the variables that settings declare, such as OLLAMA_HOST
	UserFile                      // settings.json in the user's configuration folder
	Options                       // initializationOptions of the editor
	Editor                        // workspace/didChangeConfiguration
	Flags                         // the command line
	Workspace                     // .assent/settings.json of a workspace folder
	Chat                          // the front matter of a chat; see [Store.Explain]
)

// String names the source for people.
func (s Source) String() string {
	switch s {
	case BuiltIn:
		return "built in"
	case Environment:
		return "the environment"
	case UserFile:
		return "your settings file"
	case Options:
		return "the editor's initialization options"
	case Editor:
		return "the editor's settings"
	case Flags:
		return "the command line"
	case Workspace:
		return "the workspace's settings file"
	case Chat:
		return "the front matter of the chat"
	default:
		return fmt.Sprintf("source %d", int(s))
	}
}

// MarshalText names the source in JSON.
func (s Source) MarshalText() ([]byte, error) {
	return []byte([]string{
		"builtIn", "environment", "userFile", "editorOptions", "editor", "flag", "workspace", "chat",
	}[s-BuiltIn]), nil
}

// ChatRule says how the value of a chat counts beside those of other sources.
type ChatRule string

// The rules.
const (
	Wins      ChatRule = ""               // it comes first
	BelowFlag ChatRule = "below the flag" // it comes first but for the flag
	Narrows   ChatRule = "narrows"        // it can only ask for less than the others
)

// Precedence lists the sources that may set a setting, the strongest first; the last is the built-in default.
func (f Field) Precedence() []Source {
	tightens := f.Scope == Less || f.Scope == More || f.Scope == Fewer
	var order []Source
	add := func(may bool, source Source) {
		if may {
			order = append(order, source)
		}
	}
	add(f.Chat != "" && f.Rule != BelowFlag, Chat)
	add(tightens, Workspace)
	add(f.Flag != "", Flags)
	add(f.Chat != "" && f.Rule == BelowFlag, Chat)
	add(f.Scope == Any, Workspace)
	add(f.Scope.ofEditors(), Editor)
	add(f.Scope.ofEditors(), Options)
	add(f.Scope != Extension, UserFile)
	add(f.Env != "", Environment)
	return append(order, BuiltIn)
}
