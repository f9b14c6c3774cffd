package config

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/host"
)

// needsTrust is an error for a server of the user's own.
func (p placedServer) needsTrust() error {
	if p.Ours {
		return fmt.Errorf("the server %s is your own: it needs no trust", p.Name)
	}
	return nil
}

// ShowServer shows what of a server the user does not trust yet, or all that they trust.
func ShowServer(s *Files, ctx context.Context, all []placedServer) error {
	server := all[0] // of a workspace there is one
	if err := server.needsTrust(); err != nil {
		return err
	}
	consent, err := server.at.Servers.Consent(server.Declared)
	if err != nil {
		return err
	}
	return s.showConsent(ctx, server, string(consent))
}

// showConsent shows all that the user would trust, and keeps that this was shown.
func (s *Files) showConsent(ctx context.Context, server placedServer, consent string) error {
	name, text := host.DiffName("new-in-server-"+server.Name), s.Trust.New(
		server.at.Workspace.Key(), server.Place(), []byte(consent),
	)
	if text == "" {
		name, text = "server-"+server.Name+".json", consent
	}
	if err := s.Host.ShowWritten(
		ctx, name, visible.Text(text), "what the server would start", "What the server would start",
	); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shownServers[server.key()] = consent
	return nil
}

func (p placedServer) key() string { return p.at.Workspace.Key() + "\n" + p.Place() }

// shownHash is the hash of what was shown of a server; empty: nothing was. An action carries it, so that one that was
// listed before anything was shown never trusts, however often it is chosen.
func (s *Files) shownHash(server placedServer) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown, ok := s.shownServers[server.key()]
	if !ok {
		return ""
	}
	sum := sha256.Sum256([]byte(shown))
	return hex.EncodeToString(sum[:])
}

// TrustServerAs serves the command with what its action says was shown.
func TrustServerAs(s *Files, ctx context.Context, as ext.Trust) error {
	return OnServer(func(s *Files, ctx context.Context, all []placedServer) error {
		return s.trustServer(ctx, as, all[0])
	})(s, ctx, as.Entry)
}

// trustServer trusts a server with exactly what was shown of it before the action was listed. What was not shown then,
// or changed since, is shown instead.
func (s *Files) trustServer(ctx context.Context, as ext.Trust, server placedServer) error {
	if err := server.needsTrust(); err != nil {
		return err
	}
	if server.Why == "" {
		return fmt.Errorf("you trust the server %s already, with all that it is now", server.Name)
	}
	file, snapshot, _ := s.Find(as.URI)
	if _, _, err := savedAs(s, ctx, file, snapshot.Text.String()); err != nil {
		return err
	}
	consent, err := server.at.Servers.Consent(server.Declared)
	if err != nil {
		return err
	}
	s.mu.Lock()
	shown := s.shownServers[server.key()]
	s.mu.Unlock()
	if shown != string(consent) || as.Shown == "" || as.Shown != s.shownHash(server) {
		if err := s.showConsent(ctx, server, string(consent)); err != nil {
			return err
		}
		if shown != "" && shown != string(consent) {
			return fmt.Errorf(
				"the server %s changed since it was shown to you, so it is not trusted: read what is shown now, "+
					"and choose Trust this server again",
				server.Name,
			)
		}
		return s.tell("The server " + server.Name +
			" is not trusted yet: read what is shown, and choose Trust this server again.")
	}
	if err := server.at.Servers.Trust(ctx, server.Name, consent); err != nil {
		return err
	}
	return s.Host.WarnOfSession(server.at.Workspace.Key())
}

func RevokeServer(_ *Files, _ context.Context, all []placedServer) error {
	if err := all[0].needsTrust(); err != nil {
		return err
	}
	return all[0].at.Servers.Revoke(all[0].Name)
}
