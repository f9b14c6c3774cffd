package session_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/images"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools/diskfile/diskfiletest"
)

// picture is a PNG of some width: others differ.
func picture(t *testing.T, width int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 2))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// seeing gives the lab a model that sees, besides the one that does not.
func (l *lab) seeing() *lab {
	l.backend.Installed = []model.Info{
		{Name: "eyes", Capabilities: []string{"completion", "tools", "vision"}, ContextLimit: 8192},
		{Name: "blind", Capabilities: []string{"completion", "tools"}, ContextLimit: 8192},
	}
	return l
}

// converse runs a model on a document in a folder of the workspace, as a front end does, and returns what the document
// is then.
func (l *lab) converse(name, modelName, document string) (string, event.Finished) {
	l.t.Helper()
	l.events = &agenttest.Recorder[event.Event]{}
	if err := os.MkdirAll(filepath.Dir(filepath.Join(l.root, name)), 0o755); err != nil {
		l.t.Fatal(err)
	}
	l.write(name, document)
	job := l.job(document)
	job.Chat, job.Options.Model = filepath.Join(l.root, name), modelName
	job.Images, job.Sources = l.env.Images(job.Chat), l.env.Sources(job.Chat, job.Reads)
	end := l.agent.Start(l.t.Context(), job).Wait()
	recorder := event.NewRecorder(document, false)
	for _, e := range l.events.Events() {
		document += recorder.Piece(e)
	}
	return document, end
}

// sent is what the model got with the last request: its messages but for the system prompt, and the images in each.
func (l *lab) sent() (texts []string, images [][][]byte) {
	l.t.Helper()
	requests := l.backend.Requests()
	for _, m := range requests[len(requests)-1].Messages[1:] {
		if m.Role != model.RoleAssistant {
			texts, images = append(texts, m.Text), append(images, m.Images)
		}
	}
	return texts, images
}

func TestImagesAreSentToAModelThatSees(t *testing.T) {
	l := newLab(t, agenttest.Say("Two."), agenttest.Say("Still two.")).seeing()
	one, two := picture(t, 1), picture(t, 2)
	l.write("my chart (1).png", string(one))
	if err := os.Mkdir(filepath.Join(l.root, "chats"), 0o755); err != nil {
		t.Fatal(err)
	}
	l.write("chats/b[2].png", string(two))
	const ask = "## You\n\nCompare ![a](<../my chart (1).png>) and ![b](b%5B2%5D.png \"B\"), not `![c](c.png)`.\n"
	document, end := l.converse("chats/ask.chat.md", "eyes", ask)
	texts, images := l.sent()
	if !strings.HasPrefix(texts[0], "Compare ![a](<../my chart (1).png>) and ![b](b%5B2%5D.png \"B\"), not `![c](c.png)`.\n\noutline:") {
		t.Errorf("the text is %q", texts[0])
	}
	if diff := cmp.Diff([][][]byte{{one, two}}, images); diff != "" || end.Outcome != event.Completed {
		t.Errorf("%v: %s", end, diff)
	}
	if strings.Contains(document, "not-sent") {
		t.Errorf("something is not sent:\n%s", document)
	}
	// The next turn sends the same again, in the same place.
	if _, end = l.converse("chats/ask.chat.md", "eyes", document+"\n## You\n\nSure?\n"); end.Outcome != event.Completed {
		t.Error(end)
	}
	again, images := l.sent()
	if diff := cmp.Diff([][][]byte{{one, two}, nil}, images); diff != "" || again[0] != texts[0] {
		t.Errorf("%s\n%q\n%q", diff, texts[0], again[0])
	}
}

// A model that cannot see reads a sentence in the place of the image, and the user is told once.
func TestAModelThatCannotSee(t *testing.T) {
	l := newLab(t, agenttest.Say("I cannot."), agenttest.Say("I cannot.")).seeing()
	l.write("a.png", string(picture(t, 1)))
	document, _ := l.converse("ask.chat.md", "blind", "## You\n\nWhat is ![](a.png)?\n")
	texts, images := l.sent()
	if !strings.HasPrefix(texts[0], "What is ![](a.png)?\n\n[You cannot see the image a.png.]\n\noutline:") || images[0] != nil {
		t.Errorf("sent %q with %d images", texts[0], len(images[0]))
	}
	const notice = "```context images not-sent\nNot sent:\na.png: blind cannot see images.\n```"
	if strings.Count(document, notice) != 1 {
		t.Errorf("nothing is said:\n%s", document)
	}
	again, _ := l.converse("ask.chat.md", "blind", document+"\n## You\n\nSure?\n")
	if strings.Count(again, "images not-sent") != 1 {
		t.Errorf("it is said again:\n%s", again)
	}
}

