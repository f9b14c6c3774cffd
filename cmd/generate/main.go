// Command generate writes every generated file of the project: the pages of settings and commands, and the sections of
// the editors' manifests that come from them. Run it at the top of the repository; its test fails when a file is out of
// date.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/assent-ls/assent/agent/model/servers"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/tools/policy"
)

func main() {
	write := flag.Bool("w", true, "write the files; false: only say which are out of date")
	flag.Parse()
	if err := doMain(".", *write); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// output is one generated file, made from what it holds now.
type output struct {
	path string
	make func(old []byte) ([]byte, error)
}

func outputs(root string) []output {
	whole := func(f func() []byte) func([]byte) ([]byte, error) {
		return func([]byte) ([]byte, error) { return f(), nil }
	}
	below := func(folder string, f func(folder string) ([]byte, error)) func([]byte) ([]byte, error) {
		return func([]byte) ([]byte, error) { return f(filepath.Join(root, filepath.FromSlash(folder))) }
	}
	return append(listSchemas(), []output{
		{"docs/settings.md", whole(settingsPage)},
		{"docs/settings.schema.json", schemaFile(settings.Schema())},
		{"docs/permissions.schema.json", schemaFile(policy.Schema())},
		{"docs/servers.schema.json", schemaFile(servers.Schema())},
		{"docs/commands.md", whole(commandsPage)},
		{"docs/licenses.md", licensesPage},
		{"docs/tools.md", toolsPage},
		{"docs/packages.md", below("", packagesPage)},
		{"docs/tests.md", below("", testsPage)},
		{"docs/protocol.md", whole(protocolPage)},
		{"editors/vscode/package.json", vscodeManifest},
		{"editors/vscode/src/generated/protocol.ts", whole(protocolTypeScript)},
		{"editors/nvim/lua/assent/generated.lua", whole(protocolLua)},
		{"editors/nvim/doc/assent.txt", below("editors/nvim", nvimHelp)},
		{"editors/nvim/doc/tags", below("editors/nvim", nvimTags)},
	}...)
}

// doMain brings every file under root up to date, or says which are not.
func doMain(root string, write bool) error {
	var problems []error
	for _, out := range outputs(root) {
		path := filepath.Join(root, filepath.FromSlash(out.path))
		old, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		want, err := out.make(old)
		if err != nil {
			return fmt.Errorf("%s: %w", out.path, err)
		}
		if bytes.Equal(old, want) {
			continue
		}
		if !write {
			problems = append(problems, fmt.Errorf("%s is out of date: run make generate", out.path))
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // part of the repository, readable by all
			return err
		}
		if err := os.WriteFile(path, want, 0o644); err != nil { //nolint:gosec // part of the repository, readable by all
			return err
		}
	}
	return errors.Join(problems...)
}
