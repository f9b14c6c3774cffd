package lsp

import (
	"context"
	"errors"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/config"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/finding"
	"github.com/assent-ls/assent/lsp/review"
	"github.com/assent-ls/assent/prompts"
)

// Command is one row of the table of commands. Make it with [row].
type Command struct {
	Name  string // as workspace/executeCommand takes it
	Title string // the product's words: the same in every editor
	Doc   string // one sentence, what it does
	Args  any    // the zero value of the type of its only argument, which may always be left out
	run   func(s *Server, ctx context.Context, params protocol.ExecuteCommandParams) error
}

// Commands is the table, in the order in which menus and pages show it. The server's capabilities, the editors'
// manifests and docs/commands.md are derived from it.
func Commands() []Command {
	return []Command{
		row(
			ext.Send, "Send",
			"Send the chat up to its last `## You` to the model; while a reply is written, after its current step.",
			writing(inChat((*chats.Chat).Send)),
		),
		row(ext.Stop, "Stop", "End the run in a chat; nothing is applied afterwards.", inChat((*chats.Chat).Stop)),
		row(
			ext.Retry, "Retry", "Ask again; what followed is kept in a branch file.",
			writing(atPlace((*chats.Chat).Retry)),
		),
		row(ext.Branch, "Branch from here", "Copy the chat up to here into a new chat.", atPlace((*chats.Chat).Branch)),
		row(ext.NewChat, "New chat", "Make an empty chat in the workspace and show it.", newChat),
		row(
			ext.SearchChats, "Search chats…",
			"Show the turns of all your chats in which something was said, or that touched a file.",
			ofFinder((*finding.Finder).Search),
		),
		row(ext.PinChat, "Pin this chat", "Have lists and searches show a chat first.", pinning(true)),
		row(ext.UnpinChat, "Unpin this chat", "Take the pin of a chat away.", pinning(false)),
		row("assent.showPending", "Show the pending call", "Show the call that waits for an answer.", showPending),
		row(
			ext.ShowPreview, "Show what would happen", "Show what a pending call would do; answers nothing.",
			onQuestion(preview),
		),
		row(
			ext.ShowOutput, "Show output",
			"Show what a running call or a command in the background prints, until it ends.", showOutput,
		),
		row(ext.Approve, "Approve once", "Let a pending call run, this time.", answering(event.Once)),
		row(
			ext.Try, "Try it on a copy",
			"Let a pending command run on a copy of the workspace; what it changed there waits for another answer.",
			answering(event.Try),
		),
		row(
			ext.RunOnline, "Run with the network",
			"Let a pending command run on a copy, and reach the hosts that the next question names.",
			answering(event.Online),
		),
		row(
			ext.Allow, "Allow for longer",
			"Answer a pending call with one of its offers, such as to allow the tool in this chat.", onQuestion(choose),
		),
		row(ext.Deny, "Deny", "Refuse a pending call; the model is told.", answering(event.Deny)),
		row(
			ext.DenyWithReason, "Deny and say why",
			"Refuse a pending call, with the reason that is written in the chat.",
			onQuestion(denyWithReason),
		),
		row(
			ext.AnswerCall, "Answer",
			"Answer a call that asks you something, with what is written below it in the chat.",
			onQuestion(answerCall),
		),
		row(ext.UndoEdit, "Undo this edit", "Take back one edit that was applied.", onPart((*chats.Chat).Undo)),
		row(
			ext.KeepHunk, "Keep hunk", "Decide that a change of a file stays.",
			ofReview(review.Hunk((*review.Reviews).KeepHunk)),
		),
		row(
			ext.RejectHunk, "Reject hunk", "Take one change of a file back; the model is told with the next message.",
			ofReview(review.Hunk((*review.Reviews).RejectHunk)),
		),
		row(
			ext.RejectWithReason, "Reject and say why",
			"Take one change of a file back, and begin the next message with it.",
			ofReview(review.Hunk((*review.Reviews).RejectWithReason)),
		),
		row(
			ext.KeepAll, "Keep all", "Decide that all changes of a file stay.",
			ofReview(review.AllHunks((*review.Reviews).KeepAll)),
		),
		row(
			ext.RejectAll, "Reject all",
			"Take all changes of a file back but those whose lines somebody changed since.",
			ofReview(review.AllHunks((*review.Reviews).RejectAll)),
		),
		row(
			ext.ReviewTurn, "Review changes of this turn",
			"Show what a turn changed, and what of it waits for a decision.", ofReview((*review.Reviews).ReviewTurn),
		),
		row(
			ext.UndoTurn, "Undo turn",
			"Take back all that a turn changed, unless somebody changed the same lines since.",
			onPart((*chats.Chat).UndoTurn),
		),
		row(ext.RedoTurn, "Redo turn", "Do again what Undo turn took back.", onPart((*chats.Chat).RedoTurn)),
		row(
			ext.Resume, "Resume",
			"Take up calls that were not run; each is asked for afresh. "+
				"Or go on where a run ended before the model answered.",
			writing(inChat((*chats.Chat).Resume)),
		),
		row(
			ext.RestoreReply, "Restore reply", "Put a reply that was removed or never shown back into the chat.",
			writing(inChat((*chats.Chat).Restore)),
		),
		row(
			ext.RunTool, "Run a tool…",
			"Write a call into the chat, to complete and to run it there by its code action; "+
				"it is asked about as if a model had made it.",
			runTool,
		),
		row(
			ext.KeepBuilt, "Keep what was built",
			"Write a call into the chat that moves what its tried commands built into the workspace, or removes it; "+
				"it is asked about as if a model had made it.",
			keepBuilt,
		),
		row(
			ext.RunAgain, "Run this call again",
			"Write a call that failed or was stopped at the end of the chat, and run it there; "+
				"it is asked about as if a model had made it.",
			withID(
				"it is not said which call is meant: use the code action on a call that failed",
				writing(onPart(chats.RunAgain)),
			),
		),
		row(
			ext.RunBlock, "Run this block",
			"Write the program in a block of Python as a call at the end of the chat, and run it there; "+
				"it is asked about as if a model had made it.",
			writing(atPlace(chats.RunBlock)),
		),
		row(
			ext.StopCommand, "Stop this command",
			"End a command in the background; what it wrote on its copy is dropped.", onPart(stopCommand),
		),
		row(
			ext.ShowRequest, "Show what the model sees",
			"Show the request that Send would make now: messages, tools, settings, and where each part comes from.",
			inChat((*chats.Chat).ShowRequest),
		),
		row(
			ext.ShowSystemPrompt, "Show the system prompt",
			"Show the system prompt that Send would use now, with its layers.", inChat((*chats.Chat).ShowSystemPrompt),
		),
		row(
			ext.SystemMessage, "Show the system message in the chat",
			"Put the system message of the request that Send would make now above the chat, folded and not sent, "+
				"or take it out again.",
			writing(inChat(chats.ToggleSystemMessage)),
		),
		row(
			ext.ShowSettings, "Show settings in effect",
			"Show each setting in a chat or in the folders of the editor: its value, where it comes from, "+
				"and what it overrides.",
			ofConfig((*config.Files).ShowSettings),
		),
		row(
			ext.ShowTools, "Show tools",
			"Show each tool of a chat's folder or of the folders of the editor: whether it is on, "+
				"how it asks for approval, and how its calls ended.",
			ofConfig((*config.Files).ShowTools),
		),
		row(
			ext.TurnToolOff, "Turn off this tool",
			"Have nobody call a tool, in your own settings file.", ofConfig(config.SwitchTool(false)),
		),
		row(
			ext.TurnToolOn, "Turn on this tool", "Let a tool be called again, in your own settings file.",
			ofConfig(config.SwitchTool(true)),
		),
		row(
			ext.AskAbout, "Ask Assent…",
			"Begin a chat about the chosen lines of a document, or about what the cursor is in; "+
				"you write the question.",
			about(chats.Ask),
		),
		row(
			ext.ExplainCode, "Explain",
			"Begin a chat that asks what the chosen lines do; nothing is sent before you send it.",
			about(chats.Explain),
		),
		row(
			ext.EditCode, "Edit with Assent",
			"Begin a chat that changes the chosen lines; you write how, and decide about each change.",
			about(chats.Edit),
		),
		row(
			ext.FixCode, "Fix this diagnostic",
			"Begin a chat that fixes what a diagnostic says; nothing is sent before you send it.", about(chats.Fix),
		),
		row(
			ext.TestCode, "Write tests",
			"Begin a chat that writes tests for the chosen lines; nothing is sent before you send it.",
			about(chats.WriteTests),
		),
		row(
			ext.DocumentCode, "Document",
			"Begin a chat that documents the chosen lines; nothing is sent before you send it.", about(chats.Document),
		),
		row(
			ext.Select, "Take these lines as @selection",
			"Let `@selection` in a chat mean the chosen lines of a document, as they are now.", takeSelection,
		),
		row(
			ext.EditWorkspacePrompt, "Edit system prompt for this workspace",
			"Open the prompt of this workspace; a missing file is made.",
			ofConfig(config.EditPrompt(prompts.ForWorkspace)),
		),
		row(
			ext.EditModelPrompt, "Edit system prompt for this model",
			"Open your own prompt for the model of the chat; a missing file is made.",
			ofConfig(config.EditPrompt(prompts.ForModel)),
		),
		row(
			ext.EditPrompt, "Edit system prompt for me",
			"Open your own prompt for every model and workspace; a missing file is made.",
			ofConfig(config.EditPrompt(prompts.ForUser)),
		),
		row(
			ext.ResetPrompt, "Reset system prompt to built-in",
			"Remove the prompt that is open or, from a chat, all that count in it; what they held is kept.",
			ofConfig((*config.Files).ResetPrompt),
		),
		row(
			ext.TrustFolder, "Trust this folder", "Use the prompts and the commands of this folder from now on.",
			trustFolder,
		),
		row(
			ext.ShowPermissions, "Show what you always allow",
			"Show the file of what you always allowed by an answer, where each entry can be revoked.",
			ofConfig((*config.Files).ShowPermissions),
		),
		row(
			ext.Revoke, "Revoke", "Take back what you always allowed by an answer, at once.",
			ofConfig((*config.Files).Revoke),
		),
		row(
			ext.TrustFile, "Trust this file",
			"Let a workspace's file of rules or tools count with the content that it has now.",
			ofConfig(config.OnTrust(config.TrustFile)),
		),
		row(
			ext.ShowNew, "Show what is new in this file",
			"Show what of a workspace's file of rules or tools you do not trust yet; changes nothing.",
			ofConfig(config.OnTrust(config.ShowNew)),
		),
		row(
			ext.DistrustFile, "Take back the trust in this file",
			"Let nothing count in a workspace's file of rules or tools until you trust it again.",
			ofConfig(config.OnTrust(config.DistrustFile)),
		),
		row(
			ext.ShowServer, "Show what this server would start",
			"Show all that you would trust with an MCP server of a workspace, or what of it is new; changes nothing.",
			ofConfig(config.OnServer(config.ShowServer)),
		),
		row(
			ext.TrustServer, "Trust this server",
			"Let an MCP server of a workspace count with all that was shown of it; what was not shown is shown first.",
			ofConfig(config.TrustServerAs),
		),
		row(
			ext.RevokeServer, "Revoke trust in this server",
			"Take back the trust in an MCP server of a workspace, and end it.",
			ofConfig(config.OnServer(config.RevokeServer)),
		),
		row(
			ext.StartServer, "Start this server", "Start an MCP server that does not run, also one that was stopped.",
			ofConfig(config.OnServer(config.StartServer)),
		),
		row(
			ext.StopServer, "Stop this server", "End an MCP server; no message starts it again.",
			ofConfig(config.OnServer(config.StopServer)),
		),
		row(
			ext.RestartServer, "Restart this server", "End an MCP server and start it again.",
			ofConfig(config.OnServer(config.RestartServer)),
		),
		row(
			ext.ShowServerLog, "Show the log of this server",
			"Show the end of what an MCP server said when it ran last.",
			ofConfig(config.OnServer(config.ShowServerLog)),
		),
		row(
			ext.LogIn, "Log in at this server",
			"Log in at an MCP server that wants it; where that is done is shown first, and nothing is sent there.",
			ofConfig(config.LogInAt),
		),
		row(
			ext.LogOut, "Log out of this server",
			"Forget the login at an MCP server, and tell its authorization server.",
			ofConfig(config.OnServer(config.LogOut)),
		),
		row(
			"assent.showServers", "Show MCP servers",
			"Show the MCP servers that are declared, what each does now, and the tools of those that run; starts none.",
			ofConfig((*config.Files).ShowServers),
		),
		row(
			"assent.showDatabases", "Show databases",
			"Show your databases, and their tables as they were read last; starts nothing.",
			ofConfig((*config.Files).ShowDatabases),
		),
		row(
			ext.TestDatabase, "Test this connection",
			"Reach a database of your file of databases, and show that it refuses to be written to.",
			ofConfig((*config.Files).TestDatabase),
		),
		row(
			ext.OpenRows, "Open all rows",
			"Put the statement of a result's call to its database again, and open all rows as a CSV file; "+
				"it is asked about as if a model had made it.",
			withID(
				"it is not said which rows are meant: use the code action on a result", onPart((*chats.Chat).OpenRows),
			),
		),
		row(
			ext.Unload, "Unload the model",
			"Take the model of the chat out of the memory of the model server; the next Send loads it again.",
			inChat((*chats.Chat).Unload),
		),
		rowWithProgress(ext.Probe, "Find out how this model calls tools",
			"Ask the model some 20 short questions, some minutes long, and keep the way of calling tools that worked "+
				"best as its profile.",
			probe),
	}
}

