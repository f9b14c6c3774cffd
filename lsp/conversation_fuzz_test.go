package lsp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/opencalls"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/prompts"
)

// FuzzConversation plays whole conversations: a model that calls tools and fails, an editor that is slow, drops edits
// or dies, a person who answers, stops, types and undoes, a disk that refuses. What the document says ran must be
// exactly what ran, and nothing may run that nobody approved.
// Promise 1. Invariant 18.
func FuzzConversation(f *testing.F) {
	count := uint64(40)
	if many, err := strconv.ParseUint(os.Getenv("CONVERSATIONS"), 10, 32); err == nil {
		count = many // the gate plays more of them, the same each time
	}
	for seed := range count {
		data := make([]byte, 200)
		random := rand.New(rand.NewPCG(seed, 7))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) { playConversation(t, choices{data}) })
	})
}

// choices turns the fuzzer's bytes into decisions; when they are used up every decision is the first.
type choices struct{ left []byte }

func (c *choices) next(n int) int {
	if len(c.left) == 0 {
		return 0
	}
	b := c.left[0]
	c.left = c.left[1:]
	return int(b) % n
}

// play is one conversation and what is known of it.
type play struct {
	*lab
	choices
	kind     lsptest.Options
	approved map[string]int      // by marker: how often a person said yes to the call
	granted  bool                // a tool was allowed for more than one call
	ran      map[string]int      // by marker: how often its effect was seen
	log      map[string]int      // by marker: lines in the log that were seen
	lost     bool                // a person gave up text of the chat: what is missing from it is theirs
	older    map[string]bool     // by marker: calls that an older text that came back calls not run
	forgot   map[string]bool     // by marker: calls that had run when the disk lost what was begun
	closed   bool                // the document was closed or lost since the last Send
	revised  map[string]bool     // by marker: calls that a person made of others
	used     protocol.CodeAction // the last answer that was taken
	steps    []string            // for the report of a failure
}

// Every call has a marker of its own, m1, m2, ..., which its effect shows.
var marker = regexp.MustCompile(`m\d+`)

// changed ends the marker of a call that a person made of another: no model calls so often.
const changed = "000"

// answers are the titles of what uses a question up.
var answers = regexp.MustCompile(`^(?:Approve|Run on|Allow|Always|Deny$)`)

func playConversation(t *testing.T, c choices) {
	p := &play{choices: c, approved: map[string]int{}, ran: map[string]int{}, log: map[string]int{}, revised: map[string]bool{}, older: map[string]bool{}, forgot: map[string]bool{}}
	p.kind = []lsptest.Options{
		{},
		{Hold: 400 * time.Millisecond},
		{Edits: lsptest.Drops, Hold: 150 * time.Millisecond, Name: "Neovim"},
		{Edits: lsptest.Mute},
		{Edits: lsptest.Lies},
		{Edits: lsptest.Refuses},
		{Edits: lsptest.Ignores},
	}[p.next(7)]
	p.kind.Settings = map[string]any{"toolFormat": "native"}
	readme := ""
	for n := 1; n <= 30; n++ {
		readme += fmt.Sprintf("line <m%d>, <m%d%s>\n", n, n, changed)
	}
	p.lab = newLab(t, p.script(), p.kind, map[string]string{"README.md": readme, chat: "## You\n\nWork on README.md.\n"})
	p.Open("README.md")
	p.Open(chat)
	defer func() {
		if t.Failed() {
			t.Logf("steps: %s\n%s", strings.Join(p.steps, ", "), p.Dump())
		}
	}()
	p.do("send")
	for range 6 + p.next(20) {
		p.do([]string{
			"answer", "answer", "answer", "answer", "answer", "answer", "answer", "answer", "answer", "answer", "pass", "pass",
			"pass", "stop", "hurry", "hurry", "hurry", "send", "send", "resume", "resume", "type", "save", "close", "die", "undo", "restore", "disk",
			"change", "retry", "revise", "revise", "again",
		}[p.next(33)])
		p.look()
	}
	p.halt()
	p.Leave()
}

// halt stops whatever goes on and compares what the document says with what happened.
func (p *play) halt() {
	p.T.Helper()
	_, _ = p.Execute("assent.stop", p.target()) // it fails if nothing runs
	synctest.Wait()
	p.WaitIdle()
	<-time.After(20 * time.Second)
	synctest.Wait()
	p.look()
	p.judge()
}

