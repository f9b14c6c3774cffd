package session_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/guidance/schema"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/shell/shelltest"
)

// guide sends a message to a guided model, which may edit files, and returns the requests that it got and the chat.
func guide(t *testing.T, l *lab, message string) (requests []model.Request, chat string) {
	t.Helper()
	return guideChat(t, l, "## You\n\n"+message+"\n")
}

// guideChat is guide for a chat as it is in its file.
func guideChat(t *testing.T, l *lab, text string) (requests []model.Request, chat string) {
	t.Helper()
	return guideIn(t, l, policy.ModeEdits, text)
}

// guideIn is guideChat in a mode.
func guideIn(t *testing.T, l *lab, mode policy.Mode, text string) (requests []model.Request, chat string) {
	t.Helper()
	l.env.Options = engine.Options{Format: "guided", Mode: func() policy.Mode { return mode }}
	s := l.chat("ask.chat.md", text)
	if err := s.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	return l.backend.Requests(), l.read("ask.chat.md")
}

func says(replies ...string) []agenttest.Reply {
	said := make([]agenttest.Reply, len(replies))
	for i, r := range replies {
		said[i] = agenttest.Say(r)
	}
	return said
}

const (
	editsReadme = `{"do":"change","tool":"edit_file","arguments":{"path":"README.md"}}`
	isDone      = `{"done":"yes","do":"talk","answer":"Done."}`
	doesTalk    = `{"do":"talk","answer":"It says Helo."}`
)

// A short file is only named in the guided reply: its text is asked for apart, as plain text, and the call that the
// chat shows has it.
func TestAShortFileIsWrittenApart(t *testing.T) {
	l := newLab(t, says(editsReadme, "Here it is:\n\n```markdown\n# Title\n\nHello world\n```\n", isDone)...)
	requests, chat := guide(t, l, "Correct the typo in README.md.")
	if got := l.read("README.md"); got != "# Title\n\nHello world\n" {
		t.Errorf("README.md is %q in\n%s", got, chat)
	}
	if !strings.Contains(chat, "```tool edit_file c1\npath: README.md\nold_text: Helo world\nnew_text: Hello world\n```") {
		t.Errorf("the chat does not show the edit:\n%s", chat)
	}
	if len(requests) != 3 || requests[0].Format == nil || requests[2].Format == nil {
		t.Fatalf("%d requests", len(requests))
	}
	apart := requests[1]
	last := apart.Messages[len(apart.Messages)-1].Text
	for _, want := range []string{"README.md:\n```\n# Title\n\nHelo world\n```", "The request: Correct the typo in README.md.", "Write all of README.md"} {
		if !strings.Contains(last, want) {
			t.Errorf("no %q in %q", want, last)
		}
	}
	if apart.Format != nil || apart.ContextSize != requests[0].ContextSize || apart.MaxTokens == 0 || strings.Contains(apart.Messages[0].Text, "JSON") {
		t.Errorf("asked apart: %+v", apart)
	}
	if !slices.EqualFunc(requests[0].Messages, requests[2].Messages[:len(requests[0].Messages)], func(a, b model.Message) bool { return a.Text == b.Text && a.Role == b.Role }) {
		t.Error("the conversation does not begin with what was sent before")
	}
	if said := requests[2].Messages[len(requests[0].Messages)].Text; !strings.Contains(said, `"new_text": "Hello world"`) {
		t.Errorf("the model reads its call as %q", said)
	}
}

// Whatever is no new text of the file changes nothing, and the model reads so.
func TestWhatIsNoNewTextChangesNothing(t *testing.T) {
	same := "```\n# Title\n\nHelo world\n```"
	for name, replies := range map[string][]string{
		"the same twice": {same, same}, "no block": {"I would write Hello.", "# Title"}, "not closed": {"```\n# Title\n", "```\n"}, "nothing": {"", "```\n```"},
	} {
		l := newLab(t, says(append(append([]string{editsReadme}, replies...), doesTalk)...)...)
		requests, chat := guide(t, l, "Correct the typo in README.md.")
		if got := l.read("README.md"); got != "# Title\n\nHelo world\n" || !strings.Contains(chat, "No change of README.md was found") || len(requests) != 4 {
			t.Errorf("%s: %q, %d requests in\n%s", name, got, len(requests), chat)
		}
		if again := requests[2]; again.Temperature == nil || *again.Temperature == 0 {
			t.Errorf("%s: asked again in the same way", name)
		}
	}
}

