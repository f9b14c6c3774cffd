package listing

import (
	"encoding/json"
	"time"

	"github.com/assent-ls/assent/tools/command"
)

// Chat is a line of `assent chats`.
type Chat struct {
	Path    string    `json:"path"`
	Title   string    `json:"title" jsonschema:"empty: nothing was asked yet"`
	Model   string    `json:"model" jsonschema:"that its front matter names; empty: none"`
	Changed time.Time `json:"changed"`
	Pinned  bool      `json:"pinned"`
}

// FoundTurn is a line of `assent chats search`.
type FoundTurn struct {
	Path      string    `json:"path"`
	Line      int       `json:"line" jsonschema:"of the turn's heading, from 1"`
	Turn      int       `json:"turn" jsonschema:"from 1"`
	Role      string    `json:"role" jsonschema:"You or Assistant"`
	Title     string    `json:"title"`
	Model     string    `json:"model"`
	Workspace string    `json:"workspace"`
	Written   time.Time `json:"written" jsonschema:"when the turn was first seen"`
	Excerpt   string    `json:"excerpt"`
	Pinned    bool      `json:"pinned"`
}

// Pin is what `assent chats pin` and `unpin` say.
type Pin struct {
	Path    string `json:"path"`
	Pinned  bool   `json:"pinned"`
	Changed bool   `json:"changed" jsonschema:"false: it was so before"`
}

// Pruned is a line of `assent chats prune`.
type Pruned struct {
	Path    string    `json:"path"`
	Title   string    `json:"title"`
	Changed time.Time `json:"changed"`
	To      string    `json:"to,omitempty" jsonschema:"where the chat is now; missing: a dry run"`
}

// Built is a line of `assent chats built`.
type Built struct {
	Chat    string    `json:"chat"`
	Folder  string    `json:"folder" jsonschema:"the workspace"`
	Used    time.Time `json:"used"`
	Files   int       `json:"files" jsonschema:"folders included"`
	Bytes   uint64    `json:"bytes" jsonschema:"of the disk"`
	Parts   []string  `json:"parts" jsonschema:"the outermost ignored folders and files"`
	Removed bool      `json:"removed"`
}

// Imported is a line of `assent chats import`.
type Imported struct {
	Path   string    `json:"path,omitempty" jsonschema:"of the new chat; missing: a dry run"`
	Title  string    `json:"title"`
	From   string    `json:"from" jsonschema:"the file that it was in"`
	Format string    `json:"format"`
	Began  time.Time `json:"began,omitzero" jsonschema:"missing: it does not say"`
	Before bool      `json:"before" jsonschema:"it was taken over before, and nothing was written"`
}

// Transcript is a chat, as `assent chats show` and `assent chats export` write it, without what was attached to it.
type Transcript struct {
	Title string `json:"title"`
	Model string `json:"model,omitempty"`
	Turns []Turn `json:"turns"`
}

// Turn is one of a chat.
type Turn struct {
	Role   string  `json:"role" jsonschema:"You or Assistant"`
	Blocks []Block `json:"blocks"`
}

// Block is a part of a turn.
type Block struct {
	Kind      string          `json:"kind" jsonschema:"text, thinking, call, malformed, result, reason, ..."`
	ID        string          `json:"id,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Status    string          `json:"status,omitempty"`
	Text      string          `json:"text,omitempty"`
}

// Format is a line of `assent decode --list`.
type Format struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases"`
	Says    string   `json:"says"`
	Example string   `json:"example"`
}

// Finding is a line of `assent doctor`.
type Finding struct {
	Kind string `json:"kind" jsonschema:"ok, note or missing"`
	Says string `json:"says"`
}

// Fix is a line of `assent doctor --fix`.
type Fix struct {
	Says string `json:"says" jsonschema:"what can be mended without harm, or what was"`
	Done bool   `json:"done"`
}