// handler serves a command that takes an argument of type A.
type handler[A any] func(s *Server, ctx context.Context, argument A) error

// ofConfig serves a command about a document that configures Assent.
func ofConfig[A any](do config.Handler[A]) handler[A] {
	return func(s *Server, ctx context.Context, argument A) error { return do(s.configs, ctx, argument) }
}

// ofFinder serves a command that finds chats.
func ofFinder[A any](do func(*finding.Finder, context.Context, A) error) handler[A] {
	return func(s *Server, ctx context.Context, argument A) error { return do(s.finder, ctx, argument) }
}

// pinning serves the commands that pin a chat, or take its pin away.
func pinning(on bool) handler[ext.Target] {
	return func(s *Server, _ context.Context, target ext.Target) error {
		chat, err := s.chat(target.URI)
		if err == nil {
			err = s.finder.Pin(chat.Path(), on)
		}
		switch {
		case err != nil:
			return err
		case on:
			s.host.ShowMessage(chats.Info, "This chat is pinned: lists and searches show it first.")
		default:
			s.host.ShowMessage(chats.Info, "This chat is not pinned any more.")
		}
		return nil
	}
}

// ofReview serves a command about changes of files.
func ofReview[A any](do review.Handler[A]) handler[A] {
	return func(s *Server, ctx context.Context, argument A) error { return do(s.reviews, ctx, argument) }
}

