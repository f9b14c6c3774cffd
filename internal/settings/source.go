package settings

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

// isEditor reports whether an editor sends what the source says.
func (s Source) isEditor() bool { return s == Options || s == Editor }

// String names the source for people.
func (s Source) String() string {
	return []string{
		"built in", "the environment", "your settings file", "the editor's initialization options",
		"the editor's settings", "the command line", "the workspace's settings file", "the front matter of the chat",
	}[s-BuiltIn]
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
