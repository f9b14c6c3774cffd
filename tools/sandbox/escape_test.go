//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
)

// TestNothingOutsideIsReached (S14, S21): a command finds no secret of the user or the machine, and changes nothing outside the workspace.
func TestNothingOutsideIsReached(t *testing.T) {
	const secret = "canary-of-the-user"
	outside := t.TempDir()
	for name, text := range map[string]string{"secret": secret, "sub/file": secret} {
		path := filepath.Join(outside, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("ASSENT_TEST_SECRET", secret)
	self := strconv.Itoa(os.Getpid())
	attempts := []string{
		"cat OUT/secret", "cat /proc/self/root/OUT/secret", "cat /proc/1/root/OUT/secret", "cat /proc/PPID/root/OUT/secret", "cat /proc/$PPID/root/OUT/secret",
		"cat /proc/self/cwd/../../../../OUT/secret", "ln -s OUT up; cat up/secret", "ln -s OUT/secret l; cat l", "ln OUT/secret h; cat h", "cp -r OUT o; cat o/secret",
		"cat /proc/PPID/environ", "cat /proc/*/environ", "strings /proc/1/environ", "cat /proc/1/mem", "grep -rs canary-of-the-user /proc/1 /tmp /root /home /var /run /mnt",
		"cat /proc/1/cwd/../secret", "ls -lL /proc/1/fd/ ; cat /proc/1/fd/*  2>&1 & sleep 0.2; kill %1", "find / -name secret -path '*OUT*' -exec cat {} +", "mount --bind OUT /mnt; cat /mnt/secret",
		"unshare -Ur cat OUT/secret", "unshare -Urm mount --bind / /tmp", "nsenter -t 1 -m cat OUT/secret", "nsenter -t PPID -m cat OUT/secret", "chroot /proc/1/root cat OUT/secret",
		"for i in $(seq 3 1000); do cat <&$i; done 2>/dev/null", "for p in /proc/[0-9]*; do cat $p/root/OUT/secret; done", "env; export", "cat .env sub/deep/id_rsa",
		"cat /proc/self/root$PWD/.env", "ln -s .env e; cat e", "cd sub; cat ../.env", "cp .env x; cat x", "tar -cf - . | strings", "git hash-object -w .env; git diff --no-index /dev/null .env",
		"python3 -c 'import os; print(open(os.open(\".env\", os.O_RDONLY)).read())'", "python3 -c 'print(open(\"/proc/PPID/environ\").read())'",
		"gdb -batch -p 1 -ex 'info proc' 2>&1", "strace -p 1 2>&1 & sleep 0.1; kill %1", "cat /etc/shadow", "cat /dev/vda | head -c 100", "cat /dev/mem /dev/kmsg", "dmesg", "cat /proc/kcore | head -c 100", "cat /proc/keys",
		"keyctl show", "debugfs -R 'cat OUT/secret' /dev/vda", "mknod b b 254 0; cat b | head -c 10", "mknod c c 1 1; cat c | head -c 10", "ls /sys/kernel",
		"echo x >OUT/new", "echo x >>OUT/secret", "rm -rf OUT", "touch /proc/self/root/OUT/new", "mv main.go OUT/", "ln main.go OUT/hard", "ln -s OUT d; echo x >d/new; mkdir d/dir; rm -r d/sub; mv d/secret d/moved",
		"python3 -c 'import os; os.chdir(\"OUT\"); open(\"new\",\"w\")'", "echo x >/etc/assent-escape", "echo x >/usr/assent-escape", "echo x >/assent-escape", "mkdir /assent-escape", "echo 1 >/proc/sys/kernel/randomize_va_space",
		"echo '|/bin/sh' >/proc/sys/kernel/core_pattern", "echo b >/proc/sysrq-trigger.no", "mount -o remount,rw /usr", "mount -o remount,rw,bind .git; touch .git/x", "umount -l .git; touch .git/x", "umount .env; cat .env",
		"chmod -R 777 /etc", "echo x >$HOME/.bashrc; cat OUT/secret", "kill -9 PPID", "kill -9 -1", "kill -TERM 1", "ls /run/user /var/run/docker.sock /run/docker.sock /run/systemd",
	}
	t.Cleanup(func() { _, _ = os.Remove("/etc/assent-escape"), os.Remove("/usr/assent-escape") })
	eachKind(t, func(t *testing.T, b box) {
		before := tree(t, outside)
		pattern, _ := os.ReadFile("/proc/sys/kernel/core_pattern")
		for _, script := range attempts {
			script = strings.NewReplacer("PPID", self, "$"+self, "$PPID", "OUT", outside).Replace(script)
			out, _ := b.run("/usr/bin/timeout", "5", "/bin/bash", "-c", script)
			if strings.Contains(out, secret) || strings.Contains(out, "canary-of-the-workspace") || strings.Contains(out, "root:$") {
				t.Errorf("%s read a secret: %.300s", script, out)
			}
			if diff := cmp.Diff(before, tree(t, outside)); diff != "" {
				t.Fatalf("%s changed what lies outside: %s", script, diff)
			}
		}
		for _, path := range []string{"/etc/assent-escape", "/usr/assent-escape", "/assent-escape"} {
			if _, err := os.Lstat(path); err == nil {
				t.Errorf("%s was made", path)
			}
		}
		if now, _ := os.ReadFile("/proc/sys/kernel/core_pattern"); string(now) != string(pattern) {
			t.Errorf("the kernel's settings were changed: %s", now)
		}
		t.Logf("%d attempts", len(attempts))
	})
}

// TestNoNetwork (S14, E6): TCP, UDP, sockets with a file and without one, and the kinds that a network namespace does not cover.
func TestNoNetwork(t *testing.T) {
	outside := t.TempDir()
	tcp, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // closed below
	if err != nil {
		t.Fatal(err)
	}
	udp, err := net.ListenPacket("udp", "127.0.0.1:0") //nolint:noctx // closed below
	if err != nil {
		t.Fatal(err)
	}
	abstract := fmt.Sprintf("assent-test-%d", os.Getpid())
	reached := make(chan string, 100)
	accept := func(l net.Listener) {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			reached <- l.Addr().String()
			_ = c.Close()
		}
	}
	go accept(tcp)
	go func() {
		for {
			if _, from, err := udp.ReadFrom(make([]byte, 10)); err != nil {
				return
			} else {
				reached <- "udp from " + from.String()
			}
		}
	}()
	eachKind(t, func(t *testing.T, b box) {
		var sockets []net.Listener
		for _, at := range []string{filepath.Join(outside, "s"), filepath.Join(b.root, "s"), filepath.Join(b.root, "sub/deep/s"), "@" + abstract} {
			l, err := net.Listen("unix", at) //nolint:noctx // closed below
			if err != nil {
				t.Fatal(err)
			}
			sockets = append(sockets, l)
			go accept(l)
		}
		_, port, _ := net.SplitHostPort(tcp.Addr().String())
		_, udpPort, _ := net.SplitHostPort(udp.LocalAddr().String())
		python := "import socket,os\ns=socket.socket(socket.%s,socket.%s)\ns.connect(%s)\ns.send(b'x')\nprint('REACHED')"
		scripts := []string{
			"echo x >/dev/tcp/127.0.0.1/" + port + " && echo REACHED", "echo x >/dev/udp/127.0.0.1/" + udpPort + " && echo SENT",
			"curl -sS http://127.0.0.1:" + port, "curl -sS --max-time 3 http://1.1.1.1", "getent hosts example.org && echo REACHED", "ping -c1 -W1 1.1.1.1 && echo REACHED",
		}
		for _, args := range [][3]string{
			{"AF_INET", "SOCK_STREAM", "('127.0.0.1'," + port + ")"},
			{"AF_INET6", "SOCK_STREAM", "('::ffff:127.0.0.1'," + port + ")"},
			{"AF_INET", "SOCK_STREAM", "('192.0.2.1',80)"},
			{"AF_INET", "SOCK_DGRAM", "('192.0.2.1',53)"},
			{"AF_UNIX", "SOCK_STREAM", "'" + outside + "/s'"},
			{"AF_UNIX", "SOCK_STREAM", "'" + b.root + "/s'"},
			{"AF_UNIX", "SOCK_STREAM", "'sub/deep/s'"},
			{"AF_UNIX", "SOCK_STREAM", "'/proc/self/root" + b.root + "/s'"},
			{"AF_UNIX", "SOCK_STREAM", `'\0` + abstract + "'"},
			{"AF_UNIX", "SOCK_STREAM", "'/var/run/docker.sock'"},
			{"AF_UNIX", "SOCK_STREAM", "'/run/dbus/system_bus_socket'"},
			{"AF_VSOCK", "SOCK_STREAM", "(2,1024)"},
			{"AF_PACKET", "SOCK_RAW", "('lo',0)"},
			{"AF_INET", "SOCK_RAW", "('127.0.0.1',0)"},
		} {
			scripts = append(scripts, "python3 -c \""+fmt.Sprintf(python, args[0], args[1], args[2])+"\"")
		}
		for _, script := range scripts {
			if out, _ := b.run("/usr/bin/timeout", "5", "/bin/bash", "-c", script); strings.Contains(out, "REACHED") {
				t.Errorf("%s: %s", script, out)
			}
		}
		for _, l := range sockets {
			_ = l.Close()
		}
		select {
		case what := <-reached:
			t.Errorf("%s was reached", what)
		default:
		}
		// Its own network works: tests of servers need it.
		out, _ := b.sh(`python3 -c "
import socket
for family, at in ((socket.AF_INET, ('127.0.0.1', 0)), (socket.AF_UNIX, '/dev/shm/own')):
    l = socket.socket(family); l.bind(at); l.listen()
    c = socket.socket(family); c.connect(l.getsockname())
print('own network')"`)
		if out != "own network\n" {
			t.Error(out)
		}
		t.Logf("%d attempts", len(scripts))
	})
	_, _ = tcp.Close(), udp.Close()
}

// TestFilter: calls around the sandbox fail, each with the error that programs understand.
func TestFilter(t *testing.T) {
	eachKind(t, func(t *testing.T, b box) {
		python := `import ctypes,os
l = ctypes.CDLL(None, use_errno=True)
def call(*a):
    r = l.syscall(*a)
    return os.strerror(ctypes.get_errno()) if r < 0 else 'worked'
`
		for code, want := range map[string]string{
			"call(425, 8, ctypes.create_string_buffer(200))":        "Function not implemented", // io_uring_setup
			"call(272, 0x10000000)":                                 "Operation not permitted",  // unshare(CLONE_NEWUSER)
			"call(272, 0x20000)":                                    "Operation not permitted",  // unshare(CLONE_NEWNS)
			"call(56, 0x10000000 | 17, 0, 0, 0, 0)":                 "Operation not permitted",  // clone
			"call(435, 0, 0)":                                       "Function not implemented", // clone3
			"call(308, 0, 0)":                                       "Operation not permitted",  // setns
			"call(165, b'tmpfs', b'/tmp', b'tmpfs', 0, 0)":          "Operation not permitted",  // mount
			"call(442, 0, 0, 0, 0, 0)":                              "Operation not permitted",  // mount_setattr
			"call(298, 0, 0, 0, 0, 0)":                              "Operation not permitted",  // perf_event_open
			"call(321, 0, 0, 0)":                                    "Operation not permitted",  // bpf
			"call(250, 0, 0)":                                       "Operation not permitted",  // keyctl
			"call(437, -100, b'.envrc', 0, 24)":                     "Function not implemented", // openat2
			"call(16, 0, 0x5412, b'x')":                             "Operation not permitted",  // ioctl(TIOCSTI)
			"call(257, -100, b'.', 0o20200001, 0o600)":              "Operation not supported",  // openat(O_TMPFILE)
			"call(0x40000000 | 257, -100, b'.envrc', 0o101, 0o600)": "Function not implemented", // x32
			"call(161, b'/proc/1/root')":                            "Operation not permitted",  // chroot
			"call(101, 16, 1, 0, 0)":                                "Operation not permitted",  // ptrace(ATTACH, 1)
			"call(85, b'.envrc', 0o600)":                            "Read-only file system",    // creat
			"call(83, b'.idea', 0o700)":                             "Read-only file system",    // mkdir
			"call(82, b'main.go', b'.envrc')":                       "Read-only file system",    // rename
			"call(133, b'.envrc', 0o100600, 0)":                     "Read-only file system",    // mknod
			"call(133, b'device', 0o20600, 0x103)":                  "Operation not permitted",  // mknod of a device
			"call(316, -100, b'main.go', -100, b'.envrc', 4)":       "Operation not permitted",  // renameat2(WHITEOUT)
			"call(2, b'x' * 5000, 0o101, 0o600)":                    "File name too long",
			"call(2, 1, 0o101, 0o600)":                              "Bad address",
			"call(83, b'', 0o700)":                                  "No such file or directory",
			"call(83, b'main.go/x', 0o700)":                         "Not a directory",
			"call(83, b'sub', 0o700)":                               "File exists",
			"call(84, b'sub')":                                      "Directory not empty",
			"call(87, b'sub')":                                      "Is a directory",
			"call(87, b'nothing')":                                  "No such file or directory",
			"call(2, b'main.go', 0o301, 0o600)":                     "File exists", // O_CREAT | O_EXCL
			"call(2, b'sub', 0o101, 0o600)":                         "Is a directory",
			"call(83, b'made/', 0o700)":                             "worked",
		} {
			script := python + "print(" + code + ")"
			if out, _ := b.run("/usr/bin/python3", "-c", script); out != want+"\n" {
				t.Errorf("%s: %s, want %s", code, out, want)
			}
		}
	})
}

// TestAConcurrentSwap: while the broker looks at a path, other threads change it and what it leads through.
func TestAConcurrentSwap(t *testing.T) {
	const python = `
import ctypes, os, threading, time
l = ctypes.CDLL(None)
path = ctypes.create_string_buffer(b'plain/xenvrc', 64)
os.makedirs('plain', exist_ok=True)
os.makedirs('real', exist_ok=True)
stop = time.time() + 3
def swap_text():
    while time.time() < stop:
        path.value = b'plain/.envrc'
        path.value = b'plain/xenvrc'
def swap_link():
    while time.time() < stop:
        try:
            os.symlink('.', 'way'); os.unlink('way'); os.symlink('.git', 'way'); os.unlink('way')
        except OSError: pass
def move():
    while time.time() < stop:
        for a, b in (('real', '.github'), ('real', 'github'), ('github', 'real')):
            try: os.rename(a, b)
            except OSError: pass
def make():
    while time.time() < stop:
        l.creat(path, 0o600); l.mkdir(path, 0o700); l.rename(path, b'plain/.envrc2')
        l.unlink(path); l.rmdir(path)
        for name in (b'way/hooks/post-checkout', b'way/.envrc', b'real/workflows', b'github/workflows'):
            l.creat(name, 0o600); l.mkdir(name, 0o700); l.link(b'main.go', name); l.symlink(b'main.go', name); l.rename(b'plain', name); l.rename(name, b'plain')
threads = [threading.Thread(target=f) for f in (swap_text, swap_link, move, make, make, make)]
[t.start() for t in threads]
[t.join() for t in threads]
`
	eachKind(t, func(t *testing.T, b box) {
		out, status := b.run("/usr/bin/python3", "-c", python)
		if status != 0 {
			t.Fatal(out)
		}
		for path := range tree(t, b.root) {
			if strings.HasSuffix(path, ".envrc") || strings.Contains(path, "post-checkout") || strings.Contains(path, ".github/workflows") {
				t.Errorf("%s was made", path)
			}
		}
	})
}

// TestInheritedFilesAreClosed: files that whoever started the command left open are not the command's.
func TestInheritedFilesAreClosed(t *testing.T) {
	eachKind(t, func(t *testing.T, b box) {
		dir, err := os.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close() //nolint:errcheck // only open
		cmd, done := b.command(t.Context(), "/bin/bash", "-c", "ls -l /proc/$$/fd >/tmp/files; grep -c -e '->' /tmp/files; cd /proc/self/fd/3 && touch escaped")
		defer done()
		cmd.ExtraFiles = []*os.File{dir}
		out, _ := cmd.Output()
		if string(out) != "3\n" {
			t.Errorf("%s", out)
		}
		if _, err := os.Stat(filepath.Join(dir.Name(), "escaped")); err == nil {
			t.Error("a file was made by an inherited folder")
		}
	})
}

// TestNothingOutlivesTheSandbox (S16): when the process that made the sandbox is killed, all in it is gone within a second.
func TestNothingOutlivesTheSandbox(t *testing.T) {
	eachKind(t, func(t *testing.T, b box) {
		mark := fmt.Sprintf("%d.%d", os.Getpid(), time.Now().UnixNano()%1e6)
		cmd, done := b.command(t.Context(), "/bin/bash", "-c",
			"setsid sleep 1000."+mark+" & (setsid bash -c 'nohup sleep 2000."+mark+" & ' & ) ; echo ready; trap '' TERM INT HUP; while :; do sleep 1; done")
		defer done()
		before := tree(t, b.root)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, 6)); err != nil {
			t.Fatal(err)
		}
		await(t, "there are no three processes", func() bool { return running(mark) >= 3 })
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		await(t, "processes outlive their sandbox", func() bool { return running(mark) == 0 })
		if diff := cmp.Diff(before, tree(t, b.root)); diff != "" {
			t.Errorf("something is left in the workspace: %s", diff)
		}
	})
}

