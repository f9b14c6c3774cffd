package serve_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/mcp/serve"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/usagelog"
)

// newLibrary is a world whose files are offered.
func newLibrary(t *testing.T, change ...func(*serve.Options)) *world {
	t.Helper()
	w := newWorld(t)
	o := w.options
	o.Workspace = w.ws
	for _, f := range change {
		f(&o)
	}
	w.server = serve.New(o)
	t.Cleanup(w.server.Close)
	return w
}

func (w *world) uri(rel string) string {
	return "file://" + filepath.ToSlash(filepath.Join(w.dir, rel))
}

func (c *client) read(uri string) (string, error) {
	r, err := c.ReadResource(c.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return "", err
	}
	return r.Contents[0].Text + string(r.Contents[0].Blob), nil
}

func TestFilesAreResources(t *testing.T) {
	t.Parallel()
	eachGeneration(t, func(t *testing.T, version string) {
		w := newLibrary(t)
		w.write(".gitignore", "build/\n*.log\n")
		picture, err := os.ReadFile("testdata/dot.png")
		if err != nil {
			t.Fatal(err)
		}
		long := strings.Repeat("line\n", 20_000) // more than read_file gives at once
		for name, text := range map[string]string{
			"sub/ä b%.txt": "odd", "long.txt": long, "dot.png": string(picture), "bin.dat": "\x00\x01",
			".env": "SECRET=1\n", ".git/config": "SECRET", ".assent/chats/x.chat.md": "SECRET", "build/out.txt": "SECRET", "x.log": "SECRET", "sub/y.log": "SECRET",
		} {
			w.write(name, text)
		}
		c := w.connect(version, yes)
		listed := map[string]string{}
		for r, err := range c.Resources(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			listed[r.Name] = r.URI
		}
		for _, name := range []string{"a.txt", "sub/ä b%.txt", "long.txt", "dot.png", "bin.dat", ".gitignore"} {
			if listed[name] == "" {
				t.Errorf("%s is not listed", name)
			}
		}
		for _, name := range []string{".env", ".git/config", ".assent/chats/x.chat.md", "build/out.txt", "x.log", "sub/y.log"} {
			if listed[name] != "" {
				t.Errorf("%s is listed", name)
			}
			if text, err := c.read(w.uri(name)); err == nil || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("%s is read: %q", name, text)
			}
		}
		for name, want := range map[string]string{"a.txt": "one\ntwo\n", "sub/ä b%.txt": "odd", "long.txt": long, "dot.png": string(picture)} {
			if text, err := c.read(listed[name]); err != nil || text != want {
				t.Errorf("%s is %.50q, %v", name, text, err)
			}
		}
		if _, err := c.read(listed["bin.dat"]); err == nil || !strings.Contains(err.Error(), "is not a text file") {
			t.Errorf("a binary file: %v", err)
		}
		entries, _, err := usagelog.New(w.state).Entries()
		if err != nil || len(entries) != 6 || entries[0].Tool != "list_directory" || entries[0].Client != "a<U+202E>client" || entries[1].Tool != "read_file" || entries[1].Caller != "remote" {
			t.Errorf("the log has %d entries, %v", len(entries), err)
		}
		w.allow(`{"deny":[{"paths":["a.txt"]}]}`)
		if text, err := c.read(w.uri("a.txt")); err == nil {
			t.Errorf("a file that a rule denies is %q", text)
		}
		w.allow(`{"ask":[{"paths":["long.txt"]}]}`)
		if text, err := c.read(w.uri("long.txt")); err == nil || !strings.Contains(err.Error(), "call read_file, which asks") {
			t.Errorf("a file that is asked about is %.50q, %v", text, err)
		}
	})
}

// TestListingFilesIsJudged: who may not list folders is told no names by a list of resources.
func TestListingFilesIsJudged(t *testing.T) {
	t.Parallel()
	w := newLibrary(t)
	c := w.connect("2025-11-25", yes)
	for rules, want := range map[string]string{
		`{"deny":[{"tool":"list_directory"}]}`: "Refused",
		`{"ask":[{"tool":"list_directory"}]}`:  "call list_directory, which asks",
	} {
		w.allow(rules)
		if r, err := c.ListResources(t.Context(), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", rules, r, err)
		}
	}
	entries, _, err := usagelog.New(w.state).Entries()
	if err != nil || len(entries) != 2 || entries[0].Outcome != usagelog.Refused || entries[1].Outcome != usagelog.Refused {
		t.Errorf("the log has %+v, %v", entries, err)
	}
	off := tools.NewSources(builtin.Tools(w.ws, builtin.Options{})).Choose(func() tools.Choice { return tools.Choice{Off: []string{"list_directory"}} })
	w = newLibrary(t, func(o *serve.Options) {
		o.Tools = func(ctx context.Context) (*tools.Dispatcher, error) {
			r, err := off.Now(ctx)
			return tools.NewDispatcher(r, policy.New(nil), nil), err
		}
	})
	if r, err := w.connect("2025-11-25", yes).ListResources(t.Context(), nil); err != nil || len(r.Resources) != 0 {
		t.Errorf("without the tool: %+v, %v", r, err)
	}
}

