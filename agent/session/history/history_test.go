package history_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/session/history"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/userstate"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bench is a user with chats.
type bench struct {
	t          *testing.T
	root       string
	rules      string
	state      *userstate.State
	history    *history.History
	moment     time.Time // when the next chat is saved
	ofProblems []string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	t.Setenv("XDG_STATE_HOME", base)
	b := &bench{
		t: t, root: filepath.Join(base, "work"), rules: filepath.Join(base, "permissions.json"),
		moment: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
	}
	must(t, os.MkdirAll(b.root, 0o700))
	b.state, err = userstate.OpenState("")
	must(t, err)
	b.history = b.open()
	return b
}

// open is a history as another process has it.
func (b *bench) open() *history.History {
	b.t.Helper()
	rules := policy.New(b.state)
	rules.UseFiles(b.rules, nil)
	h := history.New(b.state, rules)
	b.t.Cleanup(func() { must(b.t, h.Close()) })
	return h
}

// write saves a file of the workspace, a day after the one before.
func (b *bench) write(name, text string) string {
	b.t.Helper()
	path := filepath.Join(b.root, filepath.FromSlash(name))
	must(b.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(b.t, os.WriteFile(path, []byte(text), 0o600))
	must(b.t, os.Chtimes(path, b.moment, b.moment))
	b.moment = b.moment.AddDate(0, 0, 1)
	return path
}

func (b *bench) refresh() {
	b.t.Helper()
	problems, err := b.history.Refresh(b.t.Context(), b.root)
	must(b.t, err)
	b.ofProblems = problems
}

func (b *bench) search(q history.Query) []history.Hit {
	b.t.Helper()
	hits, err := b.history.Search(b.t.Context(), q)
	if err != nil {
		b.t.Errorf("%+v: %v", q, err)
	}
	return hits
}

// found names the chats with their turns, in order.
func (b *bench) found(q history.Query) string {
	b.t.Helper()
	var names []string
	for _, hit := range b.search(q) {
		names = append(names, strings.TrimSuffix(filepath.Base(hit.Path), ".chat.md")+string(rune('0'+hit.Turn)))
	}
	return strings.Join(names, " ")
}

func (b *bench) finds(text, want string) {
	b.t.Helper()
	got := strings.Fields(b.found(history.Query{Text: text}))
	slices.Sort(got)
	if got := strings.Join(got, " "); got != want {
		b.t.Errorf("%q finds %q, want %q", text, got, want)
	}
}

// said is a chat of turns, the person's first.
func said(turns ...string) string {
	var b strings.Builder
	for i, text := range turns {
		b.WriteString([]string{"## You\n\n", "## Assistant\n\n"}[i%2] + text + "\n\n")
	}
	return b.String()
}

func TestWhatIsFound(t *testing.T) {
	b := newBench(t)
	b.write(".assent/chats/a.chat.md", "---\ntitle: Löwen im Café\nmodel: qwen\n---\n\n"+said(
		"Why does parseConfig panic on snake_case keys?", "The map is nil. See *réseau* and the ＡＢＣ form.",
	))
	b.write("docs/b.chat.md", said("検索機能を追加してください。東京は1都市", "データベースの索引。日")+said("한국어로 검색할 수 있나요?", "ภาษาไทยไม่มีช่องว่าง"))
	b.write("c.chat.md", said("the quick brown fox", "jumps over AND the NOT lazy OR dog NEAR title:"))
	b.write("no.md", said("the quick brown fox"))
	b.refresh()
	for text, want := range map[string]string{
		"panic": "a0", "PARSECONFIG": "a0", "parsec*": "a0", "parsec": "", "snake_case": "a0", "snake case": "a0",
		"lowen": "a0", "cafe": "a0", "reseau": "a1", "abc": "a1", "nil map": "a1", `"nil map"`: "", `"map is nil"`: "a1",
		"検索": "b0", "機能": "b0", "索": "b0 b1", "索引": "b1", "日": "b1", "データ": "b1", "ﾃﾞｰﾀ": "b1", "京": "b0", "引索": "",
		"검색": "b2", "한국": "b2", "국어": "b2", "ไทย": "b3", "東京は1都市": "b0", "検索 索引": "b0 b1",
		"quick fox": "c0", `"quick fox"`: "", `"brown f"*`: "c0", "AND": "a1 c1", "NOT lazy": "c1", "title:": "c1",
		"fo* qui*": "a1 c0", "dog zebra": "c1", "": "a0 a1 b0 b1 b2 b3 c0 c1", "   ": "a0 a1 b0 b1 b2 b3 c0 c1", "!!": "", `"`: "",
	} {
		b.finds(text, want)
	}
}

func TestASearchIsNarrowed(t *testing.T) {
	b := newBench(t)
	call := "```tool edit_file id=1\npath: src/parser.go\nold_text: a\nnew_text: b\n```\n\n```result 1 ok\ndone\n```"
	b.write("a.chat.md", "---\nmodel: qwen\n---\n\n"+said("word", "word "+"\n\n"+call))
	b.write("b.chat.md", "---\nmodel: llama\n---\n\n"+said("word"))
	other := filepath.Join(filepath.Dir(b.root), "other")
	must(t, os.MkdirAll(other, 0o700))
	loose := filepath.Join(filepath.Dir(b.root), "loose.chat.md")
	must(t, os.WriteFile(filepath.Join(other, "c.chat.md"), []byte(said("word")), 0o600))
	must(t, os.WriteFile(loose, []byte(said("word")), 0o600))
	must(t, b.history.Saved(t.Context(), other, filepath.Join(other, "c.chat.md")))
	must(t, b.history.Saved(t.Context(), "", loose))
	b.refresh()
	day := func(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		query history.Query
		want  string
	}{
		{history.Query{}, "a0 a1 b0 c0 loose0"},
		{history.Query{Workspace: b.root}, "a0 a1 b0"},
		{history.Query{Workspace: other}, "c0"},
		{history.Query{Workspace: filepath.Dir(b.root)}, "loose0"},
		{history.Query{Workspace: "/nowhere"}, ""},
		{history.Query{Model: "qwen"}, "a0 a1"},
		{history.Query{Model: "none"}, ""},
		{history.Query{Tool: "edit_file"}, "a1"},
		{history.Query{Tool: "edit_file", Model: "llama"}, ""},
		{history.Query{File: "src/parser.go"}, "a1"},
		{history.Query{File: "parser.go"}, "a1"},
		{history.Query{File: "arser.go"}, ""},
		{history.Query{File: "%"}, ""},
		{history.Query{Until: day(2)}, "a0 a1"},
		{history.Query{Since: day(2), Until: day(3)}, "b0"},
		{history.Query{Since: day(2), Workspace: b.root}, "b0"},
	} {
		for _, text := range []string{"", "word"} {
			c.query.Text = text
			got := strings.Fields(b.found(c.query))
			slices.Sort(got)
			if got := strings.Join(got, " "); got != c.want {
				t.Errorf("%+v finds %q, want %q", c.query, got, c.want)
			}
		}
	}
	if got := b.found(history.Query{Text: "parser.go"}); got != "a1" {
		t.Errorf("the name of a file finds %q", got)
	}
}

// TestTheIndexFollowsTheFiles: whatever happens to them, and nothing is written into them.
func TestTheIndexFollowsTheFiles(t *testing.T) {
	b := newBench(t)
	path := b.write("a.chat.md", said("first question", "first answer"))
	b.write("b.chat.md", said("second"))
	b.refresh()
	b.finds("first", "a0 a1")
	before := b.search(history.Query{Text: "answer"})

	b.write("a.chat.md", said("first question", "first answer", "new question"))
	must(t, b.history.Saved(t.Context(), b.root, path))
	b.finds("question", "a0 a2")
	if diff := cmp.Diff(before, b.search(history.Query{Text: "answer"})); diff != "" {
		t.Errorf("what did not change is found otherwise (-before +after):\n%s", diff)
	}

	b.write("a.chat.md", said("changed behind our back", "first answer")) // nobody says so
	b.finds("question", "")
	b.finds("changed", "a0")
	b.finds("answer", "a1")

	must(t, os.Rename(path, filepath.Join(b.root, "moved.chat.md")))
	b.finds("answer", "")
	b.refresh()
	b.finds("answer", "moved1")

	must(t, os.Remove(filepath.Join(b.root, "b.chat.md")))
	b.finds("second", "")
	b.refresh()
	b.finds("second", "")
	must(t, os.RemoveAll(b.root))
	b.refresh()
	b.finds("", "")
}

// TestNothingIsOpenedBeforeASearch: a save keeps only where the chat is.
func TestNothingIsOpenedBeforeASearch(t *testing.T) {
	b := newBench(t)
	path := b.write("a.chat.md", said("first"))
	must(t, b.history.Saved(t.Context(), b.root, path))
	if _, err := os.Stat(filepath.Join(b.state.Dir(), "history")); !os.IsNotExist(err) || b.history.Opened() {
		t.Errorf("an index was made: %v", err)
	}
	other := b.open() // the next process knows where to look
	if _, err := other.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
	b.finds("first", "a0")
	path = b.write("a.chat.md", said("second"))
	must(t, b.open().Saved(t.Context(), b.root, path)) // there is an index now
	b.finds("second", "a0")
}

func TestTheBestComeFirst(t *testing.T) {
	b := newBench(t)
	b.write("old.chat.md", said("goroutine leak in the pool"))
	for i := range 5 {
		b.write("n"+string(rune('a'+i))+".chat.md", said("a leak of a pipe, and much else that is said beside it, such as goroutine"))
	}
	b.write("title.chat.md", "---\ntitle: The leak\n---\n\n"+said("it drips", "no goroutine"))
	b.refresh()
	if got := b.found(history.Query{Text: "goroutine leak", Limit: 2}); got != "old0 ne0" {
		t.Errorf("found %q", got)
	}
	if got := b.found(history.Query{Text: "leak", Limit: 1}); got != "title0" {
		t.Errorf("a title counts less than a word: %q", got)
	}
	must(t, os.WriteFile(filepath.Join(b.root, "x"), nil, 0o600))
	if _, err := b.history.Pin(filepath.Join(b.root, "nb.chat.md"), true); err != nil {
		t.Error(err)
	}
	if got := b.found(history.Query{Text: "goroutine leak", Limit: 2}); got != "nb0 old0" {
		t.Errorf("pinned chats come first: %q", got)
	}
}

// What tools showed and what was attached is not kept a second time, and what is denied now is not found.
// Invariant 25.
func TestNothingProtectedOrDeniedIsFound(t *testing.T) {
	b := newBench(t)
	const canary = "canary7391"
	b.write("a.chat.md", said(
		"word\n\n```context file .env\nKEY="+canary+"\n```",
		"word\n\n```thinking\n"+canary+"\n```\n\n```tool read_file id=1\npath: .env\n```\n\n```result 1 ok\nKEY="+canary+"\n```",
	))
	b.write("b.chat.md", said("word", "word\n\n```tool write_file id=1\npath: secret/key.txt\ncontent: "+canary+"\n```"))
	b.write("secret/c.chat.md", said("word"))
	b.write(".assent/chats/d.chat.md", said("word"))
	b.refresh()
	b.finds(canary, "")
	b.finds("word", "a0 a1 b0 b1 c0 d0")
	must(t, os.WriteFile(b.rules, []byte(`{"deny":[{"paths":["secret/**"]}]}`), 0o600))
	b.finds("word", "a0 a1 b0 d0")
	b.finds("key.txt", "")
	must(t, os.WriteFile(b.rules, []byte(`{"deny":[{"paths":["**/*.chat.md", "*.chat.md"]}]}`), 0o600))
	b.finds("word", "")
	fresh := b.open()
	if _, err := fresh.Refresh(t.Context(), b.root); err != nil {
		t.Error(err)
	}
	b.finds("word", "")
	raw, err := filepath.Glob(filepath.Join(b.state.Dir(), "history", "*"))
	if err != nil || len(raw) == 0 {
		t.Fatal(raw, err)
	}
	for _, name := range raw {
		data, err := os.ReadFile(name)
		if err != nil || strings.Contains(string(data), canary) {
			t.Errorf("%s holds what a protected file does: %v", filepath.Base(name), err)
		}
	}
}

func TestExcerptsAreOneLine(t *testing.T) {
	b := newBench(t)
	b.write("a.chat.md", "---\ntitle: \"Forged\\n2026-01-01  row\"\n---\n\n"+said(
		strings.Repeat("padding ", 50)+"\u202eneedle\u001b[31m\n\n- and  more "+strings.Repeat("behind ", 50),
	))
	b.refresh()
	hit := b.search(history.Query{Text: "needle"})[0]
	want := "…padding padding padding padding <U+202E>needle<U+001B>[31m - and more behind"
	if !strings.HasPrefix(hit.Excerpt, want) || !strings.HasSuffix(hit.Excerpt, "…") || len(hit.Excerpt) > 300 {
		t.Errorf("excerpt %q", hit.Excerpt)
	}
	if strings.ContainsAny(hit.Title, "\n\r") {
		t.Errorf("title %q", hit.Title)
	}
}

// TestWorktreesShareTheirChats, and a folder that only claims to be one does not.
func TestWorktreesShareTheirChats(t *testing.T) {
	b := newBench(t)
	base := filepath.Dir(b.root)
	tree, liar := filepath.Join(base, "tree"), filepath.Join(base, "liar")
	data := filepath.Join(b.root, ".git", "worktrees", "tree")
	for path, text := range map[string]string{
		filepath.Join(tree, ".git"):                                     "gitdir: " + data + "\n",
		filepath.Join(data, "gitdir"):                                   filepath.Join(tree, ".git") + "\n",
		filepath.Join(data, "commondir"):                                "../..\n",
		filepath.Join(b.root, ".git", "worktrees", "x", "gitdir"):       filepath.Join(base, "private", ".git") + "\n",
		filepath.Join(liar, ".git"):                                     "gitdir: " + data + "\n",
		filepath.Join(tree, "t.chat.md"):                                said("word"),
		filepath.Join(liar, "l.chat.md"):                                said("word"),
		filepath.Join(base, "private", "p.chat.md"):                     said("word"),
		filepath.Join(b.root, "main.chat.md"):                           said("word"),
		filepath.Join(b.root, ".git", "worktrees", "tree", "x.chat.md"): said("word"),
	} {
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	must(t, b.history.Saved(t.Context(), liar, filepath.Join(liar, "l.chat.md")))
	b.refresh()
	b.finds("word", "l0 main0 t0")
	for root, want := range map[string]string{b.root: "main0 t0", tree: "main0 t0", liar: "l0"} {
		got := strings.Fields(b.found(history.Query{Text: "word", Workspace: root}))
		slices.Sort(got)
		if got := strings.Join(got, " "); got != want {
			t.Errorf("in %s: %q, want %q", filepath.Base(root), got, want)
		}
	}
}

func TestPinsFollowTheirChats(t *testing.T) {
	b := newBench(t)
	path := b.write("a.chat.md", said("one"))
	b.write("b.chat.md", said("two"))
	has := func(path string, want bool) {
		t.Helper()
		pins, err := b.open().Pins()
		if err != nil || pins.Has(path) != want {
			t.Errorf("%s: pinned is not %v: %v", filepath.Base(path), want, err)
		}
	}
	pin := func(path string, on, want bool) {
		t.Helper()
		if changed, err := b.history.Pin(path, on); err != nil || changed != want {
			t.Errorf("Pin(%v) = %v, %v", on, changed, err)
		}
	}
	pin(path, true, true)
	pin(path, true, false)
	has(path, true)
	has(filepath.Join(b.root, "b.chat.md"), false)

	must(t, os.WriteFile(path+".new", []byte(said("one", "saved by rename")), 0o600))
	must(t, os.Rename(path+".new", path))
	has(path, true)
	must(t, b.history.Saved(t.Context(), b.root, path))
	moved := filepath.Join(b.root, "deep", "c.chat.md")
	must(t, os.MkdirAll(filepath.Dir(moved), 0o700))
	must(t, os.Rename(path, moved))
	has(moved, true)
	b.refresh()
	b.write("a.chat.md", said("another one at the old place"))
	b.refresh()
	has(path, false)
	has(moved, true)
	pin(moved, false, true)
	has(moved, false)
	if _, err := b.history.Pin(filepath.Join(b.root, "none.chat.md"), true); err == nil {
		t.Error("what is not there was pinned")
	}
}

// TestALimitOfTime: what was indexed until then stays.
func TestALimitOfTime(t *testing.T) {
	b := newBench(t)
	b.write("a.chat.md", said("word"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.history.Refresh(ctx, b.root); err == nil {
		t.Error("a refresh that was cancelled says nothing")
	}
	b.refresh()
	b.finds("word", "a0")
}