// await waits until something is so, for as long as a busy machine may take.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// running counts the processes whose command line has a mark.
func running(mark string) int {
	n := 0
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, line := range lines {
		if text, _ := os.ReadFile(line); strings.Contains(string(text), mark) {
			n++
		}
	}
	return n
}

// TestLimits (fault row 27): a file that grows without end, and a fork bomb.
func TestLimits(t *testing.T) {
	eachKind(t, func(t *testing.T, b box) {
		out, status := b.sh("ulimit -f; ulimit -c; truncate -s 3G big; echo $?; rm -f big")
		if want := "2097152\n0\n"; !strings.HasPrefix(out, want) || strings.HasSuffix(out, "\n0\n") {
			t.Errorf("status %d: %s", status, out)
		}
		// No real fork bomb: if nothing stops it, it ends at 3,000 processes.
		out, status = b.sh("for i in $(seq 3000); do sleep 20 & done; echo ALL; wait")
		if status != 128+9 || !strings.Contains(out, "more than 1024 processes") || sandbox.Blocked(out, status) == "" {
			t.Errorf("status %d: %s", status, out)
		}
	})
}

// TestWithoutIt (S15): each part that is missing leaves a state that says so, and nothing is wrapped.
func TestWithoutIt(t *testing.T) {
	for name, hide := range map[string][]string{
		"no bubblewrap, no namespaces": {"ASSENT_SANDBOX_NO_BUBBLEWRAP", "ASSENT_SANDBOX_NO_NAMESPACES"},
		"no Landlock":                  {"ASSENT_SANDBOX_NO_LANDLOCK"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, variable := range hide {
				t.Setenv(variable, "1")
			}
			unproven(t, newBox(t))
		})
	}
	t.Run("off", func(t *testing.T) { unproven(t, newBox(t, func(o *sandbox.Options) { o.Off = true })) })
	t.Run("no helper", func(t *testing.T) {
		t.Setenv("ASSENT_SANDBOX_NO_BUBBLEWRAP", "1")
		unproven(t, newBox(t, func(o *sandbox.Options) { o.Helper = []string{"-test.run=^$"} }))
	})
	t.Run("no user namespaces", func(t *testing.T) {
		if os.Getenv("ASSENT_TEST_DENIED") != "" {
			unproven(t, newBox(t))
			return
		}
		// The kernel itself refuses them: the limit is set in a namespace made for that.
		cmd := exec.CommandContext(t.Context(), "unshare", "-Ur", "/bin/sh", "-c",
			"echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --bounding-set -all --inh-caps -all /proc/self/exe.real \"$@\"", "sh", "-test.run=TestWithoutIt/no_user_namespaces", "-test.v")
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Args[4] = strings.Replace(cmd.Args[4], "/proc/self/exe.real", self, 1)
		cmd.Env = append(os.Environ(), "ASSENT_TEST_DENIED=1")
		out, err := cmd.CombinedOutput()
		if err != nil && strings.Contains(string(out), "unshare failed") {
			t.Skipf("NOT TESTED: no namespace to deny them in: %s", out)
		}
		if err != nil || !strings.Contains(string(out), "--- PASS: TestWithoutIt/no_user_namespaces") {
			t.Errorf("%v: %s", err, out)
		}
	})
}

func unproven(t *testing.T, b box) {
	t.Helper()
	state := b.s.State(t.Context())
	if state.Proven || state.Kind != "" || !strings.HasPrefix(state.Sentence, "Commands are not confined") {
		t.Errorf("%+v", state)
	}
	if _, err := b.s.Wrap(t.Context(), []string{"/bin/true"}, nil, b.root); err == nil {
		t.Error("a command was wrapped")
	}
	_ = sandboxtest.Helper()
}
