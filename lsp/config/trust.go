package config

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/configfiles"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/host"
	"github.com/assent-ls/assent/lsp/wire"
	"github.com/assent-ls/assent/tools/workspace"
)

// saved returns what of a file that needs trust is on disk, with its workspace: that is what counts, whatever the
// editor shows.
func (s *Files) saved(ctx context.Context, file File) (ws *workspace.Workspace, data []byte, err error) {
	at, err := s.Folders.Of(file.path)
	if err != nil {
		return nil, nil, err
	}
	data, found, err := at.Workspace.ReadSaved(ctx, file.rel())
	if err == nil && !found {
		err = fmt.Errorf("%q is not saved yet", file.rel())
	}
	return at.Workspace, data, err
}

// savedAs is saved for a file that must be on disk as its text is here.
func savedAs(s *Files, ctx context.Context, file File, text string) (*workspace.Workspace, []byte, error) {
	ws, data, err := s.saved(ctx, file)
	if err == nil && string(data) != text {
		err = fmt.Errorf(
			"%q is not on disk as it is here, and what is on disk counts: save it, or read it again, and look at it",
			file.rel(),
		)
	}
	return ws, data, err
}

// trustDiagnostics says that nothing in a file counts, if that is so.
func (s *Files) trustDiagnostics(file File, text string) []configfiles.Diagnostic {
	ws, data, err := s.saved(s.Context, file)
	var sentence string
	if err != nil {
		sentence = fmt.Sprintf("Nothing in this file counts: %s.", err)
	} else if ok, why := s.Trust.Trusted(ws.Key(), file.rel(), data); !ok {
		sentence = why + " The code action Trust this file lets it count."
	}
	if sentence == "" {
		return nil
	}
	return []configfiles.Diagnostic{
		{Span: configfiles.FirstLine(text), Severity: configfiles.Warning, Message: sentence},
	}
}

// trustActions lists what can be done about the trust in a file. The first row is harmless.
func (s *Files) trustActions(ctx context.Context, file File) []features.Action {
	ws, data, err := s.saved(ctx, file)
	if err != nil {
		return nil
	}
	if ok, _ := s.Trust.Trusted(ws.Key(), file.rel(), data); ok {
		return []features.Action{{Command: ext.DistrustFile}}
	}
	return []features.Action{{Command: ext.ShowNew}, {Command: ext.TrustFile}}
}

// OnTrust serves a command on an open file that needs trust: nothing else is meant by it.
func OnTrust(do func(s *Files, ctx context.Context, file File, text string) error) Handler[ext.File] {
	return func(s *Files, ctx context.Context, target ext.File) error {
		file, snapshot, ok := s.Find(target.URI)
		if !ok || !file.NeedsTrust() {
			return fmt.Errorf("%q is no open file that needs your trust", wire.DisplayPath(target.URI))
		}
		if err := do(s, ctx, file, snapshot.Text.String()); err != nil {
			return err
		}
		s.MarkAll()
		return nil
	}
}

// TrustFile trusts a file with the content that the user sees, which must be what is saved.
func TrustFile(s *Files, ctx context.Context, file File, text string) error {
	ws, data, err := savedAs(s, ctx, file, text)
	if err != nil {
		return err
	}
	if err := s.Trust.Trust(ws.Key(), file.rel(), data); err != nil {
		return err
	}
	return s.Host.WarnOfSession(ws.Key())
}

func DistrustFile(s *Files, _ context.Context, file File, _ string) error {
	at, err := s.Folders.Of(file.path)
	if err != nil {
		return err
	}
	return s.Trust.Revoke(at.Workspace.Key(), file.rel())
}

// ShowNew shows what of a file the user does not trust yet, as it is on disk.
func ShowNew(s *Files, ctx context.Context, file File, _ string) error {
	ws, data, err := s.saved(ctx, file)
	if err != nil {
		return err
	}
	diff := s.Trust.New(ws.Key(), file.rel(), data)
	if diff == "" {
		return errors.New("all of this file is trusted")
	}
	name := host.DiffName("new-in-" + path.Base(file.rel()))
	return s.Host.ShowWritten(ctx, name, visible.Text(diff), "what is new", "What is new")
}
