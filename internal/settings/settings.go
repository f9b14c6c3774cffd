// Package settings declares every setting of Assent, once. Command-line flags, the schema of the settings file, the
// editors' manifests and docs/settings.md are derived from the struct [Settings].
package settings

import (
	"encoding/json"
	"fmt"
	"time"
)

// Settings is what a user may choose. The tags of a field declare it: json (its name in files and editors), flag (its
// name on the command line), group (see [Groups]), scope (see [Scope]), default, what is allowed (min, max, items,
// choices, each with what it does, as "name: Sentence.|name: Sentence."), unit (of a number), env (a variable that sets
// it), chat (the key of a chat's front matter that sets it) and chatRule (see [ChatRule]), restart (the server reads it
// only when it starts), doc.
type Settings struct {
	// Which model answers, and with how much context.
	Model          string   `json:"model" flag:"model" group:"model" scope:"any" chat:"model" chatRule:"below the flag" doc:"Name of an installed model. Empty: the best installed one that fits into the free memory of this machine; where that is not known (another system than Linux, a server elsewhere), the largest. The flag comes first, then the front matter of a chat, then a workspace's setting. A model that runs on another machine is used only if you named it by the flag or in your settings file, or say so when you are asked."`
	ContextSize    int      `json:"contextSize" flag:"context-size" group:"model" scope:"user" default:"0" min:"0" max:"10000000" unit:"tokens" doc:"Context size in tokens, the same for every request to a model. 0: what suits the model, the memory and the chat, 8,192 where all do, or what is loaded already if that is larger (docs/context.md)."`
	Think          string   `json:"think" flag:"think" group:"model" scope:"any" chat:"think" default:"auto" choices:"auto: As the profile of the model says, else the model server.|on: It thinks.|off: It does not think.|low: It thinks a little, if it knows levels.|medium: It thinks more, if it knows levels.|high: It thinks much, if it knows levels." doc:"How much a model that can think does so before it answers. The front matter of a chat comes first: think: true, false, low, medium or high."`
	Titles         string   `json:"titles" flag:"titles" group:"model" scope:"user" default:"words" choices:"words: The first words of its first question.|model: The model is asked for a title of a few words once it has answered that, which is written into the front matter; it takes no place of what the model server keeps of the chat, waits for all else, and is left out for models that think first." doc:"What a chat without a title is called."`
	KeepAlive      Duration `json:"keepAlive" flag:"keep-alive" group:"model" scope:"user" default:"5m" min:"0s" max:"8760h" doc:"How long the model server keeps a model loaded after a request. 0s leaves it to the model server."`
	CompleteModel  string   `json:"completionModel" flag:"completion-model" group:"model" scope:"own" restart:"true" doc:"Name of an installed model that completes code while you type, in editors that show inline completions: one whose capabilities have insert, on your own model server. What surrounds the cursor is sent to it. Requests of chats come first and end a completion. Empty: nothing is completed."`
	EmbeddingModel string   `json:"embeddingModel" flag:"embedding-model" group:"model" scope:"own" restart:"true" doc:"Name of an installed model by which tools and tables of databases are searched by what they mean, too, and not by words alone: one whose capabilities have embedding, on your own model server. What the tools and tables say about themselves is sent to it, and the words of a search. Requests of chats come first. Empty: by words alone (docs/mcp.md)."`

	// Where models run.
	OllamaHost  string `json:"ollamaHost" flag:"ollama-host" group:"server" scope:"own" env:"OLLAMA_HOST" restart:"true" doc:"Address of the Ollama server, such as http://127.0.0.1:11434. Empty: this machine."`
	OllamaProxy string `json:"ollamaProxy" flag:"ollama-proxy" group:"server" scope:"own" restart:"true" doc:"Proxy on the way to an Ollama server on another machine, such as http://proxy:3128; environment: what HTTP_PROXY, HTTPS_PROXY and NO_PROXY say. Empty: none, whatever they say."`
	ServerPorts Names  `json:"serverPorts" flag:"server-ports" group:"server" scope:"own" items:"port" default:"9931,8080,1234" doc:"Ports of this machine where assent doctor, assent models and a chat whose model no other server has look for a model server that you did not declare (docs/servers.md). An empty list: no port is asked, and no server that you approved there is used."`
	Offline     bool   `json:"offline" flag:"offline" group:"server" scope:"own" default:"false" restart:"true" doc:"Reach nothing but this machine: no model server, web page, MCP server or collector elsewhere, no login and no proxy; programs that are started have no network, or do not start (docs/offline.md)."`
	ModelQueue  bool   `json:"modelQueue" flag:"model-queue" group:"server" scope:"user" default:"true" restart:"true" doc:"Requests to the model server wait for those of your other windows and editors, those of chats first. Switch it off for a server that answers several at a time (OLLAMA_NUM_PARALLEL); then only the requests of one window wait for each other."`

	// How tokens are picked.
	Temperature   *float64 `json:"temperature" flag:"temperature" group:"sampling" scope:"any" chat:"temperature" min:"0" max:"2" doc:"Randomness of the replies. Without it the model's own is used."`
	TopP          *float64 `json:"topP" flag:"top-p" group:"sampling" scope:"any" chat:"top_p" min:"0" max:"1" doc:"Picks among the likeliest tokens that together have this probability. Without it the model's own is used."`
	TopK          *int     `json:"topK" flag:"top-k" group:"sampling" scope:"any" chat:"top_k" min:"0" max:"100000" unit:"tokens" doc:"Picks among so many of the likeliest tokens. Without it the model's own is used."`
	MinP          *float64 `json:"minP" flag:"min-p" group:"sampling" scope:"any" chat:"min_p" min:"0" max:"1" doc:"Leaves out tokens that are less likely than this share of the likeliest one. Without it the model's own is used."`
	RepeatPenalty *float64 `json:"repeatPenalty" flag:"repeat-penalty" group:"sampling" scope:"any" chat:"repeat_penalty" min:"0" max:"2" doc:"Makes what was written just now less likely; 1: not. Without it the model's own is used."`
	Seed          *int     `json:"seed" flag:"seed" group:"sampling" scope:"any" chat:"seed" min:"0" max:"2147483647" doc:"Makes the same request give the same reply, as far as the model server can. Without it each is another."`
	LongestReply  *int     `json:"longestReply" flag:"longest-reply" group:"sampling" scope:"any" chat:"num_predict" min:"1" max:"10000000" unit:"tokens" doc:"How many tokens a reply may have, with its thinking; a longer one is cut, and the run says so. Without it the context is the limit."`

	// What a model is told first.
	Preset       string `json:"preset" flag:"preset" group:"prompt" scope:"any" chat:"prompt" chatRule:"below the flag" doc:"The prompt that the others build on: coding, review, explain, write, minimal or one of your own; assent prompt presets lists them. Empty: coding. The flag comes first, then the front matter of a chat, then a workspace's setting."`
	SystemPrompt string `json:"systemPrompt" flag:"system-prompt" group:"prompt" scope:"own" doc:"A text that takes the place of the whole system prompt, for one launch or a trial. Empty: the prompt is composed of its layers, see docs/prompts.md."`
	RulesFiles   Names  `json:"rulesFiles" flag:"rules-files" group:"prompt" scope:"own" default:".cursorrules,.github/copilot-instructions.md,AGENTS.md,CLAUDE.md" doc:"The rules files of a trusted workspace that are part of the prompt, of those that Assent knows. An empty list: none."`
	ToolPrompt   string `json:"toolSystemPrompt" flag:"tool-system-prompt" group:"prompt" scope:"own" doc:"A text that takes the place of the words by which a model that writes its calls as text is told how to call tools, for one launch or a trial. The list of the tools and what a call looks like stand below it. Empty: the words of the format."`

	// What runs without a question, and how long.
	Mode     string `json:"mode" flag:"mode" group:"runs" scope:"own" chat:"mode" chatRule:"narrows" default:"ask" choices:"ask: What your rules allow.|edits: Also edits of files in the workspace, which you can review and undo.|plan: Nothing that changes anything.|full: Also all commands, but only in a proven sandbox, and only what it confines." doc:"How much runs without a question. What your rules deny or ask about, and protected files, are as ever. A chat can ask for less: mode: plan or mode: ask in its front matter."`
	MaxSteps int    `json:"maxSteps" flag:"max-steps" group:"runs" scope:"less" default:"25" min:"1" max:"1000" unit:"replies" doc:"How many replies a model may give in one run before it ends."`

	// How commands run.
	Commands       string   `json:"commands" flag:"commands" group:"commands" scope:"own" default:"ask" choices:"ask: What no rule allows is asked about before it runs.|try: Each command that the sandbox confines runs on a copy without a question; what it changed there is asked about like edits, and discarded in the mode plan." doc:"What commands need before they run. What your rules deny or ask about is as ever."`
	Sandbox        string   `json:"sandbox" flag:"sandbox" group:"commands" scope:"own" default:"auto" choices:"auto: Where one can be had and its self-test passes.|off: Never; then each command is asked about." restart:"true" doc:"Whether commands run in a sandbox: without network, and writing nothing but what is unprotected in the workspace."`
	CommandTimeout Duration `json:"commandTimeout" flag:"command-timeout" group:"commands" scope:"less" default:"2m" min:"1s" max:"24h" doc:"How long one command of the model may run."`
	CommandMemory  int      `json:"commandMemory" flag:"command-memory" group:"commands" scope:"own" default:"0" min:"0" max:"100000000" unit:"MB" restart:"true" doc:"MB of memory that the processes of one command in the sandbox may have together; the sandbox ends a command that has more. 0: half of the machine's."`
	CommandDisk    int      `json:"commandDisk" flag:"command-disk" group:"commands" scope:"own" default:"20000" min:"1" max:"100000000" unit:"MB" restart:"true" doc:"MB that one command in the sandbox may write in the workspace; the sandbox ends a command that writes more, and asks what becomes of its changes."`
	KeepReplaced   int      `json:"keepReplaced" flag:"keep-replaced" group:"commands" scope:"own" default:"2000" min:"0" max:"100000000" unit:"MB" restart:"true" doc:"MB of files that commands replaced or removed and that Undo turn does not cover, which are kept for a workspace. 0: none."`
	KeepFor        Duration `json:"keepReplacedFor" flag:"keep-replaced-for" group:"commands" scope:"own" default:"168h" min:"1m" max:"8760h" restart:"true" doc:"How long such files are kept."`

	// What a model can call, and how.
	Tools      *Names  `json:"tools" flag:"tools" group:"tools" scope:"own" chat:"tools" chatRule:"narrows" doc:"The only tools that models get and anybody can call, by their own names, for one launch or for good; an empty list: none. Without it there are all but those of toolsOff."`
	ToolsOff   Names   `json:"toolsOff" flag:"tools-off" group:"tools" scope:"more" doc:"Tools that no model gets and nobody can call, by their own names; assent tools list shows them."`
	ToolNames  Renames `json:"toolNames" flag:"tool-names" group:"tools" scope:"own" doc:"Other names for tools, from their own name to the one that models and you see. What you allow or forbid goes by their own names."`
	ToolFormat string  `json:"toolFormat" flag:"tool-format" group:"tools" scope:"user" default:"auto" choices:"auto: What is known to work best with the model.|native: The model server describes the tools and reads the calls.|text: The tools are described in the prompt, and calls are read from the text of the reply.|guided: A schema limits each reply; meant for small models." doc:"How tools are described to a model and its calls are read."`
	CallFormat string  `json:"legacyToolCallFormat" flag:"legacy-tool-call-format" group:"tools" scope:"own" doc:"Name of the format in which tools are described and calls are written and read, for one launch or a trial, such as hermes; assent decode --list shows all. It comes before toolCallPrimary and toolFormat. Empty: they decide."`
	Primary    string  `json:"toolCallPrimary" flag:"tool-call-primary" group:"tools" scope:"own" doc:"Name of the format in which tools are described and earlier calls are written, such as hermes or python; those that the model's profile lists are read as well. It comes before toolFormat. Empty: toolFormat decides, and the profile."`
	Enabled    *Names  `json:"toolCallEnabled" flag:"tool-call-enabled" group:"tools" scope:"fewer" doc:"The only formats whose calls run, by the names that assent decode --list shows; a call in another one stays text, and the model is told so. The format in which tools are described must be one of them. An empty list: no call runs. Without it: all formats."`
	ToolSearch string  `json:"toolSearch" flag:"tool-search" group:"tools" scope:"user" default:"auto" choices:"auto: The tools that the profile of the model names, at once, and the others once a search finds them.|on: None but what a search finds.|off: All of them, at once." doc:"Which tools are described to a model. With off, the tool tool_search is not offered."`

	// Programs that a model writes.
	Python      bool `json:"pythonExecution" flag:"python-execution" group:"tools" scope:"fewer" default:"false" doc:"Offer the tool python_execution, which runs a Python program that the model writes, in an interpreter that reaches no file and no network. A Python block in the fence of the format python, at the end of a complete reply, is a call of it, whatever toolCallPrimary says; one that is only shown never runs."`
	PythonCalls bool `json:"pythonToolCalling" flag:"python-tool-calling" group:"tools" scope:"fewer" default:"true" doc:"Let such programs call the other tools as functions. Each call is judged and asked about as if the model had made it. Without it, programs only compute, and the format python does not describe tools."`

	// What tools reach outside the workspace.
	WebFetch       bool   `json:"webFetch" flag:"web-fetch" group:"reach" scope:"own" default:"false" doc:"Offer the tool web_fetch, which gets pages of the public internet. Each is asked about unless a rule of yours allows its host."`
	SearchEndpoint string `json:"searchEndpoint" flag:"search-endpoint" group:"reach" scope:"own" doc:"Address of a SearXNG server, such as http://127.0.0.1:8888, which the tool web_search asks. Empty: there is no such tool."`
	PrivateHosts   Names  `json:"privateHosts" flag:"private-hosts" group:"reach" scope:"own" doc:"Hosts outside the public internet that web_fetch may ask, such as this machine or one in your own network."`
	MCPFiles       bool   `json:"mcpFiles" flag:"mcp-files" group:"reach" scope:"own" default:"false" doc:"Read also the MCP servers that a workspace declares for other programs, in .mcp.json and .vscode/mcp.json. Each does nothing until you trust it."`
	Databases      *Names `json:"databases" flag:"databases" group:"reach" scope:"fewer" doc:"The only databases of yours that chats use, by the names in databases.json (docs/sql.md); an empty list: none. Without it, all of them."`
	Toolbox        string `json:"toolbox" flag:"toolbox" group:"reach" scope:"own" doc:"The MCP Toolbox, by which databases are asked: a path from / or ~/ on. Empty: it is looked for in the cache folder, as assent/toolbox/toolbox, and on PATH."`

	// What editors and their extensions do.
	Path          string `json:"path" group:"editor" scope:"extension" default:"assent" doc:"The assent program that the editor's extension starts: a name on PATH or an absolute path."`
	AssumeEdits   bool   `json:"assumeEdits" flag:"assume-edits" group:"editor" scope:"user" default:"false" restart:"true" doc:"Send edits to an editor that does not say that it takes them. Vim with ALE does not, and takes them."`
	SaveAfterEdit bool   `json:"saveAfterEdit" flag:"save-after-edit" group:"editor" scope:"less" default:"true" doc:"Save a file after an approved edit if it had no unsaved changes before. Only for editors with an extension of ours."`
	FollowReply   bool   `json:"followReply" group:"editor" scope:"extension" default:"true" doc:"Keep the end of a reply in view while it is written, unless you scroll or type. Only for editors with an extension of ours."`
	FoldDetails   bool   `json:"foldDetails" group:"editor" scope:"extension" default:"true" doc:"Fold long blocks of thinking, context and results in chats, once each. Only for editors with an extension of ours."`
	Notify        bool   `json:"notify" group:"editor" scope:"extension" default:"true" doc:"Show a notification when a call waits for your answer that is not on the screen. Only for editors with an extension of ours."`

	// The log, and traces.
	LogLevel      string `json:"logLevel" flag:"log-level" group:"log" scope:"user" default:"info" choices:"debug: Also each message of the protocol, by its name and size.|info: What was done, and what failed.|warn: What does not work as it should, and failures.|error: Failures alone." restart:"true" doc:"What the log holds. It never holds the text of documents."`
	LogFile       string `json:"logFile" flag:"log-file" group:"log" scope:"own" restart:"true" doc:"File for the log. Empty: standard error, which editors collect."`
	TraceEndpoint string `json:"traceEndpoint" flag:"trace-endpoint" group:"log" scope:"own" restart:"true" doc:"Address of a collector of OpenTelemetry, such as http://127.0.0.1:4318, which gets a trace of each run: how long each request to the model and each call took, and how it ended (docs/traces.md). Empty: nothing is sent, whatever the environment says."`
	TraceContent  bool   `json:"traceContent" flag:"trace-content" group:"log" scope:"own" default:"false" restart:"true" doc:"Put messages, arguments of calls and their results into traces, too. Without it they hold only names, counts and times."`
}

