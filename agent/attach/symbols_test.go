package attach_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const goFile = `package main

import "fmt"

// Server serves.
type Server struct {
	name string
}

// Run runs.
// It blocks.
func (s *Server) Run(
	ctx context.Context,
) error {
	return Helper(s.name)
}

func Helper(name string) error {
	fmt.Println(name)

	return nil
}

const (
	maxTries = 3
)
`

const pyFile = `import os

LIMIT = 10


@cached
def load(path):
    """Loads."""
    if path:
        return open(path)

    return None


class Store:
    def load(
        self,
    ):
        return load(LIMIT)

    def save(self):
        pass
`

func TestSymbols(t *testing.T) {
	x := newFixture(t, map[string]string{
		"src/main.go": goFile, "src/main_test.go": "package main\n\nfunc Helper(t *testing.T) {}\n", "app/store.py": pyFile,
		"web/a.ts":     "export async function fetchAll(url: string) {\n  return await fetchAll(url);\n}\n\nclass View {\n  private draw(x: number) {\n    this.draw(x);\n  }\n}\n",
		"c/list.c":     "#include <stdio.h>\n\n/* Adds. */\nstatic int list_add(struct list *l,\n                    int x)\n{\n\treturn list_add(l, x);\n}\n",
		"r/lib.rs":     "impl Tree {\n    pub(crate) fn grow(&mut self) -> u8 {\n        0\n    }\n}\n",
		"q/x.sql":      "CREATE TABLE people (\n  id int\n);\n",
		"app/größe.py": "class Größe:\n    def maß(self):\n        pass\n",
		"k/conf.yml":   "server:\n  port: 80\nother: 1\n", ".env": "SECRET_KEY=canary\n",
	})
	for name, want := range map[string]string{
		"Server":     "src/main.go, lines 5 to 8:\n// Server serves.\ntype Server struct {\n\tname string\n}\n",
		"Run":        "src/main.go, lines 10 to 16:\n// Run runs.\n// It blocks.\nfunc (s *Server) Run(\n\tctx context.Context,\n) error {\n\treturn Helper(s.name)\n}\n",
		"Server.Run": "src/main.go, lines 10 to 16:\n// Run runs.\n// It blocks.\nfunc (s *Server) Run(\n\tctx context.Context,\n) error {\n\treturn Helper(s.name)\n}\n",
		"Helper":     "src/main.go, lines 18 to 22:\nfunc Helper(name string) error {\n\tfmt.Println(name)\n\n\treturn nil\n}\nsrc/main_test.go, lines 3 to 3:\nfunc Helper(t *testing.T) {}\n",
		"maxTries":   "src/main.go, lines 25 to 25:\n\tmaxTries = 3\n",
		"load":       "app/store.py, lines 6 to 12:\n@cached\ndef load(path):\n    \"\"\"Loads.\"\"\"\n    if path:\n        return open(path)\n\n    return None\napp/store.py, lines 16 to 19:\n    def load(\n        self,\n    ):\n        return load(LIMIT)\n",
		"Store.load": "app/store.py, lines 16 to 19:\n    def load(\n        self,\n    ):\n        return load(LIMIT)\n",
		"LIMIT":      "app/store.py, lines 3 to 3:\nLIMIT = 10\n",
		"fetchAll":   "web/a.ts, lines 1 to 3:\nexport async function fetchAll(url: string) {\n  return await fetchAll(url);\n}\n",
		"View.draw":  "web/a.ts, lines 6 to 8:\n  private draw(x: number) {\n    this.draw(x);\n  }\n",
		"list_add":   "c/list.c, lines 3 to 8:\n/* Adds. */\nstatic int list_add(struct list *l,\n                    int x)\n{\n\treturn list_add(l, x);\n}\n",
		"Tree::grow": "r/lib.rs, lines 2 to 4:\n    pub(crate) fn grow(&mut self) -> u8 {\n        0\n    }\n",
		"Größe.maß":  "app/größe.py, lines 2 to 3:\n    def maß(self):\n        pass\n",
		"people":     "q/x.sql, lines 1 to 3:\nCREATE TABLE people (\n  id int\n);\n",
		"server":     "k/conf.yml, lines 1 to 2:\nserver:\n  port: 80\n",
		"Nowhere":    `No definition of "Nowhere" was found in the files of the workspace. So nothing is attached.`,
		"Other.Run":  `No definition of "Other.Run" was found in the files of the workspace. So nothing is attached.`,
		"SECRET_KEY": `No definition of "SECRET_KEY" was found in the files of the workspace. So nothing is attached.`,
		"a(b":        `"a(b" is no name of a symbol. So nothing is attached.`,
	} {
		got := ""
		for _, b := range x.turn(t, "@symbol:"+name, false) {
			got += b.Text()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for prefix, want := range map[string]string{"symbol:He": "symbol:Helper", "symbol:st": "symbol:Store", "symbol:x": "", "symbol:": "", "sym": "symbol:", "d": "diff"} {
		list, _ := x.mentioned().Complete(t.Context(), prefix)
		got := ""
		for _, c := range list {
			got += c.Text
		}
		if got != want {
			t.Errorf("%q offers %q", prefix, got)
		}
	}
}

// TestSymbolsAreBounded: long definitions, and many of them.
func TestSymbolsAreBounded(t *testing.T) {
	x := newFixture(t, map[string]string{
		"long.py": "def long():\n" + strings.Repeat("    pass\n", 5000), "many.go": strings.Repeat("func Many() {}\n", 200), "minified.js": "function tiny() {" + strings.Repeat("x;", 1<<19) + "}",
	})
	for name, end := range map[string]string{"long": "    pass\n", "Many": "many.go line 50\n", "tiny": "So nothing is attached."} {
		blocks := x.turn(t, "@symbol:"+name, false)
		if len(blocks) != 1 || len(blocks[0].Text()) > 12_100 || !strings.HasSuffix(blocks[0].Text(), end) {
			t.Errorf("%s: %+.200v", name, blocks)
		}
	}
}
