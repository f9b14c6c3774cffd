// Package settings declares every setting of Assent, once. Command-line flags, the schema of the settings file, the
// editors' manifests and docs/settings.md are derived from the struct [Settings].
package settings

import (
	"encoding/json"
	"fmt"
	"time"
)

// Settings is what a user may choose. The tags of a field declare it: json (its name in files and editors), flag (its
// name on the command line), default, min and max, enum or items (what is allowed), scope (see [Scope]), doc.
type Settings struct {
	WebFetch       bool     `json:"webFetch" flag:"web-fetch" scope:"own" default:"false" doc:"Offer the tool web_fetch, which gets pages of the public internet. Each is asked about unless a rule of yours allows its host."`
	SearchEndpoint string   `json:"searchEndpoint" flag:"search-endpoint" scope:"own" doc:"Address of a SearXNG server, such as http://127.0.0.1:8888, which the tool web_search asks. Empty: there is no such tool."`
	PrivateHosts   Names    `json:"privateHosts" flag:"private-hosts" scope:"own" doc:"Hosts outside the public internet that web_fetch may ask, such as this machine or one in your own network."`
	MCPFiles       bool     `json:"mcpFiles" flag:"mcp-files" scope:"own" default:"false" doc:"Read also the MCP servers that a workspace declares for other programs, in .mcp.json and .vscode/mcp.json. Each does nothing until you trust it."`
	Toolbox        string   `json:"toolbox" flag:"toolbox" scope:"own" doc:"The MCP Toolbox, by which databases are asked: a path from / or ~/ on. Empty: it is looked for in the cache folder, as assent/toolbox/toolbox, and on PATH."`
	TraceEndpoint  string   `json:"traceEndpoint" flag:"trace-endpoint" scope:"own" doc:"Address of a collector of OpenTelemetry, such as http://127.0.0.1:4318, which gets a trace of each run: how long each request to the model and each call took, and how it ended (docs/traces.md). Empty: nothing is sent, whatever the environment says."`
	TraceContent   bool     `json:"traceContent" flag:"trace-content" scope:"own" default:"false" doc:"Put messages, arguments of calls and their results into traces, too. Without it they hold only names, counts and times."`
	Path           string   `json:"path" scope:"extension" default:"assent" doc:"The assent program that the editor's extension starts: a name on PATH or an absolute path."`
	OllamaHost     string   `json:"ollamaHost" flag:"ollama-host" scope:"own" doc:"Address of the Ollama server, such as http://127.0.0.1:11434. Empty: the environment variable OLLAMA_HOST, else this machine."`
	OllamaProxy    string   `json:"ollamaProxy" flag:"ollama-proxy" scope:"own" doc:"Proxy on the way to an Ollama server on another machine, such as http://proxy:3128; environment: what HTTP_PROXY, HTTPS_PROXY and NO_PROXY say. Empty: none, whatever they say."`
	ServerPorts    Names    `json:"serverPorts" flag:"server-ports" scope:"own" items:"port" default:"9931,8080,1234" doc:"Ports of this machine where assent doctor, assent models and a chat whose model no other server has look for a model server that you did not declare (docs/servers.md). An empty list: no port is asked, and no server that you approved there is used."`
	Model          string   `json:"model" flag:"model" scope:"any" doc:"Name of an installed model. Empty: the best installed one that fits into the free memory of this machine; where that is not known (another system than Linux, a server elsewhere), the largest. The flag comes first, then the front matter of a chat, then a workspace's setting. A model that runs on another machine is used only if you named it by the flag or in your settings file, or say so when you are asked."`
	CompleteModel  string   `json:"completionModel" flag:"completion-model" scope:"own" doc:"Name of an installed model that completes code while you type, in editors that show inline completions: one whose capabilities have insert, on your own model server. What surrounds the cursor is sent to it. Requests of chats come first and end a completion. Read when the server starts. Empty: nothing is completed."`
	EmbeddingModel string   `json:"embeddingModel" flag:"embedding-model" scope:"own" doc:"Name of an installed model by which tools and tables of databases are searched by what they mean, too, and not by words alone: one whose capabilities have embedding, on your own model server. What the tools and tables say about themselves is sent to it, and the words of a search. Requests of chats come first. Read when the server starts. Empty: by words alone (docs/mcp.md)."`
	Preset         string   `json:"preset" flag:"preset" scope:"any" doc:"The prompt that the others build on: coding, review, explain, write, minimal or one of your own; assent prompt presets lists them. Empty: coding. The flag comes first, then the front matter of a chat, then a workspace's setting."`
	SystemPrompt   string   `json:"systemPrompt" flag:"system-prompt" scope:"own" doc:"A text that takes the place of the whole system prompt, for one launch or a trial. Empty: the prompt is composed of its layers, see docs/prompts.md."`
	RulesFiles     Names    `json:"rulesFiles" flag:"rules-files" scope:"own" default:".cursorrules,.github/copilot-instructions.md,AGENTS.md,CLAUDE.md" doc:"The rules files of a trusted workspace that are part of the prompt, of those that Assent knows. An empty list: none."`
	ContextSize    int      `json:"contextSize" flag:"context-size" scope:"user" default:"0" min:"0" max:"10000000" doc:"Context size in tokens, the same for every request to a model. 0: what suits the model, the memory and the chat, 8,192 where all do, or what is loaded already if that is larger (docs/context.md)."`
	KeepAlive      Duration `json:"keepAlive" flag:"keep-alive" scope:"user" default:"5m" min:"0s" max:"8760h" doc:"How long the model server keeps a model loaded after a request. 0s leaves it to the model server."`
	ModelQueue     bool     `json:"modelQueue" flag:"model-queue" scope:"user" default:"true" doc:"Requests to the model server wait for those of your other windows and editors, those of chats first. Switch it off for a server that answers several at a time (OLLAMA_NUM_PARALLEL); then only the requests of one window wait for each other."`
	MaxSteps       int      `json:"maxSteps" flag:"max-steps" scope:"less" default:"25" min:"1" max:"1000" doc:"How many replies a model may give in one run before it ends."`
	Mode           string   `json:"mode" flag:"mode" scope:"own" default:"ask" enum:"ask,edits,plan,full" doc:"How much runs without a question. ask: what your rules allow. edits: also edits of files in the workspace, which you can review and undo. plan: nothing that changes anything. full: also all commands, but only in a proven sandbox, and only what it confines. What your rules deny or ask about, and protected files, are as ever. A chat can ask for less: mode: plan or mode: ask in its front matter."`
	CommandTimeout Duration `json:"commandTimeout" flag:"command-timeout" scope:"less" default:"2m" min:"1s" max:"24h" doc:"How long one command of the model may run."`
	CommandMemory  int      `json:"commandMemory" flag:"command-memory" scope:"own" default:"0" min:"0" max:"100000000" doc:"MB of memory that the processes of one command in the sandbox may have together; the sandbox ends a command that has more. 0: half of the machine's."`
	CommandDisk    int      `json:"commandDisk" flag:"command-disk" scope:"own" default:"20000" min:"1" max:"100000000" doc:"MB that one command in the sandbox may write in the workspace; the sandbox ends a command that writes more, and asks what becomes of its changes."`
	KeepReplaced   int      `json:"keepReplaced" flag:"keep-replaced" scope:"own" default:"2000" min:"0" max:"100000000" doc:"MB of files that commands replaced or removed and that Undo turn does not cover, which are kept for a workspace. 0: none."`
	KeepFor        Duration `json:"keepReplacedFor" flag:"keep-replaced-for" scope:"own" default:"168h" min:"1m" max:"8760h" doc:"How long such files are kept."`
	Sandbox        string   `json:"sandbox" flag:"sandbox" scope:"own" default:"auto" enum:"auto,off" doc:"Whether commands run in a sandbox: without network, and writing nothing but what is unprotected in the workspace. auto: where one can be had and its self-test passes. off: never; then each command is asked about."`
	Temperature    *float64 `json:"temperature" flag:"temperature" scope:"any" min:"0" max:"2" doc:"Randomness of the replies. Without it the model's own is used."`
	TopP           *float64 `json:"topP" flag:"top-p" scope:"any" min:"0" max:"1" doc:"Picks among the likeliest tokens that together have this probability. Without it the model's own is used."`
	TopK           *int     `json:"topK" flag:"top-k" scope:"any" min:"0" max:"100000" doc:"Picks among so many of the likeliest tokens. Without it the model's own is used."`
	MinP           *float64 `json:"minP" flag:"min-p" scope:"any" min:"0" max:"1" doc:"Leaves out tokens that are less likely than this share of the likeliest one. Without it the model's own is used."`
	RepeatPenalty  *float64 `json:"repeatPenalty" flag:"repeat-penalty" scope:"any" min:"0" max:"2" doc:"Makes what was written just now less likely; 1: not. Without it the model's own is used."`
	Seed           *int     `json:"seed" flag:"seed" scope:"any" min:"0" max:"2147483647" doc:"Makes the same request give the same reply, as far as the model server can. Without it each is another."`
	LongestReply   *int     `json:"longestReply" flag:"longest-reply" scope:"any" min:"1" max:"10000000" doc:"How many tokens a reply may have, with its thinking; a longer one is cut, and the run says so. Without it the context is the limit."`
	Think          string   `json:"think" flag:"think" scope:"any" default:"auto" enum:"auto,on,off,low,medium,high" doc:"How much a model that can think does so before it answers; the levels are for models that know them. auto: as the model's profile says, else the model server. The front matter of a chat comes first: think: true, false, low, medium or high."`
	Titles         string   `json:"titles" flag:"titles" scope:"user" default:"words" enum:"words,model" doc:"What a chat without a title is called. words: the first words of its first question. model: the model is asked for a title of a few words once it has answered that, which is written into the front matter; it takes no place of what the model server keeps of the chat, waits for all else, and is left out for models that think first."`
	ToolFormat     string   `json:"toolFormat" flag:"tool-format" scope:"user" default:"auto" enum:"auto,native,text,guided" doc:"How tools are described to a model and its calls are read. auto: what is known to work best with the model."`
	SaveAfterEdit  bool     `json:"saveAfterEdit" flag:"save-after-edit" scope:"less" default:"true" doc:"Save a file after an approved edit if it had no unsaved changes before. Only for editors with an extension of ours."`
	FollowReply    bool     `json:"followReply" scope:"extension" default:"true" doc:"Keep the end of a reply in view while it is written, unless you scroll or type. Only for editors with an extension of ours."`
	FoldDetails    bool     `json:"foldDetails" scope:"extension" default:"true" doc:"Fold long blocks of thinking, context and results in chats, once each. Only for editors with an extension of ours."`
	Notify         bool     `json:"notify" scope:"extension" default:"true" doc:"Show a notification when a call waits for your answer that is not on the screen. Only for editors with an extension of ours."`
	AssumeEdits    bool     `json:"assumeEdits" flag:"assume-edits" scope:"user" default:"false" doc:"Send edits to an editor that does not say that it takes them. Vim with ALE does not, and takes them. Read once, when the server starts."`
	ToolPrompt     string   `json:"toolSystemPrompt" flag:"tool-system-prompt" scope:"own" doc:"A text that takes the place of the words by which a model that writes its calls as text is told how to call tools, for one launch or a trial. The list of the tools and what a call looks like stand below it. Empty: the words of the format."`
	CallFormat     string   `json:"legacyToolCallFormat" flag:"legacy-tool-call-format" scope:"own" doc:"Name of the format in which tools are described and calls are written and read, for one launch or a trial, such as hermes; assent decode --list shows all. It comes before toolFormat. Empty: toolFormat decides."`
	ToolsOff       Names    `json:"toolsOff" flag:"tools-off" scope:"more" doc:"Tools that no model gets and nobody can call, by their own names; assent tools list shows them."`
	Tools          *Names   `json:"tools" flag:"tools" scope:"own" doc:"The only tools that models get and anybody can call, by their own names, for one launch or for good; an empty list: none. Without it there are all but those of toolsOff."`
	ToolNames      Renames  `json:"toolNames" flag:"tool-names" scope:"own" doc:"Other names for tools, from their own name to the one that models and you see. What you allow or forbid goes by their own names."`
	Databases      *Names   `json:"databases" flag:"databases" scope:"fewer" doc:"The only databases of yours that chats use, by the names in databases.json (docs/sql.md); an empty list: none. Without it, all of them."`
	LogLevel       string   `json:"logLevel" flag:"log-level" scope:"user" default:"info" enum:"debug,info,warn,error" doc:"What the log holds. It never holds the text of documents."`
	LogFile        string   `json:"logFile" flag:"log-file" scope:"own" doc:"File for the log. Empty: standard error, which editors collect."`
}

// Scope says who may set a setting besides the user. A workspace can only tighten.
type Scope string

// The scopes.
const (
	User Scope = "user" // the user alone
	Less Scope = "less" // a workspace may only lower it, or switch it off
	More Scope = "more" // a workspace may only add to it: a list of what is switched off
	// a workspace may only take away from it: a list of all that is used; without it, everything is. No editor sets it.
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
