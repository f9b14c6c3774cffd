package config

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/tools/mcp"
)

// loginTitle is the title of the action that logs in at a server, with the places that the person was told of; empty:
// they are logged in, or nobody can.
func (s *Files) loginTitle(server placedServer) (title string, places []string) {
	if who, err := server.at.Servers.LoggedIn(server.Declared); err != nil ||
		who.Issuer != "" && server.at.Servers.State(server.Declared).Phase != mcp.Failed || !server.CanLogIn() {
		return "", nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if places = slices.Clone(s.shownLogins[server.loginKey()]); len(places) > 0 {
		return "Log in at " + visible.Line(strings.Join(places, " and ")), places
	}
	return "Log in at this server", nil
}

// loginKey is one key for each login: that of the user's own server counts in all folders.
func (p placedServer) loginKey() string {
	key := p.Place() + "\n" + p.URL
	if !p.Ours {
		key = p.at.Workspace.Key() + "\n" + key
	}
	return key
}

// visitor is a person at an editor who logs in. They agree to a place by choosing the action that names it.
type visitor struct {
	*Files

	server placedServer
	agreed []string // the places that the chosen action named
	told   string   // the question of a place that it did not name
}

// Agree implements login.Person.
func (v *visitor) Agree(_ context.Context, place, question string) (bool, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := v.server.loginKey()
	shown := slices.Contains(v.shownLogins[key], place)
	if shown && slices.Contains(v.agreed, place) {
		return true, nil
	}
	if !shown {
		v.shownLogins[key] = append(v.shownLogins[key], place)
	}
	v.told = question
	return false, nil
}

// Visit implements login.Person.
func (v *visitor) Visit(ctx context.Context, address string) error {
	if v.Client.Capabilities().Window.ShowDocument.Support {
		var shown protocol.ShowDocumentResult
		// else the message says it
		_ = v.Client.Call(
			ctx, "window/showDocument", protocol.ShowDocumentParams{URI: protocol.DocumentURI(address), External: true},
			&shown,
		)
	}
	return v.tell("Log in with your browser. If it did not open, this is the address: " + address)
}

func LogInAt(s *Files, ctx context.Context, at ext.Login) error {
	return OnServer(func(s *Files, _ context.Context, all []placedServer) error {
		return s.logIn(all, at.Places)
	})(s, ctx, at.Entry)
}

// logIn logs in at a server, which goes on after the answer: a person takes their time.
func (s *Files) logIn(all []placedServer, agreed []string) error {
	server := all[0] // the user's own server is one in all folders
	if server.Why != "" {
		return errors.New(server.Why)
	}
	key := server.loginKey()
	s.mu.Lock()
	twice := s.loggingIn[key]
	s.loggingIn[key] = true
	s.mu.Unlock()
	if twice {
		return fmt.Errorf("a login at the server %s goes on: end it in your browser, or cancel it", server.Name)
	}
	s.Tasks.Go(func() {
		defer s.MarkAll()
		var err error
		s.progress("Logging in at the server "+server.Name, func(ctx context.Context) (chats.Level, string) {
			who := &visitor{Files: s, server: server, agreed: agreed}
			err = server.at.Servers.Login(ctx, server.Name, who)
			s.mu.Lock()
			delete(s.loggingIn, key)
			if err == nil {
				delete(s.shownLogins, key)
			}
			s.mu.Unlock()
			switch {
			case who.told != "":
				return chats.Info, who.told + " Nothing was sent there yet: " +
					"choose the action to log in again, which names it now, if you want that."
			case err != nil:
				return chats.Error, fmt.Sprintf("Nobody is logged in: %v.", err)
			}
			return chats.Info, fmt.Sprintf("You are logged in at the server %s.", server.Name)
		})
		if err == nil {
			_ = s.startServers(all, (*mcp.Source).Start) // it says itself what goes wrong
		}
	})
	return nil
}

func LogOut(s *Files, _ context.Context, all []placedServer) error {
	server := all[0]
	s.Tasks.Go(func() {
		level, said := chats.Info, fmt.Sprintf("You are logged out of the server %s.", server.Name)
		if err := server.at.Servers.Logout(s.Context, server.Name); err != nil {
			level, said = chats.Error, fmt.Sprintf("%v.", err)
		}
		s.say(level, said)
		s.MarkAll()
	})
	return nil
}
