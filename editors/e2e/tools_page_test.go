//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// calculatorRow begins the row of a tool on the page of Show tools.
const calculatorRow = "| `calculator`"

// TestToolsPageVSCode turns a tool off and on again on the page of Show tools, with the palette and the menu of code
// actions, as a person does. The page changes in its place: it is the same document, saved, and the cursor stays. Where
// no tool is meant, one sentence says so.
func TestToolsPageVSCode(t *testing.T) {
	w := newWorld(t, "127.0.0.1:1", map[string]string{"README.md": readmeText})
	e := startVSCode(w)
	e.open("README.md")
	e.palette("Assent: Turn off this tool")
	e.sees("Assent: it is not said which tool is meant")
	e.shot("refused")
	for _, unwanted := range []string{"executeCommand", "resulted in an error"} {
		var there bool
		if e.do("sees", arguments{"text": unwanted}, &there); there {
			t.Errorf("a refusal is shown with %q", unwanted)
		}
	}
	e.palette("Assent: Show tools")
	page := toolsPage(e, "README.md", "on")
	e.sees("calculator")
	e.do("menu", arguments{"file": e.w.path(page), "line": menuLine(e, page), "name": "tools-menu"}, nil)
	for _, step := range []struct{ title, is, off string }{
		{"Turn off calculator", "off", `"toolsOff":["calculator"]`},
		{"Turn on calculator", "on", `"toolsOff":[]`},
	} {
		line := e.lineOf(page, calculatorRow)
		e.act(page, line, step.title)
		if now := toolsPage(e, "README.md", step.is); now != page {
			t.Errorf("after %s another page is shown: %s", step.title, now)
		}
		if at := e.where(); at.Line != line {
			t.Errorf("after %s the cursor is at %+v, not in line %d", step.title, at, line)
		}
		eventually(t, "the page is saved", func() error {
			if e.modified(page) {
				return errors.New("it has unsaved changes")
			}
			return nil
		})
		held := strings.ReplaceAll(w.read("../config/assent/settings.json"), " ", "")
		if !strings.Contains(held, step.off) || !strings.Contains(held, `"logLevel":"debug"`) {
			t.Errorf("after %s the user's file is %s", step.title, held)
		}
		if step.is == "off" {
			e.pictures("tools")
		}
	}
}

// menuLine puts the cursor on the row of the tool, for the menu there.
func menuLine(e *editor, page string) int {
	e.t.Helper()
	line := e.lineOf(page, calculatorRow)
	e.do("cursor", e.at(page, line), nil)
	return line
}

// toolsPage waits until a page of tools is in front that is not the one before, and shows the tool as on or off. The
// page is named from the workspace.
func toolsPage(e *editor, before, is string) (name string) {
	e.t.Helper()
	eventually(e.t, "the page of tools", func() error {
		file := e.where().File
		rel, err := filepath.Rel(e.w.workspace, file)
		if err != nil || rel == before || !strings.Contains(filepath.Base(file), "tools") {
			return fmt.Errorf("%s is in front", file)
		}
		name = rel
		for line := range strings.Lines(e.text(name)) {
			if strings.HasPrefix(line, calculatorRow) {
				if cells := strings.Split(line, "|"); strings.TrimSpace(cells[2]) != is {
					return errors.New(line)
				}
				return nil
			}
		}
		return errors.New("it does not have the tool")
	})
	return name
}
