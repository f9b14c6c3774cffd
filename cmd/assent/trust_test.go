package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

const hostilePrompt = "canary of another folder"

// grantEdits does what "Always allow edit_file in this workspace" does.
func (s *user) grantEdits() {
	s.t.Helper()
	state, err := userstate.OpenState("")
	if err != nil {
		s.t.Fatal(err)
	}
	ws, err := workspace.Open(s.root, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = ws.Close() }()
	p := policy.New(state)
	asked := policy.Request{Tool: "edit_file", Effect: effect.Edits, Caller: policy.Model, Target: "README.md", Workspace: ws.Key()}
	if _, err := p.Accept(p.Decide(asked).Offers[0], "ask.chat.md"); err != nil {
		s.t.Fatal(err)
	}
}

// remake removes the folder and makes it again at the same path, with the same inode where the file system gives it
// back.
func (s *user) remake() {
	s.t.Helper()
	before, err := os.Stat(s.root)
	if err != nil {
		s.t.Fatal(err)
	}
	for range 100 {
		if err := os.RemoveAll(s.root); err != nil {
			s.t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(s.root, ".assent", "prompts"), 0o700); err != nil {
			s.t.Fatal(err)
		}
		if now, err := os.Stat(s.root); err == nil && os.SameFile(before, now) {
			break
		}
	}
	for name, text := range map[string]string{"README.md": "Helo\n", ".assent/prompts/system.md": hostilePrompt} {
		if err := os.WriteFile(filepath.Join(s.root, name), []byte(text), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
}

// Promise 6. Invariant 1.
func TestTrustAndGrantsDoNotPassToAFolderMadeAgain(t *testing.T) {
	s := newUser(t, "")
	server, address := agenttest.Start(t, "turn\n"+theEdit+"\n")
	t.Setenv("OLLAMA_HOST", address.String())
	if _, notes, status := s.run("trust", "--yes", s.root); status != 0 {
		t.Fatalf("status %d: %s", status, notes)
	}
	s.grantEdits()
	s.remake()
	_, notes, status := s.run("run", "--folder", s.root, "In README.md write Hello for Helo.")
	if status != exitUnanswered || s.readme() != "Helo\n" {
		t.Errorf("the grant passed on: status %d, README.md %q\n%s", status, s.readme(), notes)
	}
	for _, request := range server.Chats() {
		if strings.Contains(string(request.Body), hostilePrompt) {
			t.Error("the trust passed on: the other folder's prompt was sent")
		}
	}
	if !strings.Contains(notes, "was trusted, but another folder is there now") {
		t.Errorf("nobody is told why the prompts are not used:\n%s", notes)
	}
	if out, _, _ := s.run("grants"); !strings.Contains(out, s.root+" (not the folder that is there now)") {
		t.Errorf("the list of grants is %q", out)
	}
}

// The home folder is no workspace: it is told so, with nothing that does not exist, and nothing is left in it.
// Promise 6.
func TestTheHomeFolderIsRefusedAndLeftAsItIs(t *testing.T) {
	s := newUser(t, "")
	home := os.Getenv("HOME")
	link := filepath.Join(t.TempDir(), "home")
	if err := os.Symlink(home, link); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{home, link, filepath.Dir(home), home + "/."} {
		_, notes, status := s.run("run", "--folder", folder, "Say hi.")
		if status == 0 || !strings.Contains(notes, "is too wide for a workspace: open a folder inside it.") {
			t.Errorf("%s: status %d: %s", folder, status, notes)
		}
	}
	found, err := os.ReadDir(home)
	if err != nil || len(found) != 0 {
		t.Errorf("left in the home folder: %v, %v", found, err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(home), ".assent")); err == nil {
		t.Error("something was left above the home folder")
	}
}

// S24 and S25 for `assent trust`: it shows what is trusted and what is not, with the text; nothing is trusted without --yes; a change
// of a file is shown as a diff; --revoke takes all of it back.
func TestTrustIsShownGivenAndTakenBack(t *testing.T) {
	s := newUser(t, "")
	theFile(s, filepath.Join(s.root, ".assent/prompts/system.md"), "Be brief.")
	theFile(s, filepath.Join(s.root, ".assent/tools/hello.json"), `{"command":["hello"]}`)
	theFile(s, filepath.Join(s.root, ".assent/tools/a_huge.json"), strings.Repeat("\x00", 64<<10+1)) // which keeps nobody from trusting the others
	rules := filepath.Join(s.root, ".assent/permissions.json")
	theFile(s, rules, "{\n\"ask\": []\n}\n")
	shows := func(wanted ...string) {
		t.Helper()
		out, notes, status := s.run("trust", s.root)
		if status != 0 {
			t.Fatalf("status %d: %s", status, notes)
		}
		if len(out) > 4<<10 {
			t.Errorf("it says %d bytes", len(out))
		}
		for _, want := range append(wanted, `a_huge.json" has more than 64 KB, which nobody reads through.`) {
			if !strings.Contains(out, want) {
				t.Errorf("it does not say %q:\n%s", want, out)
			}
		}
	}
	untrusted := []string{
		"not trusted: " + s.root, "The workspace is not trusted", "not trusted: .assent/permissions.json, which changes what is allowed",
		`+"ask": []`, "not trusted: .assent/tools/hello.json, which starts a program", `+{"command":["hello"]}`,
	}
	shows(untrusted...)
	shows(untrusted...) // showing gave nothing
	if _, notes, status := s.run("trust", "--yes", s.root); status != 0 {
		t.Fatal(notes)
	}
	shows("trusted: "+s.root, "\ntrusted: .assent/permissions.json", "\ntrusted: .assent/tools/hello.json")
	theFile(s, rules, "{\n\"ask\": [{\"tool\":\"*\"}]\n}\n")
	shows("not trusted: .assent/permissions.json", "changed since you trusted it", `-"ask": []`, `+"ask": [{"tool":"*"}]`, "\ntrusted: .assent/tools/hello.json")
	if err := os.Remove(filepath.Join(s.root, ".assent/tools/hello.json")); err != nil {
		t.Fatal(err)
	}
	shows("trusted, but not there any more: .assent/tools/hello.json")
	if _, notes, status := s.run("trust", "--revoke", s.root); status != 0 {
		t.Fatal(notes)
	}
	shows("not trusted: "+s.root, "not trusted: .assent/permissions.json, which changes what is allowed. Nothing in")
	if _, _, status := s.run("trust", "--yes", "--revoke", s.root); status == 0 {
		t.Error("both at once is taken")
	}
	for flag, trusted := range map[string]string{"--yes": "true", "--revoke": "false"} { // each is listed once, as it is in the end
		out, notes, status := s.run("trust", flag, "--json", s.root)
		const file = `"name":".assent/permissions.json"`
		if status != 0 || strings.Count(out, file) != 1 || !strings.Contains(out, file+`,"trusted":`+trusted) {
			t.Errorf("%s: status %d: %s%s", flag, status, out, notes)
		}
	}
}
