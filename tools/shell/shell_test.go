//go:build unix

package shell_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/shell/shelltest"
)

// program is the first argument of a test program that runs a command and does nothing else.
const program = "run-a-command"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == program {
		_, _ = shelltest.New().Run(context.Background(), shell.Command{Line: os.Args[2]})
		return
	}
	sandboxtest.Handle()
	shelltest.Main(m)
}

func run(t *testing.T, line string, change ...func(*shell.Command)) shell.Outcome {
	t.Helper()
	c := shell.Command{Line: line, Dir: t.TempDir()}
	for _, f := range change {
		f(&c)
	}
	o, err := shelltest.New().Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// understood makes a command one that was understood: its parts are run, and no shell reads it.
func understood(t *testing.T, c *shell.Command) {
	t.Helper()
	line, err := command.Parse(c.Line)
	if err != nil {
		t.Fatalf("%q: %v", c.Line, err)
	}
	c.Line, c.Parsed = "exit 99", &line
}

// A line that was understood ends as it would in a shell.
func TestOutcomeOfAnUnderstoodLine(t *testing.T) {
	for _, tt := range []struct {
		line, out, signal string
		status            int
	}{
		{"echo one && sh -c 'echo two >&2'", "one\ntwo\n", "", 0},
		{"sh -c 'exit 3'", "", "", 3},
		{"no-such-program-here", "assent: no-such-program-here: command not found\n", "", 127},
		{"sh -c 'kill -9 $$'", "", "killed", -1},
		{"true && sh -c 'kill -9 $$'", "", "", 137},
		{"cat", "", "", 0},
		{"cat missing 2>/dev/null | wc -l", "0\n", "", 0},
		{"echo one; sh -c 'exit 3' || echo two", "one\ntwo\n", "", 0},
		{`printf '\033[31mred\033[0m a\rb\r\n' | cat`, "red a\nb\n", "", 0},
	} {
		o := run(t, tt.line, func(c *shell.Command) { understood(t, c) })
		if o.Output.Head != tt.out || o.Status != tt.status || o.Signal != tt.signal {
			t.Errorf("%s: %+v", tt.line, o)
		}
	}
}

func within(d time.Duration) func(*shell.Command) {
	return func(c *shell.Command) { c.Timeout = d }
}

func TestOutcome(t *testing.T) {
	for _, tt := range []struct {
		line, out, signal string
		status            int
	}{
		{"echo one; echo two >&2", "one\ntwo\n", "", 0},
		{"exit 3", "", "", 3},
		{"no-such-program-here 2>/dev/null", "", "", 127},
		{"kill -9 $$", "", "killed", -1},
		{"cat", "", "", 0},
		{`printf '\033[31mred\033[0m\033]0;title\007 a\rb\r\n'`, "red a\nb\n", "", 0},
		{`printf '\033]0;never ends'`, "\x1b]0;never ends", "", 0},
		{`printf 'a\377b'`, "a\uFFFDb", "", 0},
		{"-x 2>/dev/null; echo two", "two\n", "", 0},
		{"--version 2>/dev/null", "", "", 127},
	} {
		o := run(t, tt.line)
		if o.Output.Head != tt.out || o.Status != tt.status || o.Signal != tt.signal {
			t.Errorf("%s: %+v", tt.line, o)
		}
	}
}

func TestOutputIsBounded(t *testing.T) {
	o := run(t, "seq 1 200000", func(c *shell.Command) { c.Head, c.Tail = 10, 14 })
	want := shell.Output{Head: "1\n2\n3\n4\n5\n", Tail: "199999\n200000\n", Bytes: 1288895, Omitted: 1288871, Lines: 200000 - 7}
	if diff := cmp.Diff(want, o.Output); diff != "" {
		t.Error(diff)
	}
}

func TestEndlessOutput(t *testing.T) {
	o := run(t, "yes", within(100*time.Millisecond))
	if !o.TimedOut || len(o.Output.Head) != shell.DefaultKept || len(o.Output.Tail) != shell.DefaultKept {
		t.Errorf("timed out %v, %d and %d bytes", o.TimedOut, len(o.Output.Head), len(o.Output.Tail))
	}
}

func TestEnvironment(t *testing.T) {
	o := run(t, "env; true", func(c *shell.Command) {
		c.Env = []string{"SECRET_TOKEN=canary", "HOME=/h", "LC_ALL=C", "PATH=.:bin:/bin::/usr/bin", "LD_PRELOAD=x", "BASH_ENV=x", "ENV=x", "SSH_AUTH_SOCK=x"}
	})
	got := "\n" + o.Output.Head
	for _, want := range []string{"\nHOME=/h\n", "\nLC_ALL=C\n", "\nPATH=/bin:/usr/bin\n", "\nTERM=dumb\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	for _, not := range []string{"canary", "LD_PRELOAD", "BASH_ENV", "\nENV=", "SSH_AUTH"} {
		if strings.Contains(got, not) {
			t.Errorf("%q in %s", not, got)
		}
	}
}

func TestFreshShell(t *testing.T) {
	dir := t.TempDir()
	in := func(c *shell.Command) { c.Dir = dir }
	run(t, "export X=1; cd /; alias ls=rm", in)
	if o := run(t, `echo "$X"; pwd`, in); o.Output.Head != "\n"+dir+"\n" {
		t.Errorf("got %q", o.Output.Head)
	}
}

// TestACommandGetsNothingOfItsKeeper: neither the session, which may have a terminal, nor an open file.
// Promise 4.
func TestACommandGetsNothingOfItsKeeper(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = read.Close(), write.Close() }()

	if _, err := unix.FcntlInt(write.Fd(), unix.F_SETFD, 0); err != nil { // as whoever started the program may have left it
		t.Fatal(err)
	}
	o := run(t, `[ "$(cut -d" " -f6 /proc/$$/stat)" = $$ ] && echo own session; ls -l /proc/$$/fd >files; grep -c -e "->" files`)
	if o.Output.Head != "own session\n3\n" {
		t.Errorf("got %q", o.Output.Head)
	}
}

