package intent_test

import (
	"testing"

	"github.com/assent-ls/assent/agent/guidance/intent"
)

func TestNewFile(t *testing.T) {
	folders := []string{".", "docs", "src", "src/lib"}
	for _, test := range []struct{ message, called, want string }{
		{"Create a file named hello.txt that contains a greeting.", "docs/hello.txt", "hello.txt"},
		{"Create a file named `hello.txt`.", "src/lib/hello.txt", "hello.txt"},
		{"Create a file named hello.txt with the list of the docs.", "docs/hello.txt", "hello.txt"},
		{"The docs have no hello.txt. Create one.", "docs/hello.txt", ""},
		{"The docs have no hello.txt. Create one.", "src/hello.txt", "hello.txt"},
		{"Create hello.txt in docs.", "hello.txt", "docs/hello.txt"},
		{"Create hello.txt in the docs folder.", "hello.txt", "docs/hello.txt"},
		{"Create hello.txt in the new folder notes.", "hello.txt", "notes/hello.txt"},
		{"Lege hello.txt im Ordner docs an.", "hello.txt", "docs/hello.txt"},
		{"Lege im Ordner src die Datei hello.txt an.", "docs/hello.txt", "src/hello.txt"},
		{"Create hello.txt that lists the files in src.", "hello.txt", ""},
		{"Create hello.txt that lists the files in the folder src.", "hello.txt", ""},
		{"Create docs/hello.txt.", "hello.txt", "docs/hello.txt"},
		{"Create web/hello.txt.", "docs/web/hello.txt", "web/hello.txt"},
		{"Write the summary into lib/.", "src/lib/summary.md", ""},
		{"Create hello.txt in lib.", "docs/hello.txt", "src/lib/hello.txt"},
		{"Create .env.example with the port.", "docs/.env.example", ".env.example"},
		{"Create hello.txt in docs.", "docs/hello.txt", ""},
		{"Create hello.txt.", "hello.txt", ""},
		{"Create a.txt and docs/a.txt.", "src/a.txt", ""},
		{"Create hello.txt in docs and in src.", "src/hello.txt", ""},
		{"Create hello.txt in nowhere.", "hello.txt", ""},
		{"In docs: create hello.txt in nowhere.", "src/hello.txt", "docs/hello.txt"},
		{"Create hello.txt in", "hello.txt", ""},
		{"Create a greeting.", "docs/hello.txt", ""},
		{"Create /tmp/hello.txt.", "hello.txt", ""},
		{"", "hello.txt", ""},
	} {
		if got, ok := intent.NewFile(test.message, test.called, folders); ok != (test.want != "") || ok && got != test.want {
			t.Errorf("%s: %s: %q, %t", test.message, test.called, got, ok)
		}
	}
}
