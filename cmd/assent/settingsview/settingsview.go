// Package settingsview prints settings with their values, and where those come from, for `assent settings`.
package settingsview

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/internal/visible"
)

// maxShown is how many characters of a value are in a list.
const maxShown = 40

// text is a value for people.
func text(value any) string {
	if nothing := settings.Nothing(value); nothing != "" {
		return nothing
	}
	return visible.Line(fmt.Sprint(settings.Shown(value)))
}

// List prints a line for each setting, by groups.
func List(out io.Writer, all []settings.Effect) error {
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
		row := []string{"  " + e.Name, visible.Shorten(text(e.Value), maxShown), e.From.String()}
		var over []string
		for _, o := range e.Overrides() {
			if o.Source != settings.BuiltIn {
				value := visible.Shorten(text(o.Value), maxShown)
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

// One prints all that is known about a setting.
func One(out io.Writer, e settings.Effect) error {
	fmt.Fprintf(out, "%s: %s, from %v\n\n%s\n\n", e.Name, text(e.Value), e.From, e.Doc)
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
	line("Type", string(e.Kind)+limits(e.Field))
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
		says := "–"
		if s.Set {
			says = text(s.Value)
		}
		mark := s.Note
		if s.Source == e.From {
			mark = "in effect"
		}
		fmt.Fprintln(w, strings.TrimSuffix(fmt.Sprintf("  %v\t%s\t%s", s.Source, says, mark), "\t"))
	}
	return w.Flush()
}

// limits says from what to what a number or a duration may be.
func limits(f settings.Field) string {
	if f.Min == nil || f.Max == nil {
		return ""
	}
	return fmt.Sprintf(", from %v to %v", f.Min, f.Max)
}

// Line is a setting with each source of its value, for programs.
type Line struct {
	Name      string          `json:"name"`
	Group     string          `json:"group"`
	Type      settings.Kind   `json:"type"`
	Value     any             `json:"value"` // null: not set
	From      settings.Source `json:"from"`
	Flag      string          `json:"flag,omitempty"`
	Unit      string          `json:"unit,omitempty"`
	Restart   bool            `json:"restart"`
	Overrides []Stated        `json:"overrides"`
	Sources   []Stated        `json:"sources"`
}

// Stated is what one source says.
type Stated struct {
	Source settings.Source `json:"source"`
	Set    bool            `json:"set"`
	Value  any             `json:"value"`
	Note   string          `json:"note,omitempty"`
}

// Lines are the settings for programs.
func Lines(all []settings.Effect) (lines []Line) {
	for _, e := range all {
		lines = append(lines, Line{
			Name: e.Name, Group: e.Group.Title, Type: e.Kind, Value: settings.Shown(e.Value), From: e.From,
			Flag: e.Flag, Unit: e.Unit, Restart: e.Restart, Overrides: statedLines(e.Overrides()),
			Sources: statedLines(e.Sources),
		})
	}
	return lines
}

func statedLines(all []settings.Stated) []Stated {
	lines := []Stated{}
	for _, s := range all {
		lines = append(lines, Stated{s.Source, s.Set, settings.Shown(s.Value), s.Note})
	}
	return lines
}