// Each line leaves a process behind that writes its number into pid.
var leavers = map[string]string{
	"background":     `sleep 300 & echo $! > pid; %s`,
	"own session":    `setsid sh -c 'echo $$ > pid; exec sleep 300' & %s`,
	"double fork":    `(setsid sh -c '(sh -c "echo \$\$ > pid; exec sleep 300" &) ; exit' &) ; %s`,
	"quiet":          `(setsid sh -c '(sh -c "echo \$\$ > pid; exec sleep 300" &) ; exit' >/dev/null 2>&1 </dev/null &) ; %s`,
	"no environment": `(env -i setsid sh -c '(sh -c "echo \$\$ > pid; exec sleep 300" &) ; exit' >/dev/null 2>&1 &) ; %s`,
	"deaf":           `sh -c 'trap "" TERM INT HUP; echo $$ > pid; while :; do sleep 1; done' & %s`,
	"nothing kept":   `(env -i setsid sh -c 'exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-; (sh -c "echo \$\$ > pid; exec sleep 300" &)' >/dev/null 2>&1 </dev/null &) ; %s`,
	"nohup":          `nohup sh -c 'echo $$ > pid; exec sleep 300' >/dev/null 2>&1 & %s`,
}

// S16: whatever a command starts is gone when it ends, at its time-out and when it is stopped, in a shell and without
// one.
// Promise 4. Invariant 21.
func TestNothingOutlives(t *testing.T) {
	t.Parallel()
	for name, line := range leavers {
		for _, end := range []string{"time-out", "cancel", "exit", "time-out/understood", "cancel/understood", "exit/understood"} {
			t.Run(name+"/"+end, func(t *testing.T) {
				end, parsed := strings.CutSuffix(end, "/understood")
				t.Parallel()
				dir := t.TempDir()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				ready := `while ! [ -s pid ]; do sleep 0.01; done; `
				c := shell.Command{Dir: dir}
				switch end {
				case "time-out":
					c.Line, c.Timeout = strings.Replace(line, "%s", "sleep 300", 1), 2*time.Second
				case "cancel":
					c.Line = strings.Replace(line, "%s", ready+"touch ready; sleep 300", 1)
					go func() { await(ctx, filepath.Join(dir, "ready")); cancel() }()
				case "exit":
					c.Line = strings.Replace(line, "%s", ready, 1)
				}
				if parsed {
					script := filepath.Join(dir, "script")
					if err := os.WriteFile(script, []byte(c.Line), 0o600); err != nil {
						t.Fatal(err)
					}
					c.Line = "bash script && true"
					understood(t, &c)
				}
				o, err := shelltest.New().Run(ctx, c)
				if err != nil {
					t.Fatal(err)
				}
				if o.TimedOut != (end == "time-out") || o.Canceled != (end == "cancel") || (end == "exit" && o.Left == 0) {
					t.Errorf("outcome %+v", o)
				}
				if end == "time-out" && o.Took > c.Timeout+time.Second+500*time.Millisecond {
					t.Errorf("took %v", o.Took)
				}
				text, err := os.ReadFile(filepath.Join(dir, "pid"))
				if err != nil {
					t.Fatal(err)
				}
				pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
				if err != nil {
					t.Fatal(err)
				}
				if alive(pid) {
					_ = syscall.Kill(pid, syscall.SIGKILL)
					t.Error("a process outlived the command")
				}
			})
		}
	}
}