func TestANewFileIsWrittenApart(t *testing.T) {
	l := newLab(t, says(`{"do":"change","tool":"write_file","arguments":{"path":"docs/new.md"}}`, "```\nFirst.\n\n```sh\nls\n```\n```", isDone)...)
	_, chat := guide(t, l, "Create the file docs/new.md.")
	if got := l.read("docs/new.md"); got != "First.\n\n```sh\nls\n```\n" {
		t.Errorf("%q in\n%s", got, chat)
	}
}

// TestTheFolderIsWalkedOnceForAStep, also where the text of a new file is asked for apart, which names the files beside
// it.
func TestTheFolderIsWalkedOnceForAStep(t *testing.T) {
	l := newLab(t, says(`{"do":"change","tool":"write_file","arguments":{"path":"new.md"}}`, "```\nFirst.\n```", isDone)...)
	l.env.Options = engine.Options{Format: "guided", Mode: func() policy.Mode { return policy.ModeEdits }}
	job := l.job("## You\n\nCreate the file new.md.\n")
	job.Options = l.env.Options
	place, walks := job.Place, 0
	job.Place = func(ctx context.Context, request string) schema.Place {
		walks++
		return place(ctx, request)
	}
	if end := l.agent.Start(t.Context(), job).Wait(); end.Outcome != event.Completed {
		t.Fatalf("it ended %+v", end)
	}
	requests := l.backend.Requests()
	if walks != 2 || len(requests) != 3 {
		t.Errorf("%d walks for %d requests", walks, len(requests))
	}
	if last := requests[1].Messages[len(requests[1].Messages)-1].Text; !strings.Contains(last, "The files beside it, in the same folder: README.md\n") {
		t.Errorf("asked apart: %q", last)
	}
}

// A new file gets the form of one beside it that is of its kind, and short.
func TestANewFileIsLikeThoseBesideIt(t *testing.T) {
	l := newLab(t, says(`{"do":"change","tool":"write_file","arguments":{"path":"songs/c.md"}}`, "```\n# C\n```", isDone)...)
	writeFile(t, filepath.Join(l.root, "songs/a.md"), strings.Repeat("A long song. ", 300))
	writeFile(t, filepath.Join(l.root, "songs/b.md"), "# B\n\n- in D minor\n")
	writeFile(t, filepath.Join(l.root, "songs/b.txt"), "not of its kind\n")
	requests, chat := guide(t, l, "Create songs/c.md for the song C.")
	if len(requests) != 3 {
		t.Fatalf("%d requests:\n%s", len(requests), chat)
	}
	last := requests[1].Messages[len(requests[1].Messages)-1].Text
	if !strings.Contains(last, "One of them, for the form:\nsongs/b.md:\n```\n# B\n\n- in D minor\n```") || strings.Contains(last, "A long song") || strings.Contains(last, "not of its kind") {
		t.Errorf("asked apart: %q", last)
	}
}

// What goes on with plain talk is plain talk, too; what goes on with a question about files is not.
func TestTalkGoesOn(t *testing.T) {
	for first, talk := range map[string]bool{"How many grams are in a kilo?": true, "What does the greeting in README.md say?": false} {
		l := newLab(t, says(doesTalk, "It says so.", doesTalk, "It says so.", doesTalk, doesTalk)...)
		l.write("weights.txt", "2.4 kilos, 3 kilos, kilos\n")
		_, chat := guide(t, l, first)
		before := len(l.backend.Requests())
		requests, _ := guideChat(t, l, strings.TrimRight(chat, "\n")+"\n\nso 2.4 kilos are?\n")
		if got := !strings.Contains(lastOf(requests[before]), "2.4 kilos, 3 kilos"); got != talk {
			t.Errorf("after %q it is talk: %t", first, got)
		}
	}
}

