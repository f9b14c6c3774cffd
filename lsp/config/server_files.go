package config

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/chats/parsed"
	"github.com/assent-ls/assent/lsp/configfiles"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/tools/mcp"
)

// serverDiagnostics says what is wrong in a file of servers, and which of them do nothing.
func (s *Files) serverDiagnostics(file File, text string) []configfiles.Diagnostic {
	out := configfiles.DiagnoseServers(text)
	all := s.serversOf(s.Context, file)
	for _, written := range configfiles.Servers(text) {
		at := slices.IndexFunc(all, func(p placedServer) bool { return p.Name == written.Name })
		if at < 0 {
			continue // it is not saved yet, or wrong
		}
		server := all[at]
		note := func(severity configfiles.Severity, sentence string) {
			out = append(out, configfiles.Diagnostic{Span: written.Key, Severity: severity, Message: sentence})
		}
		switch {
		case !s.declaredIn(server.Declared, file):
			note(
				configfiles.Warning,
				fmt.Sprintf("This server is left out: %s has one of this name, which comes first.", server.File),
			)
		case server.Why == "" || server.Disabled:
		case !s.Trust.Known(server.at.Workspace.Key(), server.Place()):
			note(
				configfiles.Information,
				"This server does nothing until you trust it. The code action Show what this server would start "+
					"shows all of it, and Trust this server lets it count.",
			)
		default:
			note(configfiles.Warning, s.whyNot(server))
		}
	}
	return out
}

// maxChanges is how many lines of what changed in a server a diagnostic has.
const maxChanges = 8

// whyNot says why a server that was trusted does nothing now.
func (s *Files) whyNot(server placedServer) string {
	consent, err := server.at.Servers.Consent(server.Declared)
	if err != nil {
		return "This server does nothing: " + err.Error() + "."
	}
	var changes []string
	for line := range strings.Lines(s.Trust.New(server.at.Workspace.Key(), server.Place(), consent)) {
		changed := strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+")
		if header := strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ "); changed && !header {
			changes = append(changes, visible.Shorten(strings.TrimSpace(line), 120))
		}
	}
	if more := len(changes) - maxChanges; more > 0 {
		changes = append(changes[:maxChanges], fmt.Sprintf("and %d more lines", more))
	}
	return "This server, or what it starts, changed since you trusted it: it does nothing until you trust it again.\n" +
		strings.Join(changes, "\n")
}

// serverActions lists what can be done about the server at a place. The first row is harmless.
func (s *Files) serverActions(ctx context.Context, file File, text string, at int) (out []features.Action) {
	written, ok := configfiles.ServerAt(text, at)
	if !ok {
		return nil
	}
	all := s.serversNamed(ctx, file, written.Name)
	if len(all) == 0 {
		return nil
	}
	add := func(title, command string) {
		out = append(out, features.Action{Title: title + ": " + written.Name, Command: command, ID: written.Name})
	}
	server := all[0]
	if !server.Ours && server.Why != "" {
		add("Show what this server would start", ext.ShowServer)
		add("Trust this server", ext.TrustServer)
		out[len(out)-1].Text = s.shownHash(server)
		if s.Trust.Known(server.at.Workspace.Key(), server.Place()) {
			add("Revoke trust in this server", ext.RevokeServer)
		}
		return out
	}
	add("Show the log of this server", ext.ShowServerLog)
	begins, runs := false, false
	for _, p := range all {
		switch p.at.Servers.State(p.Declared).Phase {
		case mcp.NotStarted, mcp.Stopped:
			begins = true
		case mcp.Failed:
			begins, runs = true, true // a message tries it again
		case mcp.Starting, mcp.Running:
			runs = true
		default:
		}
	}
	if begins {
		add("Start this server", ext.StartServer)
	}
	switch title, places := s.loginTitle(server); {
	case title != "":
		add(title, ext.LogIn)
		out[len(out)-1].Places = places
	case server.CanLogIn():
		add("Log out of this server", ext.LogOut)
	}
	if runs {
		add("Restart this server", ext.RestartServer)
		add("Stop this server", ext.StopServer)
	}
	if !server.Ours {
		add("Show what this server would start", ext.ShowServer)
		add("Revoke trust in this server", ext.RevokeServer)
	}
	return out
}

// serverHover explains the server whose name is at a place.
func (s *Files) serverHover(file File, text string, at int) (string, configfiles.Span) {
	written, ok := configfiles.ServerAt(text, at)
	if !ok || at < written.Key.Start || at > written.Key.End {
		return "", configfiles.Span{}
	}
	all := s.serversNamed(s.Context, file, written.Name)
	var out []string
	for _, server := range all {
		out = append(out, fmt.Sprintf("**%s**%s: %s", server.Name, server.where(all), s.stateOf(server)))
	}
	if len(all) > 0 && all[0].Why == "" {
		out = append(out, reached(all[0]))
	}
	return strings.Join(out, "\n\n"), written.Key
}

// stateOf says what a server does, for people. What others said is in fences.
func (s *Files) stateOf(server placedServer) string {
	if !server.Ours && server.Why != "" {
		if !s.Trust.Known(server.at.Workspace.Key(), server.Place()) {
			return "it does nothing until you trust it."
		}
		return "it does nothing.\n\n" + parsed.Fenced("", s.whyNot(server))
	}
	switch now := server.at.Servers.State(server.Declared); now.Phase {
	case mcp.Disabled:
		return "disabled where it is declared."
	case mcp.Stopped:
		return "stopped by you. No message starts it until you start it, or Assent itself starts again."
	case mcp.Starting:
		return "starting."
	case mcp.Running:
		return "running, with " + toolNames(now.Tools) + "."
	case mcp.Failed:
		return "failed. The next message that needs it starts it again.\n\n" + parsed.Fenced("", now.Last.Error())
	default:
		return "not started. It starts when a message is sent."
	}
}

// maxTools is how many tools of a server a hover names.
const maxTools = 40

func toolNames(names []string) string {
	if len(names) == 0 {
		return "no tools"
	}
	more := ""
	if n := len(names) - maxTools; n > 0 {
		names, more = names[:maxTools], fmt.Sprintf(" and %d more", n)
	}
	return "the tools `" + strings.Join(names, "`, `") + "`" + more
}

// reached says what a server starts or where it is.
func reached(server placedServer) string {
	program, err := server.at.Servers.Program(server.Declared)
	switch {
	case err != nil:
		return parsed.Fenced("", err.Error())
	case program == "":
		return parsed.Fenced("", server.URL)
	}
	return "Its program on this machine is\n\n" + parsed.Fenced("", program)
}
