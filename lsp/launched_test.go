package lsp_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/spf13/pflag"
	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/lsp"
	"github.com/assent-ls/assent/lsp/lsptest"
)

// The flags of the server's launch are in the hover of a chat, each of them.
func TestFlagsOfALaunchAreInTheHover(t *testing.T) { synctest.Test(t, flagsInTheHover) }

func flagsInTheHover(t *testing.T) {
	l := newLab(t, "", lsptest.Options{}, map[string]string{chat: "## You\n\nHi.\n"})
	l.Leave()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	settings.AddFlags(flags)
	given := map[settings.Kind]string{
		settings.Text: "text", settings.Integer: "77", settings.Number: "0.5", settings.Boolean: "false", settings.Time: "3m",
		settings.List: "read_file", settings.Map: "read_file=cat",
	}
	var args, want []string
	for _, f := range settings.Fields() {
		value := given[f.Kind]
		if f.Choices != nil {
			value = f.Names()[1]
		}
		if f.Name == "serverPorts" {
			value = "8080"
		}
		if f.Flag != "" {
			args, want = append(args, "--"+f.Flag+"="+value), append(want, "- `--"+f.Flag+" "+value+"`\n")
		}
	}
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	launch := func(o *lsp.Options) { o.Settings.SetFlags(flags) }
	l.Env = lsptest.NewEnv(t, serveWith(t, l.state, l.config, l.transport, launch), l.Dir, lsptest.Options{})
	defer l.Leave()
	l.Open(chat)
	var hover protocol.Hover
	l.must(l.Editor.Call("textDocument/hover", map[string]any{
		"textDocument": map[string]any{"uri": "file://" + filepath.Join(l.Dir, chat)}, "position": protocol.Position{Character: 3},
	}, &hover))
	shown := hover.Contents.Value
	for _, flag := range want {
		if flag = strings.ReplaceAll(flag, " false`", "=false`"); !strings.Contains(shown, flag) {
			t.Errorf("the hover has no %s", flag)
		}
	}
	if t.Failed() {
		t.Log(shown)
	}
}
