// Package ext holds what lsp and lsp/chats both need to know of the commands: the names of those that menus offer, and
// the types of their arguments; and the methods of our own that editors may take beyond LSP. The table of all commands
// is in package lsp.
package ext

import (
	"encoding/json"
	"fmt"
)

// The commands that code actions name.
const (
	Send           = "assent.send"
	Stop           = "assent.stop"
	Retry          = "assent.retry"
	Branch         = "assent.branch"
	NewChat        = "assent.newChat"
	ShowPreview    = "assent.showPreview"
	ShowOutput     = "assent.showOutput"
	Approve        = "assent.approve"
	Try            = "assent.try"
	RunOnline      = "assent.runOnline"
	Allow          = "assent.allow"
	Deny           = "assent.deny"
	DenyWithReason = "assent.denyWithReason"
	AnswerCall     = "assent.answer"
	UndoEdit       = "assent.undoEdit"
	Resume         = "assent.resume"
	RestoreReply   = "assent.restoreReply"
	Probe          = "assent.probe"
	Unload         = "assent.unload"
	TrustFile      = "assent.trustFile"
	DistrustFile   = "assent.distrustFile"
	ShowNew        = "assent.showNew"
	TrustFolder    = "assent.trustFolder"

	KeepHunk         = "assent.keepHunk"
	RejectHunk       = "assent.rejectHunk"
	RejectWithReason = "assent.rejectWithReason"
	KeepAll          = "assent.keepAll"
	RejectAll        = "assent.rejectAll"
	ReviewTurn       = "assent.reviewTurn"
	UndoTurn         = "assent.undoTurn"
	RedoTurn         = "assent.redoTurn"

	ShowServer    = "assent.showServer"
	TrustServer   = "assent.trustServer"
	RevokeServer  = "assent.revokeServer"
	StartServer   = "assent.startServer"
	StopServer    = "assent.stopServer"
	RestartServer = "assent.restartServer"
	ShowServerLog = "assent.showServerLog"
	LogIn         = "assent.logIn"
	LogOut        = "assent.logOut"

	TestDatabase = "assent.testDatabase"
	OpenRows     = "assent.openRows"
	RunAgain     = "assent.runAgain"
	RunBlock     = "assent.runBlock"
	StopCommand  = "assent.stopCommand"

	SearchChats = "assent.searchChats"
	PinChat     = "assent.pinChat"
	UnpinChat   = "assent.unpinChat"

	Revoke          = "assent.revoke"
	ShowPermissions = "assent.showPermissions"

	RunTool = "assent.runTool"
	// KeepBuilt is RunTool for what tried commands of a chat built.
	KeepBuilt = "assent.keepBuilt"

	Select = "assent.select"

	AskAbout     = "assent.ask"
	ExplainCode  = "assent.explain"
	EditCode     = "assent.edit"
	FixCode      = "assent.fix"
	TestCode     = "assent.writeTests"
	DocumentCode = "assent.document"

	ShowRequest      = "assent.showRequest"
	ShowSystemPrompt = "assent.showSystemPrompt"
	SystemMessage    = "assent.systemMessage"
	ShowSettings     = "assent.showSettings"
	ShowTools        = "assent.showTools"
	TurnToolOff      = "assent.turnToolOff"
	TurnToolOn       = "assent.turnToolOn"

	EditPrompt          = "assent.editPrompt"
	EditModelPrompt     = "assent.editModelPrompt"
	EditWorkspacePrompt = "assent.editWorkspacePrompt"
	ResetPrompt         = "assent.resetPrompt"
)

// Position is a place in a document: zero-based, counted in the connection's position encoding.
type Position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// Range is a half-open range of a document.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Code names a part of a document that a chat shall be about: a range, or else what is around a position, or else
// all of it.
type Code struct {
	URI      string    `json:"uri,omitempty"`
	Range    *Range    `json:"range,omitempty"`
	Position *Position `json:"position,omitempty"`
	Problems []Problem `json:"problems,omitempty"` // what is wrong there, as other servers say
}

// Problem is a diagnostic of another server.
type Problem struct {
	Range   Range  `json:"range"`
	Message string `json:"message"`
	Source  string `json:"source,omitempty"`
}

// Target names a place in a chat. Without a URI the only open chat is meant, without a position its last turn.
type Target struct {
	URI      string    `json:"uri,omitempty"`
	Position *Position `json:"position,omitempty"`
}

// Asked is an argument that names a question by the opaque id that the server put into the menu. Without one a command
// answers nothing: it shows the pending call.
type Asked interface{ QuestionID() string }

// Question names a question alone.
type Question struct {
	ID string `json:"id,omitempty"`
}

// QuestionID implements Asked.
func (q Question) QuestionID() string { return q.ID }

// Answer approves or denies. Text is the reason of a denial, or, as Form, the answer to a call that asks something.
type Answer struct {
	Question

	Text string          `json:"text,omitempty"`
	Form json.RawMessage `json:"form,omitempty"`
}

// Choice names one of the offers of a question. Text is the reason if the offer denies.
type Choice struct {
	Question

	Offer string `json:"offer,omitempty"`
	Text  string `json:"text,omitempty"`
}

// Part names a part of a chat: a call by the id that is in its fence, or a turn by an opaque one. Without an id the
// newest turn of the chat is meant.
type Part struct {
	URI string `json:"uri,omitempty"`
	ID  string `json:"id,omitempty"`
}

// Hunk names a change of a file that waits for a decision, by the opaque id that the server put into the menu, or by
// the place of the cursor. Why is the reason of a rejection.
type Hunk struct {
	URI      string    `json:"uri,omitempty"`
	ID       string    `json:"id,omitempty"`
	Position *Position `json:"position,omitempty"`
	Why      string    `json:"why,omitempty"`
}

// Folder names a workspace folder by its URI or that of a document in it. Without one, or from a document in no folder,
// New chat means the first.
type Folder struct {
	URI string `json:"uri,omitempty"`
}

// Grant names what a person always allowed, by its id.
type Grant struct {
	ID string `json:"id,omitempty"`
}

// Entry names an MCP server or a database that an open document declares, or a tool on the page of tools: by its name
// or by the place of the cursor.
type Entry struct {
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"`
	Position *Position `json:"position,omitempty"`
}

// Trust is a server to trust, and what of it was shown.
type Trust struct {
	Entry
	// the SHA-256 of what was shown before the action was listed; anything else is shown only
	Shown string `json:"shown,omitempty"`
}

// Login is a server to log in at, and where.
type Login struct {
	Entry

	Places []string `json:"places,omitempty"` // those that the action named: any other is shown first
}

// File names an open document by its URI.
type File struct {
	URI string `json:"uri,omitempty"`
}

// Model names an installed model. Without one the model of the chat is meant, without a chat the one that would be
// chosen.
type Model struct {
	Model string `json:"model,omitempty"`
	URI   string `json:"uri,omitempty"`  // of a chat
	Stop  bool   `json:"stop,omitempty"` // end what was begun for a model instead
}

// Tool names a call that a person makes: by the opaque id of a menu, or by the tool and its arguments, which may be
// left out.
type Tool struct {
	URI       string          `json:"uri,omitempty"` // of a chat
	ID        string          `json:"id,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// Search says which chats are searched for: by words, or by a file that their calls named.
type Search struct {
	Query string `json:"query,omitempty"`
	URI   string `json:"uri,omitempty"`  // of a document, whose folder is meant
	File  bool   `json:"file,omitempty"` // chats that touched that document are meant
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
