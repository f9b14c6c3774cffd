//go:build linux

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assent-ls/assent/lsp/journal"
	"github.com/assent-ls/assent/lsp/lsptest"
)

// theDaemon leaves a process behind that nothing but its ancestry ties to the command, and works on.
const theDaemon = `turn
json {"tool":"run_command","arguments":{"command":"(env -i setsid sh -c '(sh -c \"echo \\$\\$ > daemon.pid; exec sleep 300\" &)' >/dev/null 2>&1 </dev/null &); echo $$ > shell.pid; sleep 300"}}
turn
json {"answer":"Done."}
`

// begin starts this program as a process in the folder, and has it killed when the test is over.
func (s *user) begin(args ...string) *exec.Cmd {
	s.t.Helper()
	cmd := exec.Command("/proc/self/exe", s.with(args)...) //nolint:noctx,gosec // the test itself, killed below
	cmd.Dir = s.root
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP) // what a process ignores, as under nohup, the ones that it starts ignore too
	s.t.Cleanup(func() {
		signal.Stop(hangups)
		if cmd.Process != nil {
			_ = cmd.Process.Kill()
		}
	})
	return cmd
}

// pids waits until the command of theDaemon runs, and returns its processes.
func (s *user) pids() []int {
	s.t.Helper()
	var pids []int
	for _, name := range []string{"daemon.pid", "shell.pid"} {
		var line string
		s.until(name+" is written", func() (whole bool) {
			raw, _ := os.ReadFile(s.written(name))
			line, whole = strings.CutSuffix(string(raw), "\n")
			return whole
		})
		pid := s.outsideNumber(line)
		s.t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
		pids = append(pids, pid)
	}
	return pids
}

// written is where a command that runs writes a file of the folder: in its view of it, if it has one.
func (s *user) written(name string) string {
	s.t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		s.t.Fatal(err)
	}
	if found, _ := filepath.Glob(filepath.Join(cache, "assent/sandbox/running/*/upper", name)); len(found) == 1 { // the pattern is good
		return found[0]
	}
	return filepath.Join(s.root, name)
}

// outsideNumber finds the number that a process of a command in the folder has outside of its sandbox; number is its
// own.
func (s *user) outsideNumber(number string) int {
	s.t.Helper()
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, folder := range folders {
		status, _ := os.ReadFile(filepath.Join(folder, "status"))
		_, numbers, _ := strings.Cut(string(status), "\nNSpid:")
		numbers, _, _ = strings.Cut(numbers, "\n")
		at, _ := os.Readlink(filepath.Join(folder, "cwd"))
		if fields := strings.Fields(numbers); len(fields) == 0 || fields[len(fields)-1] != number || at != s.root {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(folder))
		if err != nil {
			s.t.Fatal(err)
		}
		return pid
	}
	s.t.Fatalf("there is no process %s in %s", number, s.root)
	return 0
}

// until waits for what must come.
func (s *user) until(what string, is func() bool) {
	s.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range 4000 {
		if is() {
			return
		}
		<-tick.C
	}
	s.t.Fatal("it never came that " + what)
}

// dead says whether a process is gone, or waits only for its parent to take note.
func dead(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(stat), ") Z ")
}

func (s *user) allDead(pids []int) {
	s.t.Helper()
	for _, pid := range pids {
		s.until("process "+strconv.Itoa(pid)+" ends", func() bool { return dead(pid) })
	}
}

// TestASignalStopsARunAndItsCommand: a terminal that is closed stops a run as Stop does, and the chat says so.
// Promise 4. Invariant 21.
func TestASignalStopsARunAndItsCommand(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			s := newUser(t, theDaemon)
			cmd := s.begin("run", "--approve", "run_command", "Run it.")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			pids := s.pids()
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if status := cmd.ProcessState.ExitCode(); status != exitStopped {
				t.Errorf("status %d", status)
			}
			for _, pid := range pids {
				if !dead(pid) {
					t.Errorf("process %d outlived the run", pid)
				}
			}
			if _, text := s.chat(); !strings.Contains(text, "[Stopped by the user, with everything it had started.]") || !strings.HasSuffix(text, "\n## You\n\n") {
				t.Errorf("the chat does not say that it was stopped:\n%s", text)
			}
		})
	}
}

// TestNohupGoesOn: who asked for hangups to be ignored gets that.
func TestNohupGoesOn(t *testing.T) {
	s := newUser(t, "turn\npause 300ms\njson {\"answer\":\"Hi.\"}\n")
	cmd := exec.Command("nohup", "/proc/"+strconv.Itoa(os.Getpid())+"/exe", "run", "Say hi.") //nolint:noctx,gosec // the test itself
	cmd.Dir = s.root
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.until("the run begins", func() bool {
		found, _ := filepath.Glob(filepath.Join(s.root, ".assent", "chats", "*.chat.md"))
		return len(found) == 1
	})
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if _, text := s.chat(); !strings.Contains(text, "Hi.") {
		t.Errorf("the run did not go on:\n%s", text)
	}
}