// row binds a command to its handler, whose argument is the command's.
func row[A any](name, title, doc string, handle handler[A]) Command {
	return rowWithProgress(name, title, doc, func(
		s *Server, ctx context.Context, argument A, _ *protocol.ProgressToken,
	) error {
		return handle(s, ctx, argument)
	})
}

// rowWithProgress is row for a handler that shows its progress under the token of the request, or one of its own if
// that is nil.
func rowWithProgress[A any](
	name, title, doc string, handle func(
		s *Server, ctx context.Context, argument A, token *protocol.ProgressToken,
	) error,
) Command {
	var none A
	return Command{name, title, doc, none, func(
		s *Server, ctx context.Context, params protocol.ExecuteCommandParams,
	) error {
		argument, err := ext.Decode[A](params.Arguments)
		if err != nil {
			return err
		}
		return handle(s, ctx, argument, params.WorkDoneToken)
	}}
}

// commandNamed finds the row of a command.
func commandNamed(name string) (Command, bool) {
	for _, c := range Commands() {
		if c.Name == name {
			return c, true
		}
	}
	return Command{}, false
}

// executeCommand runs one row of the table. Long work goes on after the answer: a run shows itself by progress and in
// the document.
func (s *Server) executeCommand(ctx context.Context, params protocol.ExecuteCommandParams) (any, error) {
	c, ok := commandNamed(params.Command)
	if !ok {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "there is no command %q", params.Command)
	}
	err := c.run(s, ctx, params)
	if err != nil && ctx.Err() == nil && s.client.HidesRefusals() {
		_ = s.client.ShowNow(protocol.MessageTypeWarning, visible.Line(err.Error()))
	}
	return nil, err
}

