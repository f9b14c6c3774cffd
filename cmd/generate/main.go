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
	return append(listSchemas(), []output{
		{"docs/settings.md", whole(settingsPage)},
		{"docs/settings.schema.json", whole(settingsSchema)},
		{"docs/permissions.schema.json", whole(permissionsSchema)},
		{"docs/servers.schema.json", whole(serversSchema)},
		{"docs/commands.md", whole(commandsPage)},
		{"docs/licenses.md", licensesPage},
		{"docs/tools.md", toolsPage},
		{"docs/packages.md", packagesPage(root)},
		{"docs/tests.md", testsPage(root)},
		{"docs/protocol.md", whole(protocolPage)},
		{"editors/vscode/package.json", vscodeManifest},
		{"editors/vscode/src/generated/protocol.ts", whole(protocolTypeScript)},
		{"editors/nvim/lua/assent/generated.lua", whole(protocolLua)},
		{"editors/nvim/doc/assent.txt", nvimHelp(filepath.Join(root, "editors", "nvim"))},
		{"editors/nvim/doc/tags", nvimTags(filepath.Join(root, "editors", "nvim"))},
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
