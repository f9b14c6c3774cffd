// Package tools says what a tool is, and runs every call through one dispatcher, which asks the policy first. The tools
// themselves are in the packages below it (tools/builtin and others), and come from sources.
package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
)

// Origin says where a tool comes from. What a person allows for a tool does not cover a tool of the same name from
// another origin.
type Origin string

// The origins.
const (
	BuiltIn       Origin = ""
	FromUser      Origin = policy.User
	FromWorkspace Origin = "the workspace"
)

// FromServer is the origin of the tools of a server.
func FromServer(name string) Origin { return Origin(policy.Server + name) }

// Spec describes a tool to the model and to policy. It never changes while the program runs.
type Spec struct {
	Name string
	// what it called itself, where the user gave it another name: rules are about that; empty: Name
	OwnName     string
	Description string          // short: it is in every prompt
	Parameters  json.RawMessage // JSON schema of type object, derived from the input struct
	Verb        string          // what a call does, for titles; empty: the name says it
	Effect      effect.Effect   // the zero value asks
	Origin      Origin
	Returns     string // the type of Result.Value, in Python's words, such as list[str]; empty: a text
	ShowsFile   string // the argument that names the file whose text is the result; empty: the result is no file
	// Timeout is how long a call may take to plan, and then to run; 0: 30 seconds; Unlimited: the tool ends its calls
	// itself.
	Timeout time.Duration
	// PlansAtOnce says that Plan waits for nothing, so that nobody has to be able to give it up.
	PlansAtOnce bool
	// PerMinute is how many calls may run in a minute in one workspace; 0: 600. A call waits for its turn, but not for
	// long.
	PerMinute int
	// KeepResult is how long the result of a call that went well answers the same call again; 0: not at all. Policy is
	// asked for each call all the same. It means nothing for an effect that changes something.
	KeepResult time.Duration
	// Finds says that the result describes other tools: see FoundIn.
	Finds bool
	// About are words of what the tool knows, such as the tables of a database: a message that has them brings the
	// tool. Models never see them.
	About string
	// Defer says that a model is told of the tool only after a search, even if a core names it.
	Defer bool
	// Arguments says what arguments are beyond their types, by name, for those who complete or constrain them.
	Arguments map[string]ArgumentKind
	// Examples are arguments of calls, at most two: shown where a search describes the tool.
	Examples []json.RawMessage
}

// ArgumentKind says what an argument is beyond its type.
type ArgumentKind int

// The kinds of arguments.
const (
	ExistingFile   ArgumentKind = iota + 1 // the path of a file that is there
	ExistingFolder                         // the path of a folder that is there
	NewFile                                // the path of a file whose whole text another argument is
	NewPath                                // where the ExistingFile goes: a path of a file, or a folder
	CopiedText                             // a text that is in the file of the ExistingFile
	Arithmetic                             // an expression of numbers
	SearchedText                           // a text that is looked for
	SaidText                               // a name or a text that the request has
)

// Argument is the name of the argument of a kind; empty: there is none.
func (s Spec) Argument(kind ArgumentKind) string {
	for name, k := range s.Arguments {
		if k == kind {
			return name
		}
	}
	return ""
}

// Own is the name that a tool gave itself.
func (s Spec) Own() string { return cmp.Or(s.OwnName, s.Name) }

// Tool is one tool that a model can call. Plan must be free of effects: it resolves paths, finds what would change, and
// binds all of it into a Plan. Implementations may be used concurrently.
type Tool interface {
	Spec() Spec
	// Plan checks a call without running it. A problem with the arguments is an error that the model can act on
	// (it names similar paths or lines).
	Plan(ctx context.Context, call Call) (Plan, error)
}

// Call is one request to run a tool. It has what differs from chat to chat, since tools are made once per workspace.
type Call struct {
	ID        string          // names the call in its chat; empty if it is in no chat
	Name      string          // of the tool
	Arguments json.RawMessage // a JSON object, as the caller wrote it
	Chat      string          // the chat it belongs to, for grants in this chat; empty: none
	Reads     *ReadSet        // what this chat has read; nil: nothing
	Caller    policy.Caller   // who asks; the zero value needs an answer for everything
	Client    string          // how a caller from outside calls itself, for the log; empty: the caller is none
	// how much runs without a question, asked whenever the call is judged; nil: policy.ModeAsk
	Mode      func() policy.Mode
	Parent    string   // the ID of the call that made this one; empty: no call did
	Described []string // the tools that the caller was told of; nil: of none
	// what it starts runs outside the sandbox, which may have stopped it before: a person is always asked
	Outside bool
	// about how many bytes of a list the caller wants to read, the best first; 0: as many as any result may have
	Room  int
	Whole bool // the person who makes the call wants its result in full, as Result.Whole

	dispatcher *Dispatcher    // that prepared it
	known      *readArguments // nil: the call was not prepared
	// the decision of policy about what the call did to files as if it were a call of its own: by the mode, too
	JudgeAlone Judge
	Judge      Judge // the decision of policy about what the call did to files; nil: the call was not prepared
	// DeniesHost reports whether a rule denies now that a command reaches a host; nil: the call was not prepared.
	DeniesHost func(line *command.Line, host string) bool
}

