package ext

// Method is a method of our own, beyond LSP. An editor has the whole job without any of them: each only shows more, and
// is sent only to a client that says in initialize, under capabilities.experimental.assent, that it takes it
// ([Client]).
type Method struct {
	Name   string
	From   Side // who sends it
	Params any  // the zero value of its type
	Result any  // the zero value of its type; nil: it is a notification
	Doc    string
}

// Side is one of the two that speak.
type Side string

// The sides.
const (
	FromServer Side = "server"
	FromClient Side = "client"
)

// The names of the methods.
const (
	StateMethod       = "assent/state"
	ChangesMethod     = "assent/changes"
	PreviewMethod     = "assent/preview"
	DiagnosticsMethod = "assent/editor/diagnostics"
	DocumentsMethod   = "assent/editor/documents"
	DefinitionMethod  = "assent/editor/definition"
	ReferencesMethod  = "assent/editor/references"
	SymbolsMethod     = "assent/editor/symbols"
	FormatMethod      = "assent/editor/format"
	MakeChatMethod    = "assent/chat/make"
	ContinueMethod    = "assent/chat/continue"
	ModelsMethod      = "assent/models"
	AskModelMethod    = "assent/model/ask"
	ModelTextMethod   = "assent/model/text"
	RestartMethod     = "assent/restart"
	FindChatsMethod   = "assent/chats/find"
	OutputMethod      = "assent/output"
)

// Methods is the table of them. docs/protocol.md and the mirrors in the extensions' languages are derived from it.
func Methods() []Method {
	return []Method{
		{
			StateMethod, FromServer,
			State{},
			nil,
			"How the open chats are, and what waits for an answer. " +
				"Sent once at the start and after each change, at most four times a second but for what waits; " +
				"each replaces the one before.",
		},
		{
			ChangesMethod, FromServer,
			Changes{},
			nil,
			"The changes of a file that wait for a decision, in a file that has some or had some; " +
				"of files that are not open a hundred at most. Each replaces the one before for this file.",
		},
		{
			PreviewMethod, FromClient,
			Question{},
			Preview{},
			"What a pending call would do, as the command assent.showPreview shows it. Answers nothing.",
		},
		{
			DiagnosticsMethod, FromServer,
			OfFile{},
			Diagnostics{},
			"What all language servers and linters of the editor say about a file; without one, of all files.",
		},
		{DocumentsMethod, FromServer, NoParams{}, Documents{}, "The files that are open in the editor."},
		{
			DefinitionMethod, FromServer,
			Place{},
			Locations{},
			"Where what stands at a place is defined, by the other language servers of the editor.",
		},
		{
			ReferencesMethod, FromServer,
			Place{},
			Locations{},
			"Where what stands at a place is used, by the other language servers of the editor.",
		},
		{
			SymbolsMethod, FromServer,
			SymbolsWanted{},
			Symbols{},
			"The symbols of a file, or those of the folder whose names fit.",
		},
		{FormatMethod, FromServer, OfFile{}, Edits{}, "The edits that would format a file. Applies nothing."},
		{
			MakeChatMethod, FromClient,
			Beginning{},
			File{},
			"Make a chat that begins with a message, in the folder of a document or the first one. " +
				"It is not shown and not sent: the editor opens it, and runs assent.send.",
		},
		{
			ContinueMethod, FromClient,
			NextMessage{},
			NoAnswer{},
			"Write a message into the empty last turn of an open chat. It is not sent: the editor runs assent.send. " +
				"Refused while something runs in the chat, and where a draft stands.",
		},
		{
			ModelsMethod, FromClient,
			NoParams{},
			Models{},
			"The installed models that other extensions of the editor may ask.",
		},
		{
			AskModelMethod, FromClient,
			ModelRequest{},
			ModelAnswer{},
			"Ask a model for another extension of the editor: nothing of a chat, and no tools but those of who asks, " +
				"which runs them itself. Cancelling the request ends it.",
		},
		{
			ModelTextMethod, FromServer,
			ModelText{},
			nil,
			"A piece of an answer to assent/model/ask, as it comes. Only for requests that bring an id.",
		},
		{
			RestartMethod, FromServer,
			RestartWanted{},
			nil,
			"A setting changed that counts only after a restart of the server: offer one. " +
				"Sent once for each set of such settings.",
		},
		{
			FindChatsMethod, FromClient,
			ChatsWanted{},
			FoundTurns{},
			"The turns of all chats of the user in which something was said, or whose calls named a file: " +
				"those of pinned chats first, then the best.",
		},
		{
			OutputMethod, FromServer,
			Output{},
			nil,
			"What a running call has printed, once assent.showOutput has asked for it, until it ends. " +
				"Each replaces the one before for this call.",
		},
	}
}