// An image of a result is a file beside the chat, which the document links and later requests send; the chat may be
// moved with it.
func TestImagesOfResultsAreKept(t *testing.T) {
	read := agenttest.CallTool("read_file", `{"path":"a.png"}`)
	l := newLab(t, read, agenttest.Say("A dot."), agenttest.Say("Still a dot."), read, agenttest.Say("None."), agenttest.Say("None.")).seeing()
	dot := picture(t, 1)
	l.write("a.png", string(dot))
	document, end := l.converse("ask.chat.md", "eyes", "## You\n\nLook.\n")
	seen, err := content.NewImage(dot)
	if err != nil {
		t.Fatal(err)
	}
	link := "\n\n![result c1](ask.images/" + seen.Name() + ")\n"
	if !strings.Contains(document, "\n"+seen.String()+"\n```"+link) || end.Outcome != event.Completed {
		t.Fatalf("%v:\n%s", end, document)
	}
	if kept, err := os.ReadFile(filepath.Join(l.root, "ask.images", seen.Name())); err != nil || !bytes.Equal(kept, dot) {
		t.Errorf("kept %q, %v", kept, err)
	}
	texts, images := l.sent()
	if texts[1] != seen.String() || !cmp.Equal(images[1], [][]byte{dot}) {
		t.Errorf("the result was sent as %q with %d images", texts[1], len(images[1]))
	}

	// Moved with its folder, and the file that was read is gone.
	if err := os.Mkdir(filepath.Join(l.root, "moved"), 0o755); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"ask.images": "moved/ask.images", "a.png": "elsewhere"} {
		if err := os.Rename(filepath.Join(l.root, from), filepath.Join(l.root, to)); err != nil {
			t.Fatal(err)
		}
	}
	if document, end = l.converse("moved/ask.chat.md", "eyes", document+"\n## You\n\nSure?\n"); end.Outcome != event.Completed || strings.Contains(document, "not-sent") {
		t.Errorf("%v:\n%s", end, document)
	}
	if again, images := l.sent(); again[1] != texts[1] || !cmp.Equal(images[1], [][]byte{dot}) {
		t.Errorf("moved, the result was sent as %q with %d images", again[1], len(images[1]))
	}

	// A model that cannot see is told so, and so is the user; the image is kept all the same.
	if err := os.Rename(filepath.Join(l.root, "elsewhere"), filepath.Join(l.root, "a.png")); err != nil {
		t.Fatal(err)
	}
	document, _ = l.converse("blind.chat.md", "blind", "## You\n\nLook.\n")
	want := seen.String() + "\n[It was not sent to blind, which cannot see images.]"
	if texts, images = l.sent(); texts[1] != want || images[1] != nil || !strings.Contains(document, "\n"+want+"\n```\n\n![result c1 not-sent](blind.images/"+seen.Name()+")\n") {
		t.Errorf("sent %q with %d images:\n%s", texts[1], len(images[1]), document)
	}
	l.converse("blind.chat.md", "blind", document+"\n## You\n\nSure?\n")
	if again, _ := l.sent(); again[1] != want {
		t.Errorf("sent again as %q", again[1])
	}
}