// TestNoURILeadsOut: whatever a client writes, it reads a listed file of this folder or nothing.
func TestNoURILeadsOut(t *testing.T) {
	t.Parallel()
	w := newLibrary(t)
	evil := w.dir + "-evil"
	if err := os.MkdirAll(evil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(evil, "s.txt"), []byte("SECRET"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.write("sub/x.txt", "x")
	for link, to := range map[string]string{"out": evil, "out.txt": filepath.Join(evil, "s.txt"), "in.txt": "a.txt", "up": ".."} {
		if err := os.Symlink(to, filepath.Join(w.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	c := w.connect("2025-11-25", yes)
	base := "file://" + filepath.ToSlash(w.dir)
	for _, uri := range []string{
		base + "-evil/s.txt", base + "/../ws-evil/s.txt", base + "/%2e%2e/ws-evil/s.txt", base + "/..%2fws-evil%2fs.txt", base + "/%2e%2e%2fws-evil%2fs.txt",
		base + "/sub/../../ws-evil/s.txt", base + "/./../ws-evil/s.txt", base + "/..\\ws-evil\\s.txt", base + "/out/s.txt", base + "/out.txt", base + "/up/ws-evil/s.txt",
		base + "//a.txt", base + "/./a.txt", base + "/sub/../a.txt", base + "/in.txt", base + "/a.txt/", base + "/a.txt%00", base + "/a.txt?x", base + "/a.txt#x", base, base + "/", base + "/sub",
		"file://localhost" + filepath.ToSlash(w.dir) + "/a.txt", "file://evil.example" + filepath.ToSlash(w.dir) + "/a.txt", "file:" + filepath.ToSlash(w.dir) + "/a.txt",
		"file:///etc/passwd", "file:///proc/self/environ", "file:///dev/zero", "a.txt", "/etc/passwd", "http://localhost/a.txt", "", "file:///", "FILE://" + filepath.ToSlash(w.dir) + "/a.txt",
		base + "/%zz", base + "/a.txt\n", base + "/" + strings.Repeat("x", 10_000),
	} {
		if text, err := c.read(uri); err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%.100q is %q, %v", uri, text, err)
		}
	}
	if text, err := c.read(base + "/sub/x.txt"); err != nil || text != "x" {
		t.Errorf("a good one is %q, %v", text, err)
	}
}

func TestPagesOfFiles(t *testing.T) {
	t.Parallel()
	w := newLibrary(t)
	for i := range 250 {
		w.write(fmt.Sprintf("many/f%03d.txt", i), "x")
	}
	c := w.connect("2025-11-25", nil)
	seen := map[string]bool{}
	for r, err := range c.Resources(t.Context(), nil) {
		if err != nil || seen[r.URI] {
			t.Fatalf("%+v, %v", r, err)
		}
		if seen[r.URI] = true; len(seen) == 100 {
			if err := os.Remove(filepath.Join(w.dir, r.Name)); err != nil { // the page ends with it
				t.Fatal(err)
			}
		}
	}
	if len(seen) != 251 {
		t.Errorf("%d files are listed", len(seen))
	}
	for _, cursor := range []string{"%%%", "//8", " "} {
		if _, err := c.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: cursor}); cursor != "//8" && err == nil {
			t.Errorf("the cursor %q is taken", cursor)
		}
	}
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	w := newLibrary(t, func(o *serve.Options) { o.Prompts = []serve.Prompt{{"review", "Reads code.", "You review code."}} })
	c := w.connect("2025-11-25", nil)
	list, err := c.ListPrompts(t.Context(), nil)
	if err != nil || len(list.Prompts) != 1 || list.Prompts[0].Name != "review" || list.Prompts[0].Description != "Reads code." {
		t.Fatalf("%+v, %v", list, err)
	}
	got, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "review"})
	if err != nil || len(got.Messages) != 1 || got.Messages[0].Content.(*mcp.TextContent).Text != "You review code." {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "nothing"}); err == nil {
		t.Error("a prompt that is none is given")
	}
}