// Client is what a client takes of all this: capabilities.experimental.assent.
type Client struct {
	State    bool     `json:"state,omitempty"    doc:"It takes assent/state."`
	Changes  bool     `json:"changes,omitempty"  doc:"It takes assent/changes."`
	Messages bool     `json:"messages,omitempty" doc:"It shows a message or an error of any length without asking for a key. Others get one short line, and the whole by window/logMessage."`
	Restart  bool     `json:"restart,omitempty"  doc:"It takes assent/restart. Others get a message."`
	Output   bool     `json:"output,omitempty"   doc:"It takes assent/output. Others are shown a file."`
	Saves    bool     `json:"saves,omitempty"    doc:"It saves a file after an edit, unless it had unsaved changes."`
	Editor   []string `json:"editor,omitempty"   doc:"Which of assent/editor/* it answers, by the last part of their names."`
}

// RestartWanted says why the server should be started again.
type RestartWanted struct {
	Settings []string `json:"settings" doc:"The names of the settings."`
	Sentence string   `json:"sentence" doc:"The same for people."`
}

// NoParams is for a method without any.
type NoParams struct{}

// NoAnswer says only that it is done.
type NoAnswer struct{}

// State is how the open chats are.
type State struct {
	Chats   []ChatState `json:"chats"`
	Waiting []Waiting   `json:"waiting"`
}

// ChatState is how an open chat is.
type ChatState struct {
	URI     string `json:"uri"`
	Title   string `json:"title"`
	State   string `json:"state"           doc:"idle, working, writing, or waiting for a person."`
	Stage   string `json:"stage,omitempty" doc:"What it does now, in a few words for people."`
	Model   string `json:"model,omitempty" doc:"The model of the last run; empty: there was none."`
	Used    int    `json:"used"            doc:"Tokens of the context that the last reply took; 0: not known."`
	Size    int    `json:"size"            doc:"Tokens that the context has; 0: not known."`
	Runs    int    `json:"runs"            doc:"How many runs were begun in it since the server started: a short one may begin and end between two notifications."`
	Ended   string `json:"ended,omitempty" doc:"How the last run ended, in a sentence; missing: as it should, or it goes on."`
	Sandbox string `json:"sandbox,omitempty" doc:"Whether commands of this chat are confined, in a sentence; missing: none was tried yet."`

	Background int `json:"background,omitempty" doc:"How many commands run in its background; missing: none."`

	Confined string `json:"confined,omitempty" doc:"What confines them, in a word: bubblewrap, namespaces or nothing; missing: none was tried yet."`
}

// Unconfined is what confines commands where nothing does.
const Unconfined = "nothing"

// The states of a chat.
const (
	Idle    = "idle"
	Working = "working"
	Writing = "writing"
	Waits   = "waiting"
)

// Waiting is a question that waits for a person.
type Waiting struct {
	ID      string          `json:"id"                doc:"For assent/preview, and in the arguments of the actions. Used up by the first answer."`
	URI     string          `json:"uri"               doc:"Of the chat."`
	Range   Range           `json:"range"             doc:"The first line of the call in the chat."`
	Title   string          `json:"title"             doc:"One line for people."`
	Tool    string          `json:"tool,omitempty"`
	Target  string          `json:"target,omitempty"  doc:"What it acts on, for people."`
	Blocked string          `json:"blocked,omitempty" doc:"Why it cannot be approved as it stands."`
	Actions []WaitingAction `json:"actions"           doc:"What can be answered, as in the menu of code actions: the first one is harmless."`
}