// script writes the model's side: native calls, prose, faults.
func (p *play) script() string {
	var b strings.Builder
	next := 0
	call := func() {
		next++
		m := fmt.Sprintf("m%d", next)
		args := map[string]string{"path": m + ".txt", "content": m + "\n"}
		tool := "write_file"
		switch p.next(4) {
		case 0:
			tool, args = "edit_file", map[string]string{"path": "README.md", "old_text": "<" + m + ">", "new_text": "[" + m + "]"}
		case 1:
			tool, args = "run_command", map[string]string{"command": "echo " + m + " >>log"}
		}
		line, err := json.Marshal(map[string]any{"message": map[string]any{"role": "assistant", "tool_calls": []any{
			map[string]any{"function": map[string]any{"name": tool, "arguments": args}},
		}}})
		if err != nil {
			p.T.Fatal(err)
		}
		fmt.Fprintf(&b, "raw %s\n", line) // as it is, whether the request offers tools or not
	}
	for range 2 + p.next(6) {
		b.WriteString("turn\nsay: Let me see.\n")
		fault := p.next(25)
		for range 1 + p.next(3) {
			fmt.Fprintf(&b, "pause %dms\n", p.next(200))
			call()
		}
		if fault < 5 {
			b.WriteString([]string{"cut\n", "error-line out of memory\n", "end-without-done\n", "hang\n", "raw %%%\n"}[fault])
		}
	}
	b.WriteString("turn repeat\nsay: Done.\n")
	return b.String()
}

// do takes one step. What a command refuses is no failure: the oracle looks at what happened.
func (p *play) do(step string) {
	p.steps = append(p.steps, step)
	switch step {
	case "send":
		if strings.HasSuffix(strings.TrimSpace(p.Text(chat)), "## You") {
			p.Type(chat, "Go on.\n")
		}
		if _, err := p.Execute("assent.send", p.target()); err == nil && p.closed {
			p.lost = true // what the journal held is given up
		}
	case "answer":
		p.answer()
	case "hurry": // a person who is faster than the editor
		p.answer()
		<-time.After(time.Duration(p.next(150)) * 3 * time.Millisecond)
		p.halt()
	case "pass":
		<-time.After(time.Duration(1+p.next(250)) * 2 * time.Millisecond)
	case "stop", "resume", "retry":
		if step == "retry" || step == "resume" && p.closed {
			p.lost = true // what followed is in another file, or what the journal held is given up
		}
		_, _ = p.Execute("assent."+step, p.target())
	case "restore":
		_, _ = p.Execute("assent.restoreReply", p.target())
	case "type":
		p.Type(chat, "x")
	case "save":
		p.Save(chat)
	case "revise":
		p.revise()
	case "again": // an answer is used up by its first use
		if p.used.Command != nil && p.Choose(p.used) == nil {
			p.T.Fatalf("%q was taken twice", p.used.Title)
		}
	case "undo":
		if p.CanUndo(chat) {
			p.lost = true
			p.Undo(chat)
			p.noteOlder()
		}
	case "close":
		p.look()
		if p.next(3) > 0 {
			p.Save(chat)
		}
		p.Close(chat)
		p.closed = true
		if p.next(2) == 0 {
			<-time.After(3 * time.Second)
		}
		p.Open(chat)
		p.noteOlder()
	case "die":
		p.look()
		if p.next(3) > 0 {
			p.Save(chat)
		}
		p.Die()
		p.look() // what was done while it died
		p.closed = true
		p.Env = lsptest.NewEnv(p.T, serveWith(p.T, p.state, p.config, p.transport), p.Dir, p.kind)
		p.Open("README.md")
		p.Open(chat)
		p.noteOlder()
	case "disk":
		p.fault([]string{"journals", "begun.json", "previews"}[p.next(3)])
	case "change":
		name := filepath.Join(p.Dir, fmt.Sprintf("m%d.txt", 1+p.next(10)))
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			p.must(os.MkdirAll(name, 0o700)) // where a call wants to write
		}
	}
}

// noteOlder takes note of what an older text, which a person got back by Undo or from the disk, calls not run: it may
// have run since, in a reply that they gave up.
func (p *play) noteOlder() {
	calls := map[string]string{}
	for _, turn := range transcript.Parse(p.Text(chat)).Turns {
		for _, block := range turn.Blocks {
			switch b := block.(type) {
			case transcript.Call:
				calls[b.ID] = marker.FindString(string(b.Arguments))
			case transcript.Result:
				if b.Status == transcript.NotRun {
					p.older[calls[b.ID]] = true
				}
			}
		}
	}
}

func (p *play) target() map[string]any { return map[string]any{"uri": "file://" + p.Dir + "/" + chat} }