// inChat serves a command on a chat.
func inChat(do func(c *chats.Chat, ctx context.Context) error) handler[ext.Target] {
	return atPlace(func(c *chats.Chat, ctx context.Context, _ int) error { return do(c, ctx) })
}

// atPlace serves a command on a place of a chat, a byte offset.
func atPlace(do func(c *chats.Chat, ctx context.Context, offset int) error) handler[ext.Target] {
	return func(s *Server, ctx context.Context, target ext.Target) error {
		chat, offset, err := s.place(target)
		if err != nil {
			return err
		}
		return do(chat, ctx, offset)
	}
}

// writing serves a command that writes into the document: the editor must take edits.
func writing[A any](handle handler[A]) handler[A] {
	return func(s *Server, ctx context.Context, argument A) error {
		if err := s.takesEdits(); err != nil {
			return err
		}
		return handle(s, ctx, argument)
	}
}

// onQuestion serves a command on a question, named by its opaque id. Without one it answers nothing: it shows the
// pending call.
func onQuestion[A ext.Asked](do func(cs *chats.Chats, ctx context.Context, argument A) error) handler[A] {
	return func(s *Server, ctx context.Context, argument A) error {
		if argument.QuestionID() == "" {
			return s.chats.Pending(ctx)
		}
		return do(s.chats, ctx, argument)
	}
}