// WaitingAction is one answer to a question, or a look at it.
type WaitingAction struct {
	Title     string `json:"title"`
	Command   string `json:"command"   doc:"For workspace/executeCommand."`
	Arguments []any  `json:"arguments"`
}

// Changes are the changes of a file that wait for a decision.
type Changes struct {
	URI     string       `json:"uri"`
	Version *int32       `json:"version,omitempty" doc:"Of the document; missing: it is not open."`
	Hunks   []FileChange `json:"hunks"             doc:"None: none waits any more."`
}

// FileChange is one of them: some lines together.
type FileChange struct {
	ID      string `json:"id"      doc:"For the commands that keep or reject it."`
	Range   Range  `json:"range"   doc:"The lines now. Empty: lines were taken out in front of it."`
	Old     string `json:"old"     doc:"What was there before."`
	New     string `json:"new"     doc:"What a turn put in its place."`
	Edited  bool   `json:"edited"  doc:"Somebody changed it since: it can be kept, and not rejected."`
	Made    bool   `json:"made"    doc:"The file did not exist."`
	Deleted bool   `json:"deleted" doc:"The file does not exist any more."`
}

// Preview shows what a call would do.
type Preview struct {
	Title string        `json:"title" doc:"One line for people."`
	Text  string        `json:"text"  doc:"All of it, as plain text with a diff."`
	Files []FilePreview `json:"files" doc:"The files that would change, where the call edits some."`
}

// FilePreview is a file before and after a call.
type FilePreview struct {
	URI    string `json:"uri"`
	Path   string `json:"path"   doc:"For people."`
	Before string `json:"before"`
	After  string `json:"after"`
}

// OfFile names a file.
type OfFile struct {
	URI string `json:"uri,omitempty"`
}

// Place names a place in a file.
type Place struct {
	URI      string   `json:"uri"`
	Position Position `json:"position"`
}

// Diagnostics are what language servers and linters say.
type Diagnostics struct {
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Diagnostic is one of them.
type Diagnostic struct {
	URI      string `json:"uri"`
	Range    Range  `json:"range"`
	Severity int    `json:"severity"         doc:"As in LSP: 1 error, 2 warning, 3 information, 4 hint."`
	Source   string `json:"source,omitempty" doc:"Who says it."`
	Code     string `json:"code,omitempty"`
	Message  string `json:"message"`
}

// Documents are the files that are open.
type Documents struct {
	Documents []Document `json:"documents"`
}

// Document is one of them.
type Document struct {
	URI        string `json:"uri"`
	LanguageID string `json:"languageId,omitempty"`
	Dirty      bool   `json:"dirty"   doc:"It has unsaved changes."`
	Visible    bool   `json:"visible"`
	Active     bool   `json:"active"  doc:"The person works in it."`
}

// Locations are places in files.
type Locations struct {
	Locations []Location `json:"locations"`
}

// Location is one of them.
type Location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

// SymbolsWanted says which symbols: those of a file, or those of the folder whose names fit.
type SymbolsWanted struct {
	URI   string `json:"uri,omitempty"`
	Query string `json:"query,omitempty"`
}

// Symbols are names that a program defines.
type Symbols struct {
	Symbols []Symbol `json:"symbols"`
}

// Symbol is one of them.
type Symbol struct {
	Name      string `json:"name"`
	Kind      int    `json:"kind"                doc:"As SymbolKind in LSP."`
	Container string `json:"container,omitempty" doc:"What it is a part of."`
	URI       string `json:"uri"`
	Range     Range  `json:"range"`
}

// Edits are changes of one file.
type Edits struct {
	Edits []Edit `json:"edits"`
}

// Edit is one of them.
type Edit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// Beginning is a chat to be made.
type Beginning struct {
	URI  string `json:"uri,omitempty" doc:"Of a document, or of a folder."`
	Text string `json:"text"          doc:"The first message."`
}

// NextMessage is a message for a chat that is there.
type NextMessage struct {
	URI  string `json:"uri"  doc:"Of the chat, which is open."`
	Text string `json:"text"`
}

// Models are models that may be asked.
type Models struct {
	Models []InstalledModel `json:"models"`
}

// InstalledModel is one of them.
type InstalledModel struct {
	Name    string `json:"name"`
	Family  string `json:"family,omitempty"`
	Size    string `json:"size,omitempty" doc:"How many parameters it has, such as 7.6B."`
	Context int    `json:"context"        doc:"Tokens of the context that the user chose; 0: it is chosen when the model is asked, 8,192 at least where the model has them."`
	Tools   bool   `json:"tools"          doc:"It can call tools."`
	Images  bool   `json:"images"         doc:"It can see images."`
}

// ModelRequest is a conversation for a model.
type ModelRequest struct {
	ID       string         `json:"id,omitempty" doc:"Names the request in assent/model/text."`
	Model    string         `json:"model"`
	Messages []ModelMessage `json:"messages"`
	Tools    []ModelTool    `json:"tools,omitempty" doc:"Those that it may call. Calls are handed back, and run by who asks."`
}

// ModelTool is a tool of who asks.
type ModelTool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Parameters  any    `json:"parameters,omitempty" doc:"A JSON schema of type object."`
}