// TestAKilledProgramsCommandsDie: nothing of a command goes on when the program is killed outright.
// Promise 4. Invariant 21.
func TestAKilledProgramsCommandsDie(t *testing.T) {
	s := newUser(t, theDaemon)
	cmd := s.begin("run", "--approve", "run_command", "Run it.")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pids := s.pids()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	s.allDead(pids)
}

// TestACallThatWasBegunIsKnownByEveryNameOfItsChat: whoever takes it up by another path is told that it may have had
// effects.
func TestACallThatWasBegunIsKnownByEveryNameOfItsChat(t *testing.T) {
	for name, rename := range map[string]func(string) (string, error){
		"link":       func(path string) (string, error) { return path + ".l.chat.md", os.Symlink(path, path+".l.chat.md") },
		"hard link":  func(path string) (string, error) { return path + ".h.chat.md", os.Link(path, path+".h.chat.md") },
		"other name": func(path string) (string, error) { return path + ".o.chat.md", os.Rename(path, path+".o.chat.md") },
		"saved as a new": func(path string) (string, error) {
			return path, errors.Join(copied(path, path+"~"), os.Rename(path+"~", path))
		},
		"link to folder": func(path string) (string, error) {
			folder := t.TempDir() + "/l"
			return filepath.Join(folder, filepath.Base(path)), os.Symlink(filepath.Dir(path), folder)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newUser(t, theDaemon)
			cmd := s.begin("run", "--approve", "run_command", "Run it.")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			s.pids()
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			path, _ := s.chat()
			path, err := rename(path)
			if err != nil {
				t.Fatal(err)
			}
			p := s.sitDown(nil, "send", "--folder", s.root, path)
			p.sees("This call was begun before and did not come to its end")
			p.sees(lastChoice)
			p.types("n\n")
			p.leaves()
		})
	}
}

func copied(from, to string) error {
	text, err := os.ReadFile(from)
	return errors.Join(err, os.WriteFile(to, text, 0o600))
}

// TestAKeeperIsNotStartedByHand: it would look like a way to run commands.
func TestAKeeperIsNotStartedByHand(t *testing.T) {
	s := newUser(t, "")
	cmd := s.begin()
	cmd.Args = []string{cmd.Path, keepWord, "/bin/sh", "-c", "echo ran"}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "started by Assent itself") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestASignalStopsTheServerAndItsCommand: the same with an editor, which may be killed with its terminal.
// Promise 4.
func TestASignalStopsTheServerAndItsCommand(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) {
			s := newUser(t, theDaemon)
			cmd := s.begin("serve")
			if err := os.WriteFile(filepath.Join(s.root, "ask.chat.md"), []byte("## You\n\nRun it.\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			env := lsptest.NewEnv(t, serveAs(t, cmd), s.root, lsptest.Options{})
			env.Open("ask.chat.md")
			if err := env.Do("ask.chat.md", "Run it", "Send"); err != nil {
				t.Fatal(err)
			}
			env.WaitFor("the question", func() bool { return len(env.Diagnostics("ask.chat.md")) > 0 })
			if err := env.Do("ask.chat.md", "run_command", "Approve once"); err != nil {
				t.Fatal(err)
			}
			pids := s.pids()
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			s.allDead(pids)
			env.Die()
			// The document may be gone with the editor; the journal holds what Restore reply brings back.
			replies, err := journal.Replies(filepath.Join(os.Getenv("XDG_STATE_HOME"), "assent", "journals"), filepath.Join(s.root, "ask.chat.md"))
			if err != nil || len(replies) != 1 {
				t.Fatalf("kept are %+v, %v", replies, err)
			}
			stopped := strings.Contains(replies[0].Text, "[Stopped by the user, with everything it had started.]")
			if stopped != (signal != syscall.SIGKILL) {
				t.Errorf("that it was stopped is kept: %v\n%s", stopped, replies[0].Text)
			}
		})
	}
}

// serveAs is a server that is a process of its own.
func serveAs(t *testing.T, cmd *exec.Cmd) lsptest.Serve {
	t.Helper()
	return func(_ context.Context, stream io.ReadWriteCloser) int {
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Error(err)
			return 2
		}
		cmd.Stdout = stream
		if err := cmd.Start(); err != nil {
			t.Error(err)
			return 2
		}
		go func() {
			_, _ = io.Copy(in, stream)
			_ = in.Close()
			_, _ = io.Copy(io.Discard, stream) // what the editor says to a server that is gone
		}()
		_ = cmd.Wait()
		return 1
	}
}
