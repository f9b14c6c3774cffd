package tools_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/toolstest"
)

func TestToolsAreSwitchedOffAndRenamed(t *testing.T) {
	ok := func(context.Context) tools.Result { return tools.Text("ok") }
	list := []tools.Tool{
		running(tools.Spec{Name: "read_file", Description: "Read, or use edit_file.", Effect: effect.Reads}, ok),
		running(tools.Spec{Name: "edit_file", Description: "Edit what read_file reads.", Effect: effect.Edits}, ok),
		running(tools.Spec{Name: "run_command", Effect: effect.Runs}, ok),
	}
	for name, tt := range map[string]struct {
		choice   tools.Choice
		want     []string // names and descriptions
		problems string
	}{
		"nothing":            {tools.Choice{}, []string{"read_file: Read, or use edit_file.", "edit_file: Edit what read_file reads.", "run_command: "}, ""},
		"off":                {tools.Choice{Off: []string{"run_command", "read_file"}}, []string{"edit_file: Edit what read_file reads."}, ""},
		"only":               {tools.Choice{Only: &[]string{"read_file", "edit_file"}, Off: []string{"read_file"}}, []string{"edit_file: Edit what read_file reads."}, ""},
		"only, renamed":      {tools.Choice{Only: &[]string{"read_file"}, Names: map[string]string{"read_file": "cat"}}, []string{"cat: Read, or use edit_file."}, ""},
		"none":               {tools.Choice{Only: &[]string{}}, nil, ""},
		"only no such tool":  {tools.Choice{Only: &[]string{"read_fil"}}, nil, `The settings allow a tool that is none: there is no tool "read_fil", perhaps you mean read_file.`},
		"renamed":            {tools.Choice{Names: map[string]string{"read_file": "cat"}}, []string{"cat: Read, or use edit_file.", "edit_file: Edit what cat reads.", "run_command: "}, ""},
		"off by its new one": {tools.Choice{Off: []string{"cat"}, Names: map[string]string{"read_file": "cat"}}, []string{"cat: Read, or use edit_file.", "edit_file: Edit what cat reads.", "run_command: "}, `The settings name the tool "cat", and there is none.`},
		"taken":              {tools.Choice{Off: []string{"run_command"}, Names: map[string]string{"read_file": "run_command"}}, []string{"read_file: Read, or use edit_file.", "edit_file: Edit what read_file reads."}, "read_file cannot be renamed to run_command, which is a tool itself."},
		"no name":            {tools.Choice{Names: map[string]string{"read_file": "a.b"}}, []string{"read_file: Read, or use edit_file.", "edit_file: Edit what read_file reads.", "run_command: "}, `"a.b" is no name for the tool read_file: letters, digits, _ and - make one.`},
		"no such tool":       {tools.Choice{Off: []string{"fly"}}, []string{"read_file: Read, or use edit_file.", "edit_file: Edit what read_file reads.", "run_command: "}, `The settings name the tool "fly", and there is none.`},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := tools.NewSources(list).Choose(func() tools.Choice { return tt.choice }).Now(t.Context())
			var got []string
			for _, s := range r.Specs() {
				got = append(got, s.Name+": "+s.Description)
			}
			said := ""
			if err != nil {
				said = err.Error()
			}
			if diff := cmp.Diff(tt.want, got) + cmp.Diff(tt.problems, said); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestARuleIsAboutTheToolsOwnName: a new name dodges nothing that was forbidden, and inherits nothing that was allowed
// for another tool.
func TestARuleIsAboutTheToolsOwnName(t *testing.T) {
	b := toolstest.NewBench(t, map[string]string{"a.txt": "x\n"})
	b.Do("read_file", toolstest.Args("path", "a.txt"))
	b.Forbid(b.Prepare("edit_file", toolstest.Change("a.txt", "x", "y")))
	log, _ := newLog(t)
	choice := tools.Choice{Off: []string{"write_file"}, Names: map[string]string{"edit_file": "change_text"}}
	renamed := tools.NewSources(builtin.Tools(b.Workspace, builtin.Options{})).Choose(func() tools.Choice { return choice })
	b.Dispatcher = tools.NewDispatcher(renamed.Known(), b.Policy, b.Workspace).LogTo(log)
	if r := b.Do("change_text", toolstest.Change("a.txt", "x", "y")); !r.Failed || !strings.HasPrefix(r.Text(), "Refused: ") || b.OnDisk("a.txt") != "x\n" {
		t.Errorf("%+v", r)
	}
	if r := b.Do("edit_file", toolstest.Change("a.txt", "x", "y")); !r.Failed || !strings.Contains(r.Text(), `There is no tool "edit_file"`) {
		t.Errorf("%+v", r)
	}
	if r := b.Do("write_file", toolstest.Args("path", "b.txt", "content", "x")); r.Text() != "The tool write_file is switched off in the settings: go on without it." {
		t.Errorf("%+v", r)
	}
	entries, _, err := log.Entries()
	if err != nil || len(entries) != 3 || entries[0].Tool != "edit_file" {
		t.Errorf("%+v, %v", entries, err)
	}
}

// TestAChoiceCountsFromTheNextRun: the settings may change while the program runs; a run keeps its tools.
func TestAChoiceCountsFromTheNextRun(t *testing.T) {
	var choice tools.Choice
	s := tools.NewSources([]tools.Tool{running(tools.Spec{Name: "a", Effect: effect.Computes}, func(context.Context) tools.Result { return tools.Text("ok") })}).
		Choose(func() tools.Choice { return choice })
	before, _ := s.Now(t.Context())
	choice.Off = []string{"a"}
	after, err := s.Now(t.Context())
	if err != nil || len(before.Specs()) != 1 || len(after.Specs()) != 0 {
		t.Errorf("%v, %v, %v", before.Specs(), after.Specs(), err)
	}
	if r, err := once(t.Context(), tools.NewDispatcher(before, policy.New(nil), nil), "a"); err != nil || r.Text() != "ok" {
		t.Errorf("%+v, %v", r, err)
	}
}
