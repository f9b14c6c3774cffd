package config

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/configfiles"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/folders"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/overview"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/usagelog"
)

// starred is a word with stars, such as a pattern of names, without the punctuation after it.
var starred = regexp.MustCompile(`[^\s"'()]*\*(?:[^\s"'()]*[^\s"'().,:;])?`)

// ShowTools shows the tools of the chat that is meant, else those of each folder of the editor, and how their calls
// ended. It starts nothing.
func (s *Files) ShowTools(ctx context.Context, target ext.Target) error {
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
	text, err := s.toolsPage(ctx, at)
	if err != nil {
		return err
	}
	return s.Host.ShowPage(ctx, s.toolsPageName(text), text)
}

// toolsPage is the page of the tools of some folders.
func (s *Files) toolsPage(ctx context.Context, at []folders.Folder) (string, error) {
	path, err := userSettings(s)
	if err != nil {
		return "", err
	}
	entries, _, err := usagelog.New(s.State).Entries()
	if err != nil {
		return "", err
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
		all := tools.NewDispatcher(folder.Tools.Look(ctx), s.Policy, folder.Workspace)
		writeTools(&b, s, folder, overview.Of(all, policy.Mode(s.Settings.Get().Mode), entries))
	}
	return visible.Text(b.String()), nil
}

// toolsPageName is a name for a page under which the editor has no other text open, since a switch changes a page in
// its place.
func (s *Files) toolsPageName(text string) string {
	for of := text; ; of += " " {
		name := documents.PageName(configfiles.ToolsPageName, of)
		if open, is := s.Buffers.Text(s.Host.PagePath(name)); !is || open == text {
			return name
		}
	}
}

// showToolsAgain brings an open page of tools up to date: in its place, where the cursor stays, if the editor saves
// what is changed; else as another page, so that no editor asks its user what to do with a page that is not saved.
func (s *Files) showToolsAgain(ctx context.Context, page File, shown documents.Snapshot) error {
	if s.Client.Capabilities().Assent().Saves {
		text, err := s.toolsPage(ctx, s.Folders.All())
		if err == nil {
			err = s.Buffers.Replace(ctx, page.path, shown.Text.String(), text)
		}
		if err == nil {
			return nil
		}
	}
	return s.ShowTools(ctx, ext.Target{})
}

// writeTools writes a table for the tools of each origin, and what the tables do not say.
func writeTools(b *strings.Builder, s *Files, at folders.Folder, list []overview.Tool) {
	var notes []string
	for from := 0; from < len(list); {
		origin, to := list[from].Origin, from
		for ; to < len(list) && list[to].Origin == origin; to++ {
			notes = append(notes, notesOf(s.Settings, at, list[to])...)
		}
		b.WriteString("\nOf " + originText(origin) + ":\n\n" + toolsTable(s.Settings, at, list[from:to]))
		from = to
	}
	if len(notes) > 0 {
		b.WriteString("\n" + strings.Join(notes, ""))
	}
}

func originText(origin tools.Origin) string {
	if origin == tools.BuiltIn {
		return "Assent"
	}
	return visible.CodeSpan(string(origin))
}

// notesOf are the lines about a tool that are below the tables: what switches it off, if the user's file does not; why
// its calls are decided as they are, where what it does is not the reason; and rules about some of its calls.
func notesOf(now *settings.Store, at folders.Folder, t overview.Tool) (notes []string) {
	if by := now.Tool(at.Folder, t.Setting); by.Off && by.By != settings.UserFile {
		notes = append(notes, "- "+visible.CodeSpan(t.Name)+": "+by.String()+"\n")
	}
	if why := t.Why(); why != t.Effect.Reason() {
		notes = append(notes, "- "+visible.CodeSpan(t.Name)+": "+t.Verdict()+": "+cell(why)+"\n")
	}
	for _, rule := range t.Asks.Rules {
		notes = append(notes, "- "+visible.CodeSpan(t.Name)+", before that: "+visible.CodeSpan(rule)+"\n")
	}
	return notes
}

