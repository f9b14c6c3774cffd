package config

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/configfiles"
	"github.com/assent-ls/assent/lsp/convert"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/folders"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/overview"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/usagelog"
)

// ShowTools shows the tools of the chat that is meant, else those of each folder of the editor, and how their calls
// ended. It starts nothing.
func (s *Files) ShowTools(ctx context.Context, target ext.Target) error {
	path, err := s.userSettings()
	if err != nil {
		return err
	}
	entries, _, err := usagelog.New(s.State).Entries()
	if err != nil {
		return err
	}
	at := s.Folders.All()
	if transcript.IsChat(target.URI) {
		chat, err := s.Chat(target.URI)
		if err != nil {
			return err
		}
		only, err := s.Folders.Of(chat.Path())
		if err != nil {
			return err
		}
		at = []folders.Folder{only}
	}
	var b strings.Builder
	b.WriteString("# Tools\n\nThe code actions on the line of a tool turn it off and on, in your settings file, " +
		visible.CodeSpan(path) + ".\n")
	if len(entries) > 0 {
		b.WriteString("The calls are those since " + entries[0].Time.Local().Format(time.DateOnly) + ".\n")
	}
	for _, folder := range at {
		s.SettingsIn(folder.Folder) // reads the file of the workspace
		b.WriteString(heading(folder))
		s.writeTools(&b, folder, s.overview(ctx, folder, entries))
	}
	text := visible.Text(b.String())
	sum := sha256.Sum256([]byte(text)) // an editor may show an old page until it is told to read it again
	return s.Host.ShowPage(ctx, configfiles.ToolsPageName+hex.EncodeToString(sum[:3]), text)
}

// overview lists the tools of a folder, those that are off included.
func (s *Files) overview(ctx context.Context, at folders.Folder, entries []usagelog.Entry) []overview.Tool {
	d := tools.NewDispatcher(at.Tools.Look(ctx), s.Policy, at.Workspace)
	return overview.Of(d, policy.Mode(s.Settings.Get().Mode), entries)
}

// writeTools writes a table for the tools of each origin.
func (s *Files) writeTools(b *strings.Builder, at folders.Folder, list []overview.Tool) {
	var rules []string
	origin, begun := tools.Origin(""), false
	for _, t := range list {
		if !begun || t.Origin != origin {
			origin, begun = t.Origin, true
			from := "Assent"
			if origin != tools.BuiltIn {
				from = visible.CodeSpan(string(origin))
			}
			b.WriteString("\nOf " + from + ":\n\n| tool | is | its calls | ran | failed | denied | took | does |\n" +
				"|---|---|---|---|---|---|---|---|\n")
		}
		does := cell(t.Does())
		if origin != tools.BuiltIn { // somebody else's words
			does = strings.ReplaceAll(visible.CodeSpan(t.Does()), "|", `\|`)
		}
		took := ""
		if t.Totals.Ran > 0 {
			took = t.Totals.Took.String()
		}
		fmt.Fprintf(
			b, "%s%v | %s: %s | %d | %d | %d | %s | %s |\n", rowStart(t.Name), s.Settings.Tool(at.Folder, t.Setting),
			t.Verdict(), cell(t.Why()), t.Totals.Ran, t.Totals.Failed, t.Totals.Denied, took, does,
		)
		for _, rule := range t.Asks.Rules {
			rules = append(rules, "- "+visible.CodeSpan(t.Name)+": "+visible.CodeSpan(rule)+"\n")
		}
	}
	if len(rules) > 0 {
		b.WriteString("\nRules about some of the calls come before that:\n\n" + strings.Join(rules, ""))
	}
}

// cell is a text in a cell of a table, in which Markdown means nothing.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "[", `\[`, "<", `\<`, "`", "'").Replace(visible.Line(text))
}

// rowStart is how the line of a tool begins.
func rowStart(name string) string {
	return "| " + strings.ReplaceAll(visible.CodeSpan(name), "|", `\|`) + " | "
}

// toolActions are those at a place of the page of tools.
func (s *Files) toolActions(ctx context.Context, text string, at int, target ext.Target) []protocol.CodeAction {
	out := []protocol.CodeAction{s.ToAction(features.Action{Title: "Show tools", Command: ext.ShowTools}, target)}
	name, off, ok := s.toolAt(ctx, text, at)
	switch {
	case ok && off:
		a := features.Action{Title: "Turn on " + name, Command: ext.TurnToolOn, ID: name}
		out = append(out, s.ToAction(a, target))
	case ok:
		a := features.Action{Title: "Turn off " + name, Command: ext.TurnToolOff, ID: name}
		out = append(out, s.ToAction(a, target))
	}
	return out
}

// toolAt finds the name in the settings of the tool on a line of the page, and whether the page shows it as off.
func (s *Files) toolAt(ctx context.Context, text string, at int) (name string, off, ok bool) {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	for _, folder := range s.Folders.All() {
		for _, t := range folder.Tools.Look(ctx).All() {
			if rest, is := strings.CutPrefix(line, rowStart(t.Name)); is {
				return t.Setting, strings.HasPrefix(rest, "off"), true
			}
		}
	}
	return "", false, false
}

// SwitchTool serves the commands that turn a tool on or off. They write into the user's settings file alone.
func SwitchTool(on bool) Handler[ext.ToolLine] {
	return func(s *Files, ctx context.Context, target ext.ToolLine) error {
		name := target.Name
		file, snapshot, open := s.Find(target.URI)
		onPage := open && file.Kind == configfiles.ToolsPage
		if name == "" && onPage && target.Position != nil {
			at := protocol.Position{Line: target.Position.Line, Character: target.Position.Character}
			offset := snapshot.Text.Offset(convert.FromPosition(at), s.Store.Encoding())
			name, _, _ = s.toolAt(ctx, snapshot.Text.String(), offset)
		}
		if name == "" {
			return errors.New(
				"it is not said which tool is meant: use the command on the line of one, on the page of Show tools",
			)
		}
		said, err := s.switchTool(name, on)
		if err != nil {
			return err
		}
		s.MarkAll()
		if onPage {
			if err := s.ShowTools(ctx, ext.Target{}); err != nil {
				return err
			}
		}
		return s.tell(said)
	}
}

// switchTool turns a tool on or off, and says so.
func (s *Files) switchTool(name string, on bool) (said string, err error) {
	path, err := s.userSettings()
	if err == nil {
		err = s.settingsSaved()
	}
	if err == nil {
		err = s.Settings.SwitchTool(path, name, on)
	}
	if err != nil {
		return "", err
	}
	now := map[bool]string{true: "on", false: "off"}[on]
	said = fmt.Sprintf("%s is %s, in %s.", name, now, path)
	for _, folder := range s.Folders.All() {
		if against := s.Settings.Tool(folder.Folder, name).Against(on); against != "" {
			said = fmt.Sprintf("%s is %s in %s, and yet %s.", name, now, path, against)
		}
	}
	return said, nil
}

// userSettings is the path of the user's settings file.
func (s *Files) userSettings() (string, error) {
	config, err := s.Config()
	return filepath.Join(config, "settings.json"), err
}

// settingsSaved is an error if the user's settings file is open with changes that are not on disk: writing the file
// would make two versions of it.
func (s *Files) settingsSaved() error {
	s.mu.Lock()
	var mine File
	for _, file := range s.open {
		if file.Kind == configfiles.UserSettings {
			mine = file
		}
	}
	s.mu.Unlock()
	if snapshot, open := s.Store.Get(mine.uri); open && s.unsaved(mine, snapshot.Text.String()) {
		return errors.New("your settings file has changes that are not saved: save it first")
	}
	return nil
}