// What a link may name is what lies beside the chat, below that, or in the workspace without protection; and it is an
// image by what it holds. Anything else is said, to the model in the place of the image and to the user.
// Promise 4.
func TestHostileImages(t *testing.T) {
	l := newLab(t)
	outside := t.TempDir()
	dot := string(picture(t, 1))
	if err := os.WriteFile(filepath.Join(outside, "secret.png"), []byte(dot), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"chats", ".git", ".assent/chats", "images"} {
		if err := os.MkdirAll(filepath.Join(l.root, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"a.png": dot, "chats/b c.png": dot, ".env": "TOKEN=1", "token.png": "TOKEN=1", "cut.png": dot[:len(dot)-3], "empty.png": "", ".git/x.png": dot,
		"huge.png": dot + strings.Repeat("x", content.MaxImage), ".assent/chats/own.png": dot, "chats/100%.png": dot, "photo.jpg": dot,
	} {
		l.write(name, text)
	}
	for link, to := range map[string]string{"out.png": filepath.Join(outside, "secret.png"), "up.png": "../../../../etc/passwd", "env.png": ".env", "chats/out": outside, "loop.png": "loop.png"} {
		if err := os.Symlink(to, filepath.Join(l.root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := diskfiletest.Pipe(filepath.Join(l.root, "pipe.png")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ chat, path, want string }{
		{"ask.chat.md", "a.png", ""},
		{"ask.chat.md", "./chats/../a.png", ""},
		{"ask.chat.md", "photo.jpg", ""}, // a PNG, whatever it is called
		{"chats/ask.chat.md", "b c.png", ""},
		{"chats/ask.chat.md", "../a.png", ""},
		{"chats/ask.chat.md", "100%.png", ""},
		{"ask.chat.md", filepath.Join(l.root, "a.png"), ""},
		{".assent/chats/ask.chat.md", "own.png", ""},
		{".assent/chats/ask.chat.md", "../../a.png", ""},
		{"chats/ask.chat.md", "../../secret.png", "leads outside the workspace"},
		{"ask.chat.md", "../secret.png", "leads outside the workspace"},
		{"ask.chat.md", "/etc/passwd", "is outside the workspace"},
		{"ask.chat.md", filepath.Join(outside, "secret.png"), "is outside the workspace"},
		{"ask.chat.md", "out.png", "is a link that leads outside the workspace"},
		{"ask.chat.md", "up.png", "leads outside the workspace"},
		{"chats/ask.chat.md", "out/secret.png", "is a link that leads outside the workspace"},
		{"ask.chat.md", "env.png", "is protected"},
		{"ask.chat.md", ".git/x.png", "is protected"},
		{"chats/ask.chat.md", "../.git/x.png", "is protected"},
		{"chats/ask.chat.md", "../.assent/chats/own.png", "is protected"},
		{"ask.chat.md", "token.png", "is no PNG, JPEG, WAV or MP3"},
		{"ask.chat.md", "cut.png", "is cut off"},
		{"ask.chat.md", "empty.png", "is empty"},
		{"ask.chat.md", "huge.png", "files of up to 10 MB can be used"},
		{"ask.chat.md", "none.png", "There is no file"},
		{"ask.chat.md", "images", "is a folder"},
		{"ask.chat.md", "pipe.png", "is not a regular file"},
		{"ask.chat.md", "loop.png", "too many links"},
		{"ask.chat.md", "a.png\x00.txt", "invisible character"},
		{"ask.chat.md", `..\secret.png`, "backslash"},
		{"ask.chat.md", "", "is a folder"},
		{"ask.chat.md", strings.Repeat("x", 300), "longer than 255"},
	} {
		image, err := l.env.Images(filepath.Join(l.root, tt.chat)).Load(t.Context(), tt.path)
		switch {
		case tt.want == "" && (err != nil || string(image.Data) != dot):
			t.Errorf("%s: %q: %v", tt.chat, tt.path, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasSuffix(err.Error(), ".") || strings.Contains(err.Error(), "TOKEN")):
			t.Errorf("%s: %q: %v, want %q", tt.chat, tt.path, err, tt.want)
		}
	}
	bare := session.Environment{}.Images(filepath.Join(l.root, "chats/ask.chat.md"))
	if _, err := bare.Load(t.Context(), "b c.png"); err != nil {
		t.Error(err)
	}
	if _, err := bare.Load(t.Context(), "../a.png"); err == nil || !strings.Contains(err.Error(), "leads out of the folder of the chat") {
		t.Error(err)
	}
}

// Addresses stay text: nothing is fetched, and the user is told. What is wrong with a file the model reads, too.
// Promise 4.
func TestImagesThatAreNotSent(t *testing.T) {
	l := newLab(t, agenttest.Say("So.")).seeing()
	document, end := l.converse("ask.chat.md", "eyes", "## You\n\n![](https://example.org/a.png) ![](data:image/png;base64,AAAA) ![](//host/b.png) ![](none.png)\n")
	texts, images := l.sent()
	if !strings.HasPrefix(texts[0], "![](https://example.org/a.png) ![](data:image/png;base64,AAAA) ![](//host/b.png) ![](none.png)\n\n"+
		"[An image is missing here: There is no file \"none.png\".]\n\noutline:") || images[0] != nil || end.Outcome != event.Completed {
		t.Errorf("%v: sent %q", end, texts[0])
	}
	for _, line := range []string{
		"\nhttps://example.org/a.png: it is an address, and nothing is fetched.", "\ndata:image/png;base64,AAAA: it is an address", "\n//host/b.png: it is an address",
		"\nnone.png: There is no file \"none.png\".",
	} {
		if !strings.Contains(document, line) {
			t.Errorf("not said: %q in\n%s", line, document)
		}
	}
}

// More than a server can take at once is refused before anything is sent.
func TestTooManyImages(t *testing.T) {
	l := newLab(t).seeing()
	ask := "## You\n\n"
	for n := range 8 {
		name := string(rune('a'+n)) + ".png"
		l.write(name, string(picture(t, n+1))+strings.Repeat("x", 9<<20))
		ask += "![](" + name + ") "
	}
	_, end := l.converse("ask.chat.md", "eyes", ask)
	if end.Outcome != event.Broken || !strings.HasPrefix(end.Sentence, "The images of this chat have more than 64 MB together, which cannot be sent.") || len(l.backend.Requests()) > 0 {
		t.Errorf("%+v after %d requests", end, len(l.backend.Requests()))
	}
}

// For a model that sees a text must not say where images go, also before there is one: what was sent stays as it is
// once a result brings one. For another model it is sent as ever.
func TestPlacesOfImagesAreText(t *testing.T) {
	for link, want := range map[string]string{"![](a.png)": "See [·img] and [·img-0]. ![](a.png)", "![](none.png)": "See [·img] and [·img-0]. ![](none.png)", "none": "See [·img] and [·img-0]. none"} {
		l := newLab(t, agenttest.Say("So.")).seeing()
		l.write("a.png", string(picture(t, 1)))
		l.converse("ask.chat.md", "eyes", "## You\n\nSee [img] and [img-0]. "+link+"\n")
		if texts, _ := l.sent(); !strings.HasPrefix(texts[0], want+"\n\n") {
			t.Errorf("sent %q, want %q", texts[0], want)
		}
	}
	for model, want := range map[string]string{"eyes": "See [·img-0].\n\n", "blind": "See [img-0].\n\n"} {
		l := newLab(t, agenttest.CallTool("read_file", `{"path":"a.png"}`), agenttest.Say("So.")).seeing()
		l.write("a.png", string(picture(t, 1)))
		l.converse("ask.chat.md", model, "## You\n\nSee [img-0].\n")
		first := l.backend.Requests()[0].Messages[1].Text
		if texts, _ := l.sent(); !strings.HasPrefix(first, want) || texts[0] != first {
			t.Errorf("%s: sent %q, then %q", model, first, texts[0])
		}
	}
}

// Nothing is overwritten, no link is followed, and a failure leaves nothing behind.
// Promise 4.
func TestKeepIsSafe(t *testing.T) {
	dot, err := content.NewImage(picture(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	name := "ask.images/" + dot.Name()
	for what, tt := range map[string]struct {
		prepare func(root, outside string) error
		want    string
	}{
		"nothing there":   {func(string, string) error { return nil }, ""},
		"the same":        {func(root, _ string) error { return write(root, name, string(dot.Data)) }, ""},
		"something else":  {func(root, _ string) error { return write(root, name, "mine") }, "holds something else"},
		"a linked folder": {func(root, outside string) error { return os.Symlink(outside, filepath.Join(root, "ask.images")) }, "leads outside"},
		"a linked folder inside": {func(root, _ string) error {
			return errors.Join(os.Mkdir(filepath.Join(root, "other"), 0o755), os.Symlink("other", filepath.Join(root, "ask.images")))
		}, "is or lies in a link"},
		"a linked file": {func(root, outside string) error {
			return errors.Join(os.Mkdir(filepath.Join(root, "ask.images"), 0o755), os.Symlink(filepath.Join(outside, "x"), filepath.Join(root, name)))
		}, "leads outside"},
		"a dangling link": {func(root, _ string) error {
			return errors.Join(os.Mkdir(filepath.Join(root, "ask.images"), 0o755), os.Symlink("gone", filepath.Join(root, name)))
		}, "is or lies in a link"},
		"a file as folder": {func(root, _ string) error { return write(root, "ask.images", "mine") }, "is a file, not a folder"},
	} {
		root, outside := t.TempDir(), t.TempDir()
		if err := tt.prepare(root, outside); err != nil {
			t.Fatal(err)
		}
		before := tree(t, root)
		path, err := session.Environment{}.Images(filepath.Join(root, "ask.chat.md")).Keep(t.Context(), dot)
		switch {
		case tt.want == "" && (err != nil || path != name || tree(t, root)[name] != string(dot.Data)):
			t.Errorf("%s: %q, %v", what, path, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !cmp.Equal(before, tree(t, root))):
			t.Errorf("%s: %v, want %q; %s", what, err, tt.want, cmp.Diff(before, tree(t, root)))
		}
		if left, _ := os.ReadDir(outside); len(left) > 0 {
			t.Errorf("%s: something is outside: %v", what, left)
		}
	}
}

// A disk that is full in the middle of an image leaves no file, and one sentence in the place of the image.
// Promise 4.
func TestAFullDiskKeepsNoHalfImage(t *testing.T) {
	l := newLab(t, agenttest.CallTool("read_file", `{"path":"a.png"}`), agenttest.Say("So.")).seeing()
	l.write("a.png", string(picture(t, 1)))
	seen, err := content.NewImage(append(picture(t, 1), make([]byte, 9_000_000)...))
	if err != nil {
		t.Fatal(err)
	}
	store := l.env.Images(filepath.Join(l.root, "full.chat.md"))
	for _, size := range []int{7_000_000, 8_000_000, len(seen.Data) - 1} { // the tests' own log must fit, too
		diskfiletest.Limited(t, size, func() {
			if path, err := store.Keep(t.Context(), seen); err == nil || !strings.Contains(err.Error(), "cannot be written") {
				t.Errorf("after %d bytes: %q, %v", size, path, err)
			}
		})
	}
	if left := tree(t, filepath.Join(l.root, "full.images")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	job := l.job("## You\n\nLook.\n")
	job.Images, job.Options.Model = full{}, "eyes"
	l.agent.Start(t.Context(), job).Wait()
	ended := agenttest.Of[event.CallEnded](l.events)[0]
	texts, images := l.sent()
	if want := "[An image is missing here: The disk is full.]"; ended.Result.Text() != want || texts[1] != want || images[1] != nil {
		t.Errorf("the result is %q, sent as %q", ended.Result.Text(), texts[1])
	}
}

type full struct{}

var errFull = errors.New("The disk is full.") //nolint:staticcheck // a sentence, as Keep gives it

func (full) Load(context.Context, string) (content.Image, error) {
	return content.Image{}, os.ErrNotExist
}
func (full) Keep(context.Context, content.Image) (string, error) { return "", errFull }

// A call that has run keeps its image though the run is stopped meanwhile; a Stop while images are read sends nothing.
func TestStopWithImages(t *testing.T) {
	l := newLab(t, agenttest.CallTool("read_file", `{"path":"a.png"}`), agenttest.Reply{Hang: true}).seeing()
	l.write("a.png", string(picture(t, 1)))
	job := l.job("## You\n\nLook.\n")
	job.Chat, job.Options.Model = filepath.Join(l.root, "ask.chat.md"), "eyes"
	store := &stopping{l.env.Images(job.Chat), make(chan func(), 1)}
	job.Images = store
	run := l.agent.Start(t.Context(), job)
	store.stops <- run.Stop
	end := run.Wait()
	ended := agenttest.Of[event.CallEnded](l.events)[0]
	path := content.Images(ended.Result.Parts)
	if end.Outcome != event.Stopped || len(path) != 1 || tree(t, l.root)[path[0].Path] != string(picture(t, 1)) {
		t.Errorf("%v: %+v", end, ended)
	}

	l = newLab(t).seeing()
	job = l.job("## You\n\n![](a.png)\n")
	job.Options.Model = "eyes"
	store = &stopping{l.env.Images(filepath.Join(l.root, "ask.chat.md")), make(chan func(), 1)}
	job.Images = store
	run = l.agent.Start(t.Context(), job)
	store.stops <- run.Stop
	if end := run.Wait(); end.Outcome != event.Stopped || len(l.backend.Requests()) > 0 {
		t.Errorf("%v after %d requests", end, len(l.backend.Requests()))
	}
}

// stopping stops the run before it does anything.
type stopping struct {
	images.Files

	stops chan func()
}

func (s *stopping) Load(ctx context.Context, path string) (content.Image, error) {
	(<-s.stops)()
	return s.Files.Load(ctx, path)
}

func (s *stopping) Keep(ctx context.Context, image content.Image) (string, error) {
	(<-s.stops)()
	return s.Files.Keep(ctx, image)
}

// A chat on disk reads back what a run wrote: the images of the document are those of the run.
func TestTheDocumentHasTheImages(t *testing.T) {
	l := newLab(t, agenttest.CallTool("read_file", `{"path":"a.png"}`), agenttest.Say("So.")).seeing()
	l.write("a.png", string(picture(t, 1)))
	document, _ := l.converse("a b (c).chat.md", "eyes", "## You\n\nLook.\n")
	chat := transcript.Parse(document)
	if again := transcript.Render(*chat); again != document {
		t.Errorf("the document is not as it is written:\n%s", cmp.Diff(document, again))
	}
	for _, block := range chat.Turns[1].Blocks {
		if image, ok := block.(transcript.Image); ok {
			if _, err := os.Stat(filepath.Join(l.root, filepath.FromSlash(image.Path))); err != nil || image.Of != "c1" {
				t.Errorf("%+v: %v", image, err)
			}
			return
		}
	}
	t.Errorf("there is no image:\n%s", document)
}

func write(root, name, text string) error {
	file := filepath.Join(root, name)
	return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600))
}

// tree is what the files below a folder hold, and where its links lead.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		if entry.Type()&fs.ModeSymlink != 0 {
			files[name], err = os.Readlink(file)
			return err
		}
		text, err := os.ReadFile(file)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A file that the message names is linked where it lies, and sent with this turn and the next ones as the document
// shows it.
func TestANamedImageIsSent(t *testing.T) {
	l := newLab(t, agenttest.Say("A dot."), agenttest.Say("Still a dot.")).seeing()
	dot := picture(t, 1)
	l.write("my photo.png", string(dot))
	document, end := l.converse("chats/ask.chat.md", "eyes", "## You\n\nWhat does `my photo.png` show, not [img]?\n")
	seen, err := content.NewImage(dot)
	if err != nil {
		t.Fatal(err)
	}
	block := "This is not a text file but an image:\n" + seen.String()
	if want := "\n```context file my photo.png\n" + block + "\n```\n\n![context file my photo.png](../my%20photo.png)\n"; !strings.Contains(document, want) || end.Outcome != event.Completed {
		t.Fatalf("%v: no %q in\n%s", end, want, document)
	}
	if again := transcript.Render(*transcript.Parse(document)); again != document {
		t.Errorf("the document is not as it is written:\n%s", cmp.Diff(document, again))
	}
	texts, images := l.sent()
	if !strings.HasPrefix(texts[0], "What does `my photo.png` show, not [·img]?\n\n") || !strings.HasSuffix(texts[0], "\n\nfile my photo.png:\n"+block) || !cmp.Equal(images, [][][]byte{{dot}}) {
		t.Errorf("sent %q with %d images", texts[0], len(images[0]))
	}
	if files := tree(t, l.root); files["chats/ask.images/"+seen.Name()] != "" {
		t.Error("the file was copied")
	}
	// Named once more it is not sent twice.
	document, end = l.converse("chats/ask.chat.md", "eyes", document+"\n## You\n\nIs `my photo.png` all?\n")
	again, images := l.sent()
	if diff := cmp.Diff([][][]byte{{dot}, nil}, images); diff != "" || again[0] != texts[0] || end.Outcome != event.Completed || strings.Count(document, "![context") != 1 {
		t.Errorf("%v: %s\n%q\n%q\n%s", end, diff, texts[0], again[0], document)
	}
}

// What the user's own words show as an image is not attached again, whatever its path is there.
func TestALinkedImageIsNotAttached(t *testing.T) {
	for _, tt := range []struct{ model, text string }{{"eyes", "![](./a.png) is a.png"}, {"blind", "![](./a.png) is a.png"}, {"eyes", "![](b.png) is like a.png"}} {
		l := newLab(t, agenttest.Say("So.")).seeing()
		l.write("a.png", string(picture(t, 1)))
		l.write("b.png", string(picture(t, 1)))
		document, _ := l.converse("ask.chat.md", tt.model, "## You\n\n"+tt.text+"\n")
		if _, images := l.sent(); strings.Contains(document, "context file") || tt.model == "eyes" && len(images[0]) != 1 {
			t.Errorf("%s: %q: %d images\n%s", tt.model, tt.text, len(images[0]), document)
		}
	}
}

// A model that cannot see reads that there is an image, and the same again with the next turn.
func TestANamedImageForABlindModel(t *testing.T) {
	l := newLab(t, agenttest.Say("I cannot."), agenttest.Say("I cannot."), agenttest.Say("A dot.")).seeing()
	dot := picture(t, 1)
	l.write("a.png", string(dot))
	document, _ := l.converse("ask.chat.md", "blind", "## You\n\nWhat is a.png?\n")
	texts, images := l.sent()
	const sentence = "\n[It was not sent to blind, which cannot see images.]"
	if !strings.HasSuffix(texts[0], sentence) || images[0] != nil || !strings.Contains(document, sentence+"\n```\n\n![context file a.png not-sent](a.png)\n") {
		t.Errorf("sent %q with %d images:\n%s", texts[0], len(images[0]), document)
	}
	document, _ = l.converse("ask.chat.md", "blind", document+"\n## You\n\nSure?\n")
	if again, images := l.sent(); again[0] != texts[0] || images[0] != nil {
		t.Errorf("sent again as %q", again[0])
	}
	// One that sees gets it when it is named again.
	l.converse("ask.chat.md", "eyes", document+"\n## You\n\nAnd a.png now?\n")
	if _, images := l.sent(); !cmp.Equal(images, [][][]byte{nil, nil, {dot}}) {
		t.Errorf("sent %d messages with %v", len(images), images)
	}
}

// Neither a protected file nor a broken image is sent, and no file that leads outside.
// Promise 4.
func TestNamedImagesThatAreNotSent(t *testing.T) {
	l := newLab(t, agenttest.Say("So.")).seeing()
	dot := string(picture(t, 1))
	outside := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(l.root, ".git"), 0o755), write(outside, "secret.png", dot), os.Symlink(filepath.Join(outside, "secret.png"), filepath.Join(l.root, "out.png"))); err != nil {
		t.Fatal(err)
	}
	l.write(".git/x.png", dot)
	l.write(".env", dot)
	l.write("cut.png", dot[:len(dot)-3])
	document, end := l.converse("ask.chat.md", "eyes", "## You\n\nSee `.git/x.png`, `.env`, `out.png`, `cut.png`.\n")
	texts, images := l.sent()
	if images[0] != nil || strings.Count(texts[0], "\n\nfile ") != 1 || !strings.Contains(texts[0], "\n\nfile cut.png:\nThis is not a text file (") || strings.Contains(document, "![context") || end.Outcome != event.Completed {
		t.Errorf("%v: sent %q with %d images:\n%s", end, texts[0], len(images[0]), document)
	}
}

// vanishing has no file any more when a run reads it.
type vanishing struct{ images.Files }

func (vanishing) Load(context.Context, string) (content.Image, error) {
	return content.Image{}, errors.New("There is no file \"a.png\".")
}

// An image that is lost between naming and reading is told, and one that is too much for the request, too.
func TestANamedImageThatCannotBeRead(t *testing.T) {
	l := newLab(t, agenttest.Say("So.")).seeing()
	l.write("a.png", string(picture(t, 1)))
	job := l.job("## You\n\nWhat is a.png?\n")
	job.Chat, job.Options.Model, job.Images = filepath.Join(l.root, "ask.chat.md"), "eyes", vanishing{}
	l.agent.Start(t.Context(), job).Wait()
	if texts, images := l.sent(); images[0] != nil || !strings.HasSuffix(texts[0], "file a.png:\nThis is not a text file but an image:\n[An image is missing here: There is no file \"a.png\".]") {
		t.Errorf("sent %q with %d images", texts[0], len(images[0]))
	}

	l = newLab(t, agenttest.Say("So.")).seeing()
	ask := "## You\n\n"
	for n := range 7 {
		name := string(rune('a'+n)) + ".png"
		l.write(name, string(picture(t, n+1))+strings.Repeat("x", 9<<20))
		ask += "![](" + name + ") "
	}
	l.write("more.png", string(picture(t, 9))+strings.Repeat("x", 9<<20))
	_, end := l.converse("ask.chat.md", "eyes", ask+"and more.png\n")
	if texts, images := l.sent(); len(images[0]) != 7 || !strings.HasSuffix(texts[0], "would have more than 64 MB together.]") || end.Outcome != event.Completed {
		t.Errorf("%v: sent %q with %d images", end, texts[0], len(images[0]))
	}
}

// A sound is sent to a model that hears, byte for byte; another one reads a sentence, whatever the file is called.
func TestSounds(t *testing.T) {
	talk := []byte("RIFF\x24\x08\x00\x00WAVEfmt \x10\x00\x00\x00" + strings.Repeat("\x00\x01", 40))
	for name, c := range map[string]struct {
		model, words string
		heard        bool
		text, said   string
	}{
		"linked":             {"ears", "![talk](talk.wav)?", true, "![talk](talk.wav)?", ""},
		"named":              {"ears", "talk.wav?", true, "This is not a text file but a sound:\n[Sound: WAV, ", "![context file talk.wav](talk.wav)"},
		"mentioned":          {"ears", "@talk.wav", true, "This is not a text file but a sound:\n[Sound: WAV, ", "![context file talk.wav](talk.wav)"},
		"linked, deaf":       {"blind", "![talk](talk.wav)?", false, "[You cannot hear the sound talk.wav.]", "talk.wav: blind cannot hear sounds."},
		"mentioned, deaf":    {"eyes", "@talk.wav", false, "[It was not sent to eyes, which cannot hear sounds.]", "![context file talk.wav not-sent](talk.wav)"},
		"called an image":    {"eyes", "![talk](talk.png)?", false, "[You cannot hear the sound talk.png.]", "talk.png: eyes cannot hear sounds."},
		"an image for ears":  {"ears", "![dot](dot.png)?", false, "[You cannot see the image dot.png.]", "dot.png: ears cannot see images."},
		"an image, as sound": {"ears", "![dot](dot.mp3)?", false, "[You cannot see the image dot.mp3.]", "dot.mp3: ears cannot see images."},
		"not there":          {"ears", "![talk](nothing.mp3)?", false, "There is no file \"nothing.mp3\".", "nothing.mp3: There is no file"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, agenttest.Say("Yes."), agenttest.Say("Yes.")).seeing()
			l.backend.Installed = append(l.backend.Installed, model.Info{Name: "ears", Capabilities: []string{"completion", "audio"}, ContextLimit: 8192})
			for _, file := range []string{"talk.wav", "talk.png"} {
				l.write(file, string(talk))
			}
			for _, file := range []string{"dot.png", "dot.mp3"} {
				l.write(file, string(picture(t, 1)))
			}
			document, end := l.converse("ask.chat.md", c.model, "## You\n\nWhat is said in "+c.words+"\n")
			texts, images := l.sent()
			var want [][]byte
			if c.heard {
				want = [][]byte{talk}
			}
			if diff := cmp.Diff([][][]byte{want}, images); diff != "" || end.Outcome != event.Completed {
				t.Errorf("%+v: %s", end, diff)
			}
			if !strings.Contains(texts[0], c.text) || !strings.Contains(document, c.said) {
				t.Errorf("the model read %q\n%s", texts[0], document)
			}
			if l.converse("ask.chat.md", c.model, document+"\n## You\n\nSure?\n"); name != "mentioned, deaf" {
				if again, images := l.sent(); again[0] != texts[0] || !cmp.Equal(images[0], want) {
					t.Errorf("it is sent again as %q", again[0])
				}
			}
		})
	}
}