// fault puts something else where a file or folder of the state should be, or takes it away again.
func (p *play) fault(name string) {
	synctest.Wait() // what is being written now would be in the way of taking its folder away
	path := filepath.Join(p.state.Dir(), name)
	info, err := os.Lstat(path)
	switch {
	case err == nil && strings.HasSuffix(name, ".json") == info.IsDir():
		p.must(os.RemoveAll(path))
	case err == nil && info.IsDir():
		p.lost = true // the journal is gone
		p.must(os.RemoveAll(path))
		p.must(os.WriteFile(path, nil, 0o600))
	case strings.HasSuffix(name, ".json"):
		p.look()
		for m := range p.ran {
			p.forgot[m] = true
		}
		p.must(os.RemoveAll(path))
		if err := os.Mkdir(path, 0o700); !errors.Is(err, fs.ErrExist) { // a run may have made it again
			p.must(err)
		}
	}
}

// waiting lists the first lines of the calls that wait.
func (p *play) waiting() []string {
	var at []string
	text := strings.Split(p.Text(chat), "\n")
	for _, d := range p.Diagnostics(chat) {
		if line := int(d.Range.Start.Line); strings.Contains(d.Message, waits) && line < len(text) && strings.HasPrefix(text[line], "```tool ") {
			at = append(at, text[line])
		}
	}
	return at
}

