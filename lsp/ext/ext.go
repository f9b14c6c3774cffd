// Package ext declares what Assent adds to the Language Server Protocol: the commands, with their arguments. It holds
// no behaviour. The server's capabilities, the editors' manifests and docs/commands.md are derived from it.
package ext

import (
	"encoding/json"
	"fmt"
)

// The names of the commands, as workspace/executeCommand takes them.
const (
	Send           = "assent.send"
	Stop           = "assent.stop"
	Retry          = "assent.retry"
	Branch         = "assent.branch"
	NewChat        = "assent.newChat"
	ShowPending    = "assent.showPending"
	ShowPreview    = "assent.showPreview"
	Approve        = "assent.approve"
	AllowInChat    = "assent.allowInChat"
	AlwaysAllow    = "assent.alwaysAllow"
	Deny           = "assent.deny"
	DenyWithReason = "assent.denyWithReason"
	UndoEdit       = "assent.undoEdit"
	Resume         = "assent.resume"
	RestoreReply   = "assent.restoreReply"
	TrustFolder    = "assent.trustFolder"
	Probe          = "assent.probe"
)

// Command is one row of the table.
type Command struct {
	Name  string
	Title string // the product's words: the same in every editor
	Doc   string // one sentence, what it does
	Args  any    // the zero value of the type of its only argument, which may always be left out
}

// Commands is the table, in the order in which menus and pages show it.
func Commands() []Command {
	return []Command{
		{Send, "Send", "Send the chat up to its last `## You` to the model.", Target{}},
		{Stop, "Stop", "End the run in a chat; nothing is applied afterwards.", Target{}},
		{Retry, "Retry", "Ask again; what followed is kept in a branch file.", Target{}},
		{Branch, "Branch from here", "Copy the chat up to here into a new chat.", Target{}},
		{NewChat, "New chat", "Make an empty chat in the workspace and show it.", Folder{}},
		{ShowPending, "Show the pending call", "Show the call that waits for an answer.", Target{}},
		{ShowPreview, "Show what would happen", "Show what a pending call would do; answers nothing.", Answer{}},
		{Approve, "Approve once", "Let a pending call run, this time.", Answer{}},
		{AllowInChat, "Allow in this chat", "Let a pending call run, and its tool in this chat until the server ends.", Answer{}},
		{AlwaysAllow, "Always allow in this workspace", "Let a pending call run, and its tool in this workspace from now on.", Answer{}},
		{Deny, "Deny", "Refuse a pending call; the model is told.", Answer{}},
		{DenyWithReason, "Deny and say why", "Refuse a pending call, with the reason that stands in the chat.", Answer{}},
		{UndoEdit, "Undo this edit", "Take back one edit that was applied.", Call{}},
		{Resume, "Resume", "Take up calls that were not run; each is asked for afresh.", Target{}},
		{RestoreReply, "Restore reply", "Put a reply that was removed or never shown back into the chat.", Target{}},
		{TrustFolder, "Trust this folder", "Use the prompts of this folder from now on.", Folder{}},
		{Probe, "Find out how this model calls tools", "Ask the model some 20 short questions, some minutes long, and keep the way of calling tools that worked best as its profile.", Model{}},
	}
}

// Position is a place in a document: zero-based, counted in the connection's position encoding.
type Position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// Target names a place in a chat. Without a URI the only open chat is meant, without a position its last turn.
type Target struct {
	URI      string    `json:"uri,omitempty"`
	Position *Position `json:"position,omitempty"`
}

// Answer names a question by the opaque id that the server put into the menu. Without one a command answers nothing: it
// shows the pending call.
type Answer struct {
	ID string `json:"id,omitempty"`
}

// Call names a call of a chat by the id that stands in its fence, or by its place.
type Call struct {
	URI      string    `json:"uri,omitempty"`
	ID       string    `json:"id,omitempty"`
	Position *Position `json:"position,omitempty"`
}

// Folder names a workspace folder by its URI or that of a document in it. Without one, or from a document in no folder,
// New chat means the first.
type Folder struct {
	URI string `json:"uri,omitempty"`
}

// Model names an installed model. Without one the model of the chat is meant, without a chat the one that would be chosen.
type Model struct {
	Model string `json:"model,omitempty"`
	URI   string `json:"uri,omitempty"`  // of a chat
	Stop  bool   `json:"stop,omitempty"` // end what was begun for a model instead
}

// Decode reads the arguments of a command, which has none or one of type T. The error says what was wrong. Other fields
// are let be: editors give every command the place of the cursor.
func Decode[T any](arguments []any) (T, error) {
	var args T
	if len(arguments) == 0 {
		return args, nil
	}
	if len(arguments) > 1 {
		return args, fmt.Errorf("a command takes one argument, not %d", len(arguments))
	}
	data, err := json.Marshal(arguments[0])
	if err != nil {
		return args, fmt.Errorf("the argument cannot be read: %w", err)
	}
	if err := json.Unmarshal(data, &args); err != nil {
		return args, fmt.Errorf("the argument must be an object of %T: %w", args, err)
	}
	return args, nil
}