// The file that a message means by words of its name can be deleted, though no path is in the message.
func TestAFileIsMeantByItsName(t *testing.T) {
	for message, want := range map[string]bool{
		"We do not need the draft of the letter any more. Throw it away.": true,
		"The letter says Dear twice. Take one out.":                       false,
	} {
		l := newLab(t, says(doesTalk, doesTalk, doesTalk, doesTalk, doesTalk, doesTalk, doesTalk, doesTalk)...)
		writeFile(t, filepath.Join(l.root, "mail/letter-draft.md"), "Dear Dear friends,\n")
		_, chat := guide(t, l, message)
		if got := strings.Contains(chat, `{"name":"delete_file"`); got != want {
			t.Errorf("%s: the tool is described: %t\n%s", message, got, chat)
		}
	}
}

// A long file is edited by its lines: the call has its texts, and nothing is asked apart.
func TestALongFileIsNotWrittenApart(t *testing.T) {
	l := newLab(t, says(`{"do":"look","tool":"read_file","arguments":{"path":"long.txt"}}`,
		`{"do":"change","tool":"edit_file","arguments":{"path":"long.txt","old_text":"line 7 Helo","new_text":"line 7 Hello"}}`, isDone)...)
	text := strings.Repeat(strings.Repeat("word ", 20)+"\n", 60) + "line 7 Helo\n"
	l.write("long.txt", text)
	requests, chat := guide(t, l, "Correct the typo at the end of long.txt.")
	if got := l.read("long.txt"); got != strings.Replace(text, "Helo", "Hello", 1) || len(requests) != 3 {
		t.Errorf("%d requests:\n%s", len(requests), chat)
	}
}

// Plain talk gets no list of files; a change must be made before it is told. Tools are taken away only from who forbade
// changes: what seems to be a question only makes a reply say, before a call that changes files, that it changes
// something, and what is one by its form puts those calls last.
func TestToolsFitWhatIsAsked(t *testing.T) {
	for message, tt := range map[string]struct {
		look, change    bool
		says            string
		answer, outline bool
	}{
		"What does \"to simmer\" mean in general?":             {true, true, "files", true, false},
		"What does the greeting in README.md say?":             {true, true, "files", true, true},
		"Correct the typo in README.md.":                       {true, true, "", false, true},
		"Korrigiere den Tippfehler in README.md.":              {true, true, "", true, true},
		"How do I delete a branch in git?":                     {true, true, "files", true, false},
		"The greeting of our project, in one word.":            {true, true, "", true, true},
		"hi there, nice to meet you, how are you?":             {true, true, "files", true, false},
		"Explain the greeting in README.md.":                   {true, true, "change", true, true},
		"Which of our files say Helo? Don't change.":           {true, true, "files", true, true},
		"Which of our files say Helo? Don't change any files.": {true, false, "", true, true},
	} {
		l := newLab(t, says(doesTalk, doesTalk, doesTalk, doesTalk, doesTalk, doesTalk, doesTalk, doesTalk)...)
		requests, chat := guide(t, l, message)
		schema := string(requests[0].Format)
		for _, check := range []struct {
			what      string
			got, want bool
		}{
			{"looking", strings.Contains(schema, `"list_directory"`), tt.look},
			{"changing", strings.Contains(schema, `"write_file"`), tt.change},
			{"saying that it changes something", strings.Contains(schema, `"do":{"const":"change"}`), tt.says == "change"},
			{"changing something last", strings.Contains(schema, `"do":{"const":"files"},"tool":{"const":"write_file"}`), tt.says == "files"},
			{"an answer", strings.Contains(schema, `"answer"`), tt.answer},
			{"the outline", strings.Contains(chat, "```context outline"), tt.outline},
		} {
			if check.got != check.want {
				t.Errorf("%s: %s: %v", message, check.what, check.got)
			}
		}
	}
}

