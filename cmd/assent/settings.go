package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/session/chatfile"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/internal/visible"
)

func newSettings() *cobra.Command {
	var flags runFlags
	var chat string
	cmd := &cobra.Command{
		Use:   "settings [NAME]",
		Short: "Show the settings in effect: each value, where it comes from, and what it overrides",
		Long: "Show the settings in effect: each value, where it comes from, and what it overrides. " +
			"With a name, show all that is known\n" +
			"of that setting, and what each source says of it, the strongest first. " +
			"What editors set only they know: see the action\n" +
			"Show settings in effect there.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := effects(cmd, flags, chat)
			if err != nil {
				return err
			}
			if len(args) > 0 {
				f, ok := settings.Named(args[0])
				if !ok {
					return noSetting(args[0])
				}
				all = slices.DeleteFunc(all, func(e settings.Effect) bool { return e.Name != f.Name })
			}
			switch {
			case flags.json:
				return printSettingsJSON(cmd.OutOrStdout(), all)
			case len(args) > 0:
				return printSetting(cmd.OutOrStdout(), all[0])
			default:
				return printSettings(cmd.OutOrStdout(), all)
			}
		},
	}
	cmd.Flags().BoolVar(&flags.json, "json", false, "Print one JSON object per line.")
	cmd.Flags().StringVar(&flags.folder, "folder", "", "The workspace folder. Empty: the current folder.")
	cmd.Flags().StringVar(&chat, "chat", "", "A chat file, whose front matter may set some, too.")
	return cmd
}

func noSetting(name string) error {
	sentence := fmt.Sprintf("there is no setting %q", visible.Shorten(name, 40))
	if near := settings.Near(name); near != "" {
		sentence += ", perhaps you mean " + near
	}
	return &exitError{exitUsage, sentence + "; `assent settings` lists all"}
}

// effects are the settings in effect in a folder, and in a chat if one is named.
func effects(cmd *cobra.Command, flags runFlags, chat string) ([]settings.Effect, error) {
	root, err := flags.root()
	if err != nil {
		return nil, err
	}
	var said map[string]any
	if chat != "" {
		path, err := chatPath(chat)
		if err != nil {
			return nil, err
		}
		snapshot, err := chatfile.New(path, nil).Read()
		if err != nil {
			return nil, err
		}
		said = session.ChatSettings(snapshot.Chat().Front)
	}
	p, err := wire(cmd)
	if err != nil {
		return nil, err
	}
	p.settingsIn(root)
	return p.settings.Explain(root, said), nil
}

// maxSettingShown is how many characters of a value are in a list.
const maxSettingShown = 40

// settingText is a value for people.
func settingText(value any) string {
	switch value {
	case nil:
		return "not set"
	case "", settings.Names(""), settings.Renames(""):
		return "empty"
	default:
		return visible.Line(fmt.Sprint(settings.Shown(value)))
	}
}

func printSettings(out io.Writer, all []settings.Effect) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	group := ""
	for _, e := range all {
		if e.Group.Title != group {
			if group != "" {
				fmt.Fprintln(w)
			}
			group = e.Group.Title
			fmt.Fprintln(w, group)
		}
		row := []string{"  " + e.Name, visible.Shorten(settingText(e.Value), maxSettingShown), e.From.String()}
		var over []string
		for _, o := range e.Overrides() {
			if o.Source != settings.BuiltIn {
				value := visible.Shorten(settingText(o.Value), maxSettingShown)
				over = append(over, fmt.Sprintf("%v: %s", o.Source, value))
			}
		}
		if over != nil {
			row = append(row, "over "+strings.Join(over, "; "))
		}
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	return w.Flush()
}

// printSetting shows all that is known of one setting.
func printSetting(out io.Writer, e settings.Effect) error {
	fmt.Fprintf(out, "%s: %s, from %v\n\n%s\n\n", e.Name, settingText(e.Value), e.From, e.Doc)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, c := range e.Choices {
		fmt.Fprintf(w, "  %s\t%s\n", c.Name, c.Doc)
	}
	if e.Choices != nil {
		fmt.Fprintln(w)
	}
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, text)
		}
	}
	line("Group", e.Group.Title)
	line("Type", string(e.Kind)+limitsText(e.Field))
	line("Unit", e.Unit)
	if e.Flag != "" {
		line("Flag", "--"+e.Flag)
	}
	line("Environment", e.Env)
	line("In a chat", e.Chat)
	if e.Restart {
		line("Restart", "a change counts after a restart of the server")
	}
	fmt.Fprintln(w, "\nWhat each source says, the strongest first:")
	for _, s := range e.Sources {
		text := "–"
		if s.Set {
			text = settingText(s.Value)
		}
		mark := s.Note
		if s.Source == e.From {
			mark = "in effect"
		}
		fmt.Fprintln(w, strings.TrimSuffix(fmt.Sprintf("  %v\t%s\t%s", s.Source, text, mark), "\t"))
	}
	return w.Flush()
}

// limitsText says from what to what a number or a duration may be.
func limitsText(f settings.Field) string {
	if f.Min == nil || f.Max == nil {
		return ""
	}
	return fmt.Sprintf(", from %v to %v", f.Min, f.Max)
}

type settingLine struct {
	Name      string          `json:"name"`
	Group     string          `json:"group"`
	Type      settings.Kind   `json:"type"`
	Value     any             `json:"value"` // null: not set
	From      settings.Source `json:"from"`
	Flag      string          `json:"flag,omitempty"`
	Unit      string          `json:"unit,omitempty"`
	Restart   bool            `json:"restart"`
	Overrides []statedLine    `json:"overrides"`
	Sources   []statedLine    `json:"sources"`
}

type statedLine struct {
	Source settings.Source `json:"source"`
	Set    bool            `json:"set"`
	Value  any             `json:"value"`
	Note   string          `json:"note,omitempty"`
}

func printSettingsJSON(out io.Writer, all []settings.Effect) error {
	enc := json.NewEncoder(terminal.JSON(out))
	enc.SetEscapeHTML(false)
	for _, e := range all {
		line := settingLine{
			Name: e.Name, Group: e.Group.Title, Type: e.Kind, Value: settings.Shown(e.Value), From: e.From, Flag: e.Flag,
			Unit: e.Unit, Restart: e.Restart, Overrides: statedLines(e.Overrides()), Sources: statedLines(e.Sources),
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func statedLines(all []settings.Stated) []statedLine {
	lines := []statedLine{}
	for _, s := range all {
		lines = append(lines, statedLine{s.Source, s.Set, settings.Shown(s.Value), s.Note})
	}
	return lines
}