// ModelCall is a call that a model made.
type ModelCall struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name"`
	Arguments any    `json:"arguments"`
}

// ModelMessage is a part of it.
type ModelMessage struct {
	Assistant bool        `json:"assistant,omitempty" doc:"The model said it."`
	Text      string      `json:"text"`
	Images    [][]byte    `json:"images,omitempty"    doc:"PNG or JPEG, each in Base64."`
	Calls     []ModelCall `json:"calls,omitempty"     doc:"Those that it made."`
	CallID    string      `json:"callId,omitempty"    doc:"The text is the result of this call."`
	Tool      string      `json:"tool,omitempty"      doc:"The tool of that call."`
}

// ModelAnswer is all that the model said.
type ModelAnswer struct {
	Text  string      `json:"text"`
	Calls []ModelCall `json:"calls"`
}

// ModelText is a piece of it.
type ModelText struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// ChatsWanted says which turns: with words, "phrases" or word*, or of calls that named a file.
type ChatsWanted struct {
	Query string `json:"query,omitempty"`
	URI   string `json:"uri,omitempty"   doc:"Of a file that calls named."`
	Limit int    `json:"limit,omitempty" doc:"0: 20."`
}

// FoundTurns are turns of chats.
type FoundTurns struct {
	Turns []FoundTurn `json:"turns"`
}

// FoundTurn is one of them.
type FoundTurn struct {
	URI     string `json:"uri"     doc:"Of the chat."`
	Line    int    `json:"line"    doc:"Of the turn's heading, from 0."`
	Title   string `json:"title"   doc:"Of the chat, on one line."`
	Role    string `json:"role"    doc:"You or Assistant."`
	Day     string `json:"day"     doc:"When the turn was written, as 2026-01-31."`
	Excerpt string `json:"excerpt" doc:"What was said around the words, on one line."`
	Pinned  bool   `json:"pinned"`
}

// Output is what a running call has printed.
type Output struct {
	URI   string `json:"uri"            doc:"Of the chat."`
	Call  string `json:"call"           doc:"The id of the call in the chat."`
	Title string `json:"title"          doc:"One line for people."`
	Text  string `json:"text"           doc:"The end of what was printed, 64 KiB at most."`
	Show  bool   `json:"show,omitempty" doc:"The person asked for it just now. The cursor stays."`
	Over  bool   `json:"over,omitempty" doc:"The call has ended: the result is in the chat."`
}