// Server is a line of `assent mcp list`.
type Server struct {
	Name     string     `json:"name"`
	Counts   bool       `json:"counts" jsonschema:"its tools can be called"`
	State    string     `json:"state" jsonschema:"why it counts, or why not"`
	File     string     `json:"file" jsonschema:"that declares it"`
	Reached  string     `json:"reached" jsonschema:"its command or address, without secrets"`
	LoggedIn string     `json:"loggedIn,omitempty" jsonschema:"where the user is logged in for it"`
	Since    *time.Time `json:"since,omitempty" jsonschema:"since when they are"`
}

// ServerTool is a line of `assent mcp tools`.
type ServerTool struct {
	Name   string `json:"name"`
	Server string `json:"server"`
	Says   string `json:"says" jsonschema:"the beginning of what the server says about it"`
}

// Model is a line of `assent models`.
type Model struct {
	Name         string   `json:"name"`
	Parameters   string   `json:"parameters"`
	Quantization string   `json:"quantization"`
	Calls        []string `json:"calls" jsonschema:"the formats of tool calls that are tried, in order"`
	Thinking     string   `json:"thinking"`
	Because      string   `json:"because"`
	Server       string   `json:"server,omitempty"`
	Approved     bool     `json:"approved" jsonschema:"false: a chat that names it asks whether its server may be used"`
	Host         string   `json:"host,omitempty" jsonschema:"where it runs, if that is not this machine"`
}

// Rule is a line of `assent permissions`.
type Rule struct {
	ID      string     `json:"id,omitempty" jsonschema:"of an answer; it can be revoked by it"`
	File    string     `json:"file,omitempty"`
	Line    int        `json:"line,omitempty"`
	List    string     `json:"list" jsonschema:"allow, ask or deny"`
	Says    string     `json:"says"`
	Folder  string     `json:"folder,omitempty" jsonschema:"in which an answer holds"`
	From    string     `json:"from,omitempty" jsonschema:"where the answer was given"`
	Since   *time.Time `json:"since,omitempty"`
	Void    string     `json:"void,omitempty" jsonschema:"why it does not count"`
	Matched int        `json:"matched"`
	Last    *time.Time `json:"last,omitempty" jsonschema:"when it matched last"`
}

// Decision is a line of `assent permissions check`.
type Decision struct {
	Decision string         `json:"decision" jsonschema:"allow, ask or deny"`
	Rule     string         `json:"rule,omitempty"`
	Reason   string         `json:"reason"`
	Parts    []command.Part `json:"parts,omitempty" jsonschema:"the programs of a command that was understood"`
}

// PromptPart is a line of `assent prompt list`.
type PromptPart struct {
	Name  string `json:"name"`
	Path  string `json:"path,omitempty"`
	Used  bool   `json:"used"`
	There bool   `json:"there"`
	Why   string `json:"why,omitempty"`
}

// Prompt is what `assent prompt show` shows.
type Prompt struct {
	Hash  string       `json:"hash"`
	Model string       `json:"model,omitempty"`
	Text  string       `json:"text"`
	Parts []PromptPart `json:"parts"`
}

// Preset is a line of `assent prompt presets`.
type Preset struct {
	Name   string `json:"name"`
	Chosen bool   `json:"chosen"`
	Says   string `json:"says"`
	Path   string `json:"path,omitempty" jsonschema:"empty: it ships with Assent"`
}

// Database is a line of `assent sql sources`.
type Database struct {
	Name   string `json:"name"`
	Place  string `json:"place"`
	State  string `json:"state"`
	Failed bool   `json:"failed" jsonschema:"with --test: it cannot be reached, or can be written to"`
}

// Trust is a line of `assent trust`.
type Trust struct {
	Kind    string `json:"kind" jsonschema:"folder, prompt, file or server"`
	Name    string `json:"name"`
	Trusted bool   `json:"trusted"`
	Missing bool   `json:"missing,omitempty" jsonschema:"a trusted file that is not there any more"`
	Why     string `json:"why,omitempty"`
}

// Version is what `assent version` prints.
type Version struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}
