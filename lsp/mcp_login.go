package lsp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/visible"
)

// loginTitle is the title of the action that logs in at a server, with the places that the person was told of; empty: they are logged in, or
// nobody can.
func (s *Server) loginTitle(server placedServer) string {
	if who, err := server.at.servers.LoggedIn(server.Declared); err != nil || who.Issuer != "" && server.at.servers.State(server.Declared).Phase != mcp.Failed || !server.CanLogIn() {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if places := s.shownLogins[server.loginKey()]; len(places) > 0 {
		return "Log in at " + visible.Line(strings.Join(places, " and "))
	}
	return "Log in at this server"
}

// loginKey is one key for each login: that of the user's own server counts in all folders.
func (p placedServer) loginKey() string {
	key := p.Place() + "\n" + p.URL
	if !p.Ours {
		key = p.at.ws.Key() + "\n" + key
	}
	return key
}

// visitor is a person at an editor who logs in. They agree to a place by choosing the action again once they were told of it.
type visitor struct {
	*Server

	server placedServer
	told   string // the question of a place that they were not told of before
}

// Agree implements login.Person.
func (v *visitor) Agree(_ context.Context, place, question string) (bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := v.server.loginKey()
	if slices.Contains(v.shownLogins[key], place) {
		return true, nil
	}
	v.shownLogins[key] = append(v.shownLogins[key], place)
	v.told = question
	return false, nil
}

// Visit implements login.Person.
func (v *visitor) Visit(ctx context.Context, address string) error {
	if v.client.Capabilities().Window.ShowDocument.Support {
		var shown protocol.ShowDocumentResult
		_ = v.client.call(ctx, "window/showDocument", protocol.ShowDocumentParams{URI: protocol.DocumentURI(address), External: true}, &shown) // else the message says it
	}
	return v.tell("Log in with your browser. If it did not open, this is the address: " + address)
}

// logIn logs in at a server, which goes on after the answer: a person takes their time.
func logIn(s *Server, _ context.Context, _ configFile, _ string, all []placedServer) error {
	server := all[0] // the user's own server is one in all folders
	if server.Why != "" {
		return errors.New(server.Why)
	}
	s.tasks.Go(func() {
		ctx, stop := context.WithCancel(s.ctx)
		defer stop()
		progress := (&host{server: s}).Progress("Logging in at the server "+server.Name, stop)
		who := &visitor{Server: s, server: server}
		err := server.at.servers.Login(ctx, server.Name, who)
		level, said := chats.Info, fmt.Sprintf("You are logged in at the server %s.", server.Name)
		switch {
		case who.told != "":
			said = who.told + " Nothing was sent there yet: choose the action to log in again if you want that."
		case err != nil:
			level, said = chats.Error, fmt.Sprintf("Nobody is logged in: %v.", err)
		}
		if s.ctx.Err() == nil {
			(&host{server: s}).ShowMessage(level, said)
		}
		progress.End(said)
		if err == nil {
			s.mu.Lock()
			delete(s.shownLogins, server.loginKey())
			s.mu.Unlock()
			_ = s.startServers(all, (*mcp.Source).Start) // it says itself what goes wrong
		}
		s.markConfigs()
	})
	return nil
}

func logOut(s *Server, _ context.Context, _ configFile, _ string, all []placedServer) error {
	server := all[0]
	s.tasks.Go(func() {
		level, said := chats.Info, fmt.Sprintf("You are logged out of the server %s.", server.Name)
		if err := server.at.servers.Logout(s.ctx, server.Name); err != nil {
			level, said = chats.Error, fmt.Sprintf("%v.", err)
		}
		if s.ctx.Err() == nil {
			(&host{server: s}).ShowMessage(level, visible.Line(said))
		}
		s.markConfigs()
	})
	return nil
}