// answer chooses something for a call that waits, if one comes within some seconds.
func (p *play) answer() {
	at := p.waiting()
	for range 30 {
		if len(at) > 0 {
			break
		}
		<-time.After(100 * time.Millisecond)
		at = p.waiting()
	}
	if len(at) == 0 {
		return
	}
	needle := at[p.next(len(at))]
	var rows []int
	actions := p.CodeActions(chat, needle)
	for i, a := range actions {
		switch {
		case a.Command == nil || a.Title == "Stop" || a.Title == "New chat":
		case strings.HasPrefix(a.Title, "Approve"), strings.HasPrefix(a.Title, "Run on"):
			rows = append(rows, i, i, i, i)
		default:
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return
	}
	chosen := actions[rows[p.next(len(rows))]]
	m := p.markerOf(needle)
	p.steps = append(p.steps, chosen.Title+" "+m)
	if chosen.Title == "Retry" || p.closed && (chosen.Title == "Send" || strings.HasPrefix(chosen.Title, "Resume")) {
		p.lost = true // what followed is in another file, or what the journal held is given up
	}
	before, shown := p.approved[m], len(p.Shown())
	switch {
	case strings.HasPrefix(chosen.Title, "Approve"), strings.HasPrefix(chosen.Title, "Run on"), strings.HasPrefix(chosen.Title, "Allow this"):
		p.approved[m]++ // before the command: it may be done before its answer comes
	case strings.HasPrefix(chosen.Title, "Allow"), strings.HasPrefix(chosen.Title, "Always"):
		p.granted = true
	}
	err := p.Choose(chosen)
	switch {
	case err != nil:
		p.approved[m] = before
	case chosen.Title == "Show what would happen":
		p.judgePreview(m, p.Shown()[shown:])
	case chosen.Title == "Undo this edit":
		p.ran[m] = max(p.ran[m], 1) // it was never looked at, perhaps
	case answers.MatchString(chosen.Title):
		p.used = chosen
	}
}

// revise makes another call of the first one that waits: what is there when it is approved is what may run.
func (p *play) revise() {
	at := p.waiting()
	if len(at) == 0 {
		return
	}
	m := p.markerOf(at[0])
	text := p.Text(chat)
	if m == "" || p.revised[m] || p.approved[m] > 0 || p.granted || strings.Count(text, at[0]+"\n") != 1 {
		return // it may run already: who edits what ran writes their own record
	}
	from := strings.Index(text, at[0]+"\n")
	block, _, _ := strings.Cut(text[from:], "\n```\n")
	if strings.Count(text, block) == 1 {
		p.revised[m+changed] = true
		p.Replace(chat, block, regexp.MustCompile(`\b`+m+`\b`).ReplaceAllString(block, m+changed))
	}
}

// judgePreview looks at what was shown for a call: it is of this call alone, or says that the question is over. Nothing
// is shown where the disk refuses.
func (p *play) judgePreview(m string, shown []protocol.ShowDocumentParams) {
	p.T.Helper()
	if len(shown) == 0 {
		return
	}
	path, err := documents.PathOf(string(shown[len(shown)-1].URI))
	p.must(err)
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(path, "previews") {
		return // the disk refused
	}
	for _, found := range regexp.MustCompile(`(?m)^(?:write|run|edit) .*?(m\d+)`).FindAllStringSubmatch(string(data), -1) {
		if found[1] != m {
			p.T.Fatalf("the preview of %s shows %s:\n%s", m, found[1], data)
		}
	}
	if !strings.Contains(string(data), m) && !strings.Contains(string(data), "is missing") { // half of it was undone
		p.T.Fatalf("the preview of %s does not show it:\n%s", m, data)
	}
}

// markerOf is the marker of the last call whose block begins with this line: after an undo an older one may have the
// same ID.
func (p *play) markerOf(line string) string {
	text := p.Text(chat)
	at := strings.LastIndex(text, line+"\n")
	if at < 0 {
		return ""
	}
	body, _, _ := strings.Cut(text[at+len(line):], "\n```")
	return marker.FindString(body)
}

// look takes note of all effects that can be seen now.
func (p *play) look() {
	p.T.Helper()
	seen := map[string]int{}
	for _, path := range p.made() {
		seen[marker.FindString(path)] = 1
	}
	for _, m := range regexp.MustCompile(`\[(m\d+)\]`).FindAllStringSubmatch(p.Text("README.md"), -1) {
		seen[m[1]] = 1
	}
	data, err := os.ReadFile(filepath.Join(p.Dir, "log"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.T.Fatal(err)
	}
	for _, m := range marker.FindAllString(string(data), -1) {
		seen[m]++
	}
	for m, times := range seen {
		p.ran[m] = max(p.ran[m], times)
	}
	p.log = map[string]int{}
	for _, m := range marker.FindAllString(string(data), -1) {
		p.log[m]++
	}
	for m, times := range p.log {
		if times > p.approved[m] {
			p.T.Fatalf("the command of %s ran %d times and was approved %d times", m, times, p.approved[m])
		}
	}
	for m := range p.ran {
		if p.approved[m] == 0 && !p.granted {
			p.T.Fatalf("%s happened and nobody approved it", m)
		}
	}
}

// made lists the files that calls of write_file made.
func (p *play) made() []string {
	all, err := filepath.Glob(filepath.Join(p.Dir, "m*.txt"))
	p.must(err)
	return slices.DeleteFunc(all, func(path string) bool {
		info, err := os.Stat(path)
		return err != nil || info.IsDir()
	})
}

// judge compares what the document says with what happened.
func (p *play) judge() {
	p.T.Helper()
	text := p.Text(chat)
	kept := p.kept()
	said, before := map[string]transcript.Status{}, map[string]bool{}
	shown := map[string]bool{}
	for _, part := range []string{kept, text} {
		if part == kept {
			part = "## Assistant\n\n" + part
		}
		calls := map[string]string{}
		for _, turn := range transcript.Parse(part).Turns {
			for _, block := range turn.Blocks {
				switch b := block.(type) {
				case transcript.Call:
					calls[b.ID] = marker.FindString(string(b.Arguments))
					shown[calls[b.ID]] = true
				case transcript.Result:
					m := calls[b.ID]
					if as, revised := strings.CutPrefix(b.Text, prompts.RevisedStart); revised {
						m = marker.FindString(as) // what is kept for recovery has the call as the model wrote it
					}
					if m != "" && said[m] != transcript.OK {
						said[m] = b.Status
						before[m] = strings.HasSuffix(b.Text, prompts.BegunBefore)
					}
				}
			}
		}
	}
	for m, status := range said {
		if status == transcript.OK && p.ran[m] == 0 && (!p.revised[m+changed] || p.ran[m+changed] == 0) { // what is kept has the model's own call
			p.T.Errorf("%s is said to have run, and nothing shows it", m)
		}
	}
	for m := range p.ran {
		switch status, answered := said[m]; {
		case status == transcript.NotRun && p.older[m]: // what Resume and the model are told is judged below
		case status == transcript.Denied && (before[m] || p.forgot[m]): // it was asked about again
		case answered && (status == transcript.NotRun || status == transcript.Denied):
			p.T.Errorf("%s ran and is called %s", m, status)
		case !answered && !shown[m] && !p.lost:
			p.T.Errorf("%s ran, and neither the document nor the journal knows the call", m)
		}
	}
	for _, open := range opencalls.Of(transcript.Parse(text), p.state.BegunCalls(filepath.Join(p.Dir, chat))) {
		if m := marker.FindString(string(open.Arguments)); p.ran[m] > 0 && !open.Begun && !p.forgot[m] {
			p.T.Errorf("Resume would run %s again without a word of it", m)
		}
	}
}