func preview(cs *chats.Chats, ctx context.Context, q ext.Question) error {
	return cs.Preview(ctx, q.ID)
}

func denyWithReason(cs *chats.Chats, ctx context.Context, q ext.Question) error {
	return cs.DenyWithReason(ctx, q.ID)
}

func answerCall(cs *chats.Chats, ctx context.Context, a ext.Answer) error {
	return cs.AnswerCall(ctx, a.ID, a.Text)
}

// answering serves a command that answers a question in one way.
func answering(kind event.AnswerKind) handler[ext.Answer] {
	return onQuestion(func(cs *chats.Chats, _ context.Context, a ext.Answer) error {
		if string(a.Form) == "null" { // as some editors write what is not there
			a.Form = nil
		}
		return cs.Answer(a.ID, event.Answer{Kind: kind, Text: a.Text, Form: a.Form})
	})
}

// choose answers a question by one of its offers.
func choose(cs *chats.Chats, _ context.Context, c ext.Choice) error {
	return cs.Answer(c.ID, event.Answer{Offer: c.Offer, Text: c.Text})
}

// preview shows what a pending call would do, for a client that shows it itself.
func (s *Server) preview(_ context.Context, q ext.Question) (ext.Preview, error) {
	title, text, files, err := s.chats.Look(q.ID)
	if err != nil {
		return ext.Preview{}, err
	}
	out := ext.Preview{Title: title, Text: text, Files: []ext.FilePreview{}}
	for _, f := range files {
		out.Files = append(
			out.Files, ext.FilePreview{URI: documents.URIOf(f.Path), Path: f.Rel, Before: f.Before, After: f.After},
		)
	}
	return out, nil
}

// onPart serves a command on a part of a chat, named by its id; without one, on the newest turn for which it makes
// sense.
func onPart(do func(c *chats.Chat, ctx context.Context, id string) error) handler[ext.Part] {
	return func(s *Server, ctx context.Context, part ext.Part) error {
		chat, err := s.chat(part.URI)
		if err != nil {
			return err
		}
		return do(chat, ctx, part.ID)
	}
}

// withID serves a command that does nothing without an id: a sentence says so.
func withID(missing string, handle handler[ext.Part]) handler[ext.Part] {
	return func(s *Server, ctx context.Context, part ext.Part) error {
		if part.ID == "" {
			return errors.New(missing)
		}
		return handle(s, ctx, part)
	}
}