// Scope says who may set a setting besides the user. A workspace can only tighten.
type Scope string

// The scopes.
const (
	User Scope = "user" // the user alone
	Less Scope = "less" // a workspace may only lower it, or switch it off
	More Scope = "more" // a workspace may only add to it: a list of what is switched off
	// a workspace may only take away from it: from a list of all that is used (without it, everything is), or by
	// switching it off. No editor sets it.
	Fewer Scope = "fewer"
	Any   Scope = "any" // a workspace may choose; it grants nothing
	// the user alone, in their own file or by the flag: what an editor sends may come from a workspace.
	Own       Scope = "own"
	Extension Scope = "extension" // the user alone; it is for an editor's extension, and the server ignores it
)

// ofEditors reports whether a setting is taken from an editor, whose settings may come from a workspace.
func (s Scope) ofEditors() bool { return s != Own && s != Fewer }

// Duration is a length of time, written as "90s" or "5m".
type Duration time.Duration

// String writes the duration without zero parts: "5m", not "5m0s".
func (d Duration) String() string {
	switch v := time.Duration(d); {
	case v != 0 && v%time.Hour == 0:
		return fmt.Sprintf("%dh", v/time.Hour)
	case v != 0 && v%time.Minute == 0:
		return fmt.Sprintf("%dm", v/time.Minute)
	default:
		return v.String()
	}
}

// MarshalJSON writes the duration as text.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("a duration is text such as \"5m\"")
	}
	v, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("%q is no duration such as \"90s\" or \"5m\"", text)
	}
	*d = Duration(v)
	return nil
}

// Defaults are the settings of a user who set nothing.
func Defaults() Settings {
	var s Settings
	for _, f := range fields() {
		f.put(&s, f.Default)
	}
	return s
}