// Who asks gets an answer where the run would otherwise be stopped for making the same call again and again, and before
// that the call is not offered in the reply that follows its second time.
func TestAQuestionIsAnsweredBeforeARunIsStopped(t *testing.T) {
	const looks = `{"do":"look","tool":"list_directory","arguments":{"path":"."}}`
	l := newLab(t, says(looks, looks, `{"do":"look","tool":"find_files","arguments":{"pattern":"*.md"}}`, looks, doesTalk, "It says Helo.")...)
	requests, chat := guide(t, l, "Which files are in the folder of this project?")
	if len(requests) < 5 || !strings.Contains(chat, "It says Helo.") {
		t.Fatalf("%d requests:\n%s", len(requests), chat)
	}
	if mayCall(t, requests[2], "list_directory", `{"path":"."}`) || !mayCall(t, requests[2], "edit_file", `{"path":"README.md","old_text":"a","new_text":"b"}`) {
		t.Errorf("after the same call twice the reply may be %s", requests[2].Format)
	}
	if strings.Contains(string(requests[4].Format), `"tool"`) {
		t.Errorf("the last reply may be %s", requests[4].Format)
	}
}

// A test that fails brings what it is about. Both can be edited: that the test is right is a guess.
func TestAFailingTestBringsItsCode(t *testing.T) {
	l := newLab(t, says(doesTalk, doesTalk, doesTalk, doesTalk, doesTalk, doesTalk, doesTalk, doesTalk)...)
	l.write("sum.py", "def add(a, b):\n    return a - b\n")
	l.write("test_sum.py", "from sum import add\n\ndef test_add():\n    assert add(1, 2) == 3\n")
	requests, chat := guide(t, l, "test_add fails. Fix that.")
	if !strings.Contains(chat, "```context file sum.py") || !strings.Contains(chat, "```context file test_sum.py") {
		t.Errorf("the test and what it is about are not both there:\n%s", chat)
	}
	for _, file := range []string{"sum.py", "test_sum.py"} {
		if !mayCall(t, requests[0], "edit_file", `{"path":"`+file+`"}`) {
			t.Errorf("%s cannot be edited: %s", file, requests[0].Format)
		}
	}
}

// What is shown unasked is judged like a call of read_file: neither a rule that asks, nor one that denies, nor a tool
// that is switched off is gone around.
func TestNothingIsBroughtThatMayNotBeRead(t *testing.T) {
	for rules, brought := range map[string]bool{
		`{}`: true,
		`{"ask": [{"tool": "read_file", "paths": ["private/**"]}]}`:  false,
		`{"deny": [{"tool": "read_file", "paths": ["private/**"]}]}`: false,
		`{"ask": [{"effect": "reads"}]}`:                             false,
	} {
		l := newLab(t, says(`{"do":"change","tool":"edit_file","arguments":{"path":"private/salaries.txt"}}`, "```\nnothing\n```", "```\nnothing\n```", doesTalk, doesTalk, doesTalk, doesTalk, doesTalk, doesTalk, doesTalk)...)
		writeFile(t, filepath.Join(l.root, "private/salaries.txt"), "The salary of the canary is 42.\n")
		file := filepath.Join(t.TempDir(), "permissions.json")
		writeFile(t, file, rules)
		l.env.Policy.UseFiles(file, nil)
		requests, chat := guide(t, l, "Our list of salaries is wrong: double the salary of the canary.")
		sent := ""
		for _, r := range requests {
			for _, m := range r.Messages {
				sent += m.Text
			}
		}
		if got := strings.Contains(sent, "canary is 42"); got != brought {
			t.Errorf("%s: sent: %v\n%s", rules, got, chat)
		}
	}
}