// TestADeadProgramsCommandsDie kills a program outright while its command, and what left it, run.
// Promise 4.
func TestADeadProgramsCommandsDie(t *testing.T) {
	t.Parallel()
	for name, line := range leavers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			self := exec.Command("/proc/self/exe", program, strings.Replace(line, "%s", "echo $$ > shell; sleep 300", 1)) //nolint:noctx // killed below
			self.Dir = dir
			if err := self.Start(); err != nil {
				t.Fatal(err)
			}
			pids := []int{written(t, filepath.Join(dir, "shell")), written(t, filepath.Join(dir, "pid"))}
			if err := self.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = self.Wait()
			for _, pid := range pids {
				gone(t, pid)
			}
		})
	}
}

// TestACommandThatHarmsItsKeeper ends all the same, with what it started: a daemon without an environment, too.
// Promise 4.
func TestACommandThatHarmsItsKeeper(t *testing.T) {
	t.Parallel()
	for signal, timeout := range map[string]time.Duration{"KILL": time.Minute, "TERM": time.Minute, "STOP": 3 * time.Second} {
		t.Run(signal, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			line := `setsid env -i sh -c 'echo $$ > pid; exec sleep 300' & while ! [ -s pid ]; do sleep 0.01; done; kill -` + signal + ` $PPID; sleep 300`
			o, err := shelltest.New().Run(t.Context(), shell.Command{Dir: dir, Line: line, Timeout: timeout})
			if err != nil {
				t.Fatal(err)
			}
			if o.Status == 0 || o.TimedOut != (signal == "STOP") {
				t.Errorf("outcome %+v", o)
			}
			gone(t, written(t, filepath.Join(dir, "pid")))
		})
	}
}

func TestACommandThatHarmsItsKeeperHarmsNoOtherCommand(t *testing.T) {
	dir := t.TempDir()
	other := make(chan shell.Outcome, 1)
	go func() {
		line := `setsid env -i sh -c 'while ! [ -s over ]; do sleep 0.01; done; echo well > well' & echo $$ > pid; wait; cat well`
		o, _ := shelltest.New().Run(t.Context(), shell.Command{Dir: dir, Line: line}) // an error is no output
		other <- o
	}()
	written(t, filepath.Join(dir, "pid"))
	if o := run(t, `kill -KILL $PPID; sleep 300`); o.Status == 0 {
		t.Errorf("outcome %+v", o)
	}
	if err := os.WriteFile(filepath.Join(dir, "over"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := <-other; o.Status != 0 || o.Output.Head != "well\n" {
		t.Errorf("the other command: %+v", o)
	}
}

// TestADescendantThatMovesOn is a chain of processes, each in a session of its own, each gone once it has begun the
// next.
// Promise 4.
func TestADescendantThatMovesOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	hop := filepath.Join(dir, "hop.sh")
	if err := os.WriteFile(hop, []byte("[ $1 -gt 0 ] && setsid sh "+hop+" $(($1-1)) &\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := shelltest.New().Run(t.Context(), shell.Command{Dir: dir, Line: "sh " + hop + " 20000; sleep 0.05"})
	if err != nil || o.Left == 0 || o.Alive != 0 {
		t.Errorf("outcome %+v, %v", o, err)
	}
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(lines) == 0 {
		t.Fatal("no processes to look at", err)
	}
	for _, line := range lines {
		if text, _ := os.ReadFile(line); strings.Contains(string(text), hop) {
			t.Errorf("%s is still there", line)
		}
	}
}

// written waits until a process has written its number into a file.
func written(t *testing.T, path string) int {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range 2000 {
		text, _ := os.ReadFile(path)
		if line, whole := strings.CutSuffix(string(text), "\n"); whole {
			pid, err := strconv.Atoi(line)
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
		<-tick.C
	}
	t.Fatal("no number in ", path)
	return 0
}

// gone waits until a process is dead.
func gone(t *testing.T, pid int) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range 2000 {
		if !alive(pid) {
			return
		}
		<-tick.C
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	t.Error("a process outlived its program")
}

// await returns when a file is there.
func await(ctx context.Context, path string) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if _, err := os.Stat(path); err == nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// alive says whether a process runs; one that is dead but not reaped does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func TestCanceledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if _, err := shelltest.New().Run(ctx, shell.Command{Line: "touch here", Dir: dir}); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(filepath.Join(dir, "here")); err == nil {
		t.Error("it ran")
	}
}

func TestNotStarted(t *testing.T) {
	if _, err := shelltest.New().Run(t.Context(), shell.Command{Line: "true", Dir: "/no/such/folder"}); err == nil {
		t.Error("no error")
	}
}