// toolsTable is the table of some tools, with columns that are below each other in an editor.
func toolsTable(now *settings.Store, at folders.Folder, list []overview.Tool) string {
	rows := [][]string{{"tool", "is ", "its calls", "so far", "does"}}
	for _, t := range list {
		does := cell(t.Does())
		if t.Origin != tools.BuiltIn { // somebody else's words
			does = codeCell(t.Does())
		}
		rows = append(rows, []string{
			codeCell(t.Name), fmt.Sprintf("%-3s", now.Tool(at.Folder, t.Setting).Word()), t.Verdict(), t.Totals.Ended(),
			does,
		})
	}
	for column := range len(rows[0]) - 1 {
		wide := 0
		for _, row := range rows {
			wide = max(wide, utf8.RuneCountInString(row[column]))
		}
		for _, row := range rows {
			row[column] = fmt.Sprintf("%-*s", wide, row[column])
		}
	}
	var below []string // the head
	for _, name := range rows[0] {
		below = append(below, strings.Repeat("-", utf8.RuneCountInString(name)))
	}
	var b strings.Builder
	for _, row := range slices.Insert(rows, 1, below) {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	return b.String()
}

// cell is a text in a cell of a table, in which Markdown means nothing: what has stars is code.
func cell(text string) string {
	text = strings.NewReplacer("|", `\|`, "[", `\[`, "<", `\<`, "`", "'").Replace(visible.Line(text))
	return starred.ReplaceAllString(text, "`$0`")
}

// codeCell is a text in a cell of a table, as code.
func codeCell(text string) string { return strings.ReplaceAll(visible.CodeSpan(text), "|", `\|`) }

// toolActions are those at a place of the page of tools.
func (s *Files) toolActions(ctx context.Context, text string, at int) []features.Action {
	out := []features.Action{{Command: ext.ShowTools}}
	name, off, ok := s.toolAt(ctx, text, at)
	switch {
	case ok && off:
		out = append(out, features.Action{Title: "Turn on " + name, Command: ext.TurnToolOn, ID: name})
	case ok:
		out = append(out, features.Action{Title: "Turn off " + name, Command: ext.TurnToolOff, ID: name})
	}
	return out
}

// toolAt finds the name in the settings of the tool on a line of the page, and whether the page shows it as off.
func (s *Files) toolAt(ctx context.Context, text string, at int) (name string, off, ok bool) {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	for _, folder := range s.Folders.All() {
		for _, t := range folder.Tools.Look(ctx).All() {
			rest, is := strings.CutPrefix(line, "| "+codeCell(t.Name)+" ")
			if state, ok := strings.CutPrefix(strings.TrimLeft(rest, " "), "| "); is && ok {
				return t.Setting, strings.HasPrefix(state, "off"), true
			}
		}
	}
	return "", false, false
}

// SwitchTool serves the commands that turn a tool on or off. They write into the user's settings file alone.
func SwitchTool(on bool) Handler[ext.Entry] {
	return func(s *Files, ctx context.Context, target ext.Entry) error {
		name := target.Name
		file, snapshot, open := s.Find(target.URI)
		onPage := open && file.Kind == configfiles.ToolsPage
		if name == "" && onPage && target.Position != nil {
			name, _, _ = s.toolAt(ctx, snapshot.Text.String(), offset(s, snapshot, target.Position))
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
			if err := s.showToolsAgain(ctx, file, snapshot); err != nil {
				return err
			}
		}
		return s.tell(said)
	}
}

// switchTool turns a tool on or off, and says so.
func (s *Files) switchTool(name string, on bool) (said string, err error) {
	path, err := userSettings(s)
	if err == nil {
		err = settingsSaved(s)
	}
	if err == nil {
		err = s.Settings.SwitchTool(path, name, on)
	}
	if err != nil {
		return "", err
	}
	now := "off"
	if on {
		now = "on"
	}
	said = fmt.Sprintf("%s is %s, in %s.", name, now, path)
	for _, folder := range s.Folders.All() {
		if against := s.Settings.Tool(folder.Folder, name).Against(on); against != "" {
			said = fmt.Sprintf("%s is %s in %s, and yet %s.", name, now, path, against)
		}
	}
	return said, nil
}

// userSettings is the path of the user's settings file.
func userSettings(s *Files) (string, error) {
	config, err := s.Config()
	return filepath.Join(config, "settings.json"), err
}

// settingsSaved is an error if the user's settings file is open with changes that are not on disk: writing the file
// would make two versions of it.
func settingsSaved(s *Files) error {
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
