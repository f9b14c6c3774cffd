package config

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
)

// ShowSettings shows the settings in effect, where each value comes from and what it hides: in the chat that is meant,
// else in each folder of the editor.
func (s *Files) ShowSettings(ctx context.Context, target ext.Target) error {
	var b strings.Builder
	b.WriteString("# Settings in effect\n")
	if path, err := settings.UserPath(); err == nil {
		b.WriteString("\nYour settings file is " + visible.CodeSpan(path) + ".\n")
	}
	for i, flag := range session.LaunchFlags(s.Settings) {
		if i == 0 {
			b.WriteString("\nFlags of this launch:\n\n")
		}
		b.WriteString("- " + visible.CodeSpan(flag) + "\n")
	}
	if err := s.writePlaces(&b, target); err != nil {
		return err
	}
	text := visible.Text(b.String())
	return s.Host.ShowPage(ctx, documents.PageName("settings-", text), text)
}

// writePlaces writes the settings in effect in the chat or the folders that a command means.
func (s *Files) writePlaces(b *strings.Builder, target ext.Target) error {
	if transcript.IsChat(target.URI) {
		chat, err := s.Chat(target.URI)
		if err != nil {
			return err
		}
		folder := s.Folders.FolderOf(chat.Path())
		s.SettingsIn(folder) // reads the file of the workspace
		b.WriteString("\nIn the chat " + visible.CodeSpan(filepath.Base(chat.Path())) + ":\n")
		writeEffects(b, s.Settings.Explain(folder, session.ChatSettings(chat.View().Chat.Front)))
		return nil
	}
	for _, at := range s.Folders.All() {
		s.SettingsIn(at.Folder)
		b.WriteString(heading(at))
		writeEffects(b, s.Settings.Explain(at.Folder, nil))
	}
	return nil
}

// writeEffects writes a table for each group of settings.
func writeEffects(b *strings.Builder, all []settings.Effect) {
	group := ""
	for _, e := range all {
		if e.Group.Title != group {
			group = e.Group.Title
			b.WriteString("\n**" + group + "**\n\n| setting | value | from | over |\n|---|---|---|---|\n")
		}
		var over []string
		for _, o := range e.Overrides() {
			said := o.Source.String() + ": " + valueText(o.Value)
			if o.Note != "" {
				said += " (" + strings.ReplaceAll(visible.Line(o.Note), "|", `\|`) + ")"
			}
			over = append(over, said)
		}
		name := "`" + e.Name + "`"
		if e.Restart {
			name += " ¹"
		}
		fmt.Fprintf(b, "| %s | %s | %v | %s |\n", name, valueText(e.Value), e.From, strings.Join(over, "; "))
	}
	b.WriteString("\n¹ A change counts after a restart of the server.\n")
}

// maxValue is how many characters of a value are in a table.
const maxValue = 60

// valueText is a value for a cell of a table.
func valueText(value any) string {
	if nothing := settings.Nothing(value); nothing != "" {
		return nothing
	}
	return strings.ReplaceAll(visible.CodeSpan(visible.Shorten(fmt.Sprint(settings.Shown(value)), maxValue)), "|", `\|`)
}