// The call that comes of a text is one that the chat may make, under the name that its tool has here.
func TestAnApartTextIsWrittenByAToolOfTheChat(t *testing.T) {
	const written = "```\n# Title\n\nHello world\n```"
	const message = "## You\n\nCorrect the typo in README.md.\n"
	for name, c := range map[string]struct {
		chat, reply, call string
		names             map[string]string
	}{
		"an edit":        {message, editsReadme, "```tool edit_file c1\n", nil},
		"no edit_file":   {"---\ntools: [read_file, write_file]\n---\n\n" + message, `{"do":"change","tool":"write_file","arguments":{"path":"README.md"}}`, "```tool write_file c1\n", nil},
		"no write_file":  {"---\ntools: [read_file, edit_file]\n---\n\n" + message, editsReadme, "```tool edit_file c1\n", nil},
		"another name":   {message, `{"do":"change","tool":"alter","arguments":{"path":"README.md"}}`, "```tool alter c1\n", map[string]string{"edit_file": "alter"}},
		"a renamed read": {message, editsReadme, "```tool edit_file c1\n", map[string]string{"read_file": "open"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, says(c.reply, written, isDone)...)
			l.env.Tools = tools.NewSources(builtin.Tools(l.env.Workspace, builtin.Options{Shell: shelltest.New()})).Choose(func() tools.Choice { return tools.Choice{Names: c.names} })
			requests, chat := guideChat(t, l, c.chat)
			if got := l.read("README.md"); got != "# Title\n\nHello world\n" || !strings.Contains(chat, c.call) {
				t.Errorf("%q after %d requests in\n%s", got, len(requests), chat)
			}
		})
	}
}

// What a search found for a question is read before it is answered, once.
func TestWhatASearchFoundIsRead(t *testing.T) {
	l := newLab(t, says(
		`{"do":"look","tool":"search_files","arguments":{"pattern":"ebb"}}`,
		`{"do":"look","tool":"read_file","arguments":{"path":"tides/june.csv"}}`,
		doesTalk, "At six.", doesTalk, "At six.",
	)...)
	writeFile(t, filepath.Join(l.root, "tides/june.csv"), "day,ebb\n1,six\n")
	writeFile(t, filepath.Join(l.root, "tides/july.csv"), "day,ebb\n1,seven\n")
	requests, chat := guide(t, l, "When was low water here on the first of the sixth month?")
	if len(requests) < 3 {
		t.Fatalf("%d requests:\n%s", len(requests), chat)
	}
	second, third := string(requests[1].Format), string(requests[2].Format)
	if !strings.Contains(second, "tides/june.csv") || !strings.Contains(second, "tides/july.csv") || strings.Contains(second, `"answer"`) || strings.Contains(second, "search_files") {
		t.Errorf("after the search it may write %s", second)
	}
	if !strings.Contains(third, `"answer"`) || !strings.Contains(third, "README.md") {
		t.Errorf("after the reading it may write %s", third)
	}
}

// A new file is made at the path that the message names, in the folder that it names, wherever the model would put it.
func TestANewFileIsMadeWhereTheMessageSays(t *testing.T) {
	for message, want := range map[string]string{
		"Create a file named hello.txt that contains a greeting.":   "hello.txt",
		"Create hello.txt in the folder src with a greeting.":       "src/hello.txt",
		"Create docs/hello.txt with a greeting.":                    "docs/hello.txt",
		"Lege im Ordner src die Datei hello.txt mit einem Gruß an.": "src/hello.txt",
	} {
		l := newLab(t, says(`{"do":"change","tool":"write_file","arguments":{"path":"docs/hello.txt"}}`, "```\nHello\n```", isDone)...)
		for _, folder := range []string{"docs", "src"} {
			if err := os.MkdirAll(filepath.Join(l.root, folder), 0o700); err != nil {
				t.Fatal(err)
			}
			l.write(folder+"/other.txt", "x\n")
		}
		_, chat := guide(t, l, message)
		if text, err := os.ReadFile(filepath.Join(l.root, want)); err != nil || string(text) != "Hello\n" || !strings.Contains(chat, "path: "+want+"\n") {
			t.Errorf("%s: %v\n%s", message, err, chat)
		}
	}
}