// Inner is the dispatcher for calls that this one makes while it runs: the one that prepared it, with some of Assent's
// own tools put in the place of those of the same names. nil: the call was not prepared.
func (c Call) Inner(replacements []Tool) *Dispatcher {
	if c.dispatcher == nil {
		return nil
	}
	inner := *c.dispatcher
	inner.registry = inner.registry.over(replacements)
	return &inner
}

// Reporter takes what a running call has to show before its result. It may be used from any goroutine and never blocks
// for long. Reports are for people alone: the model reads only the result. Reports after the end of the call are
// dropped.
type Reporter interface {
	// Output shows text that was printed since the last call.
	Output(text string)
	// Progress says how much is done: done of total, which is 0 if it is not known, and a sentence or nothing.
	Progress(done, total float64, note string)
}

// FileEdit is a text file before and after an edit.
type FileEdit struct {
	Path, Rel     string // absolute; relative to the workspace
	Before, After string
}

// Plan is a call that is ready to run.
type Plan struct {
	// Target is what the call acts on, resolved (a path relative to the workspace with links followed, a command line),
	// as titles show it. Invisible characters in it are unchanged.
	Target string
	// Preview shows what would happen: a unified diff for edits, the command and its folder for commands; else empty.
	Preview string
	// Files are the texts that an edit changes, for people who compare them side by side; nil for other calls. They
	// bind nothing.
	Files []FileEdit
	// Binding is everything that an approval is bound to besides tool and arguments: resolved target, replaced text and
	// its place. Two plans with equal Binding do the same.
	Binding string
	// Paths are all files and folders of the workspace that the call reads, changes or makes: relative,
	// slash-separated, links followed, and where a link was followed also as it was named. What is read of a folder may
	// be anything in it. A rule that allows covers the call only if it covers all of them.
	Paths []string
	// Command is the command line that would run, if it is understood; nil: it is not, or nothing runs.
	Command *command.Line
	// Confined says that what the call starts runs in a sandbox that was proven to hold.
	Confined bool
	// Host is whom a call that fetches asks, in lower case and without port; empty: it does not fetch.
	Host string
	// Databases are those that the call asks, by the names that the user gave them.
	Databases []string
	// Protected is a sentence why this call needs a question of its own that no grant covers; empty: it does not.
	Protected string
	// Version names the tool as its source describes it now, for tools whose descriptions may change: what a person
	// allows by an answer covers no other version. Empty: the tool never changes.
	Version string
	// Changed is a sentence why no rule that somebody wrote before covers the tool as it is now; empty: rules may.
	Changed string
	// Notice is a sentence that a person who is asked should read; empty if there is none. It decides nothing.
	Notice string
	// Waits is a sentence why the call cannot run yet (unsaved buffers), empty if it can.
	Waits string
	// Choices are answers that the person whom the call asks may pick; another answer counts, too.
	Choices []string
	// Form is the JSON schema of the answer to a call that asks the person; nil: the answer is text.
	Form json.RawMessage
	// Answered is set when planning already answers the call (an edit of an unread file answers with the file):
	// it needs no approval and Run is nil.
	Answered *Result
	// Kept is called before a rule that allows later calls like this one in the workspace is kept; after an error it is
	// not. nil: there is nothing to do.
	Kept func() error
	// Run runs the call, or returns Stale. It is called at most once. It is nil if the person's answer is the result of
	// the call.
	Run func(ctx context.Context, report Reporter) Result
	// Unasked runs the call where nobody approved it and no rule covers it, so that it tells nothing that a person
	// would be asked about; nil: as Run.
	Unasked func(ctx context.Context, report Reporter) Result
	// Try runs the call on a copy of the workspace, and asks about what it changed there; nil if that cannot be chosen.
	Try func(ctx context.Context, report Reporter) Result
	// TryUnasked runs the call on a copy of the workspace if nobody is asked about it, and asks about what it changed
	// there like edits; nil: it needs approval as any other. allowed: a rule or the mode allows the call.
	TryUnasked func(ctx context.Context, report Reporter, allowed bool) Result
	// Online runs the call on a copy of the workspace, with a network in which it reaches these hosts alone; nil: the
	// person is asked for them. It is nil if there is no network to be had.
	Online func(ctx context.Context, report Reporter, hosts []string) Result
	// RunAnyway runs the call although Waits says that it should wait, and says so in the result; nil if that cannot be
	// chosen.
	RunAnyway func(ctx context.Context, report Reporter) Result

	Delivered func() // called when Answered reaches the model
}
