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
	"golang.org/x/sys/unix"

	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
)

// TestNothingOutsideIsReached (S14, S21): a command finds no secret of the user or the machine, and changes nothing
// outside the workspace.
// Promise 4. Invariant 24.
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
		for i, script := range attempts {
			if testing.Short() && i%4 != 0 { // each takes a sandbox: make test tries all
				continue
			}
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

// TestNoNetwork (S14, E6): TCP, UDP, sockets with a file and without one, and the kinds that a network namespace does
// not cover.
// Promise 4. Invariant 24.
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
// Promise 4.
func TestFilter(t *testing.T) {
	eachKind(t, func(t *testing.T, b box) {
		python := `import ctypes,os
l = ctypes.CDLL(None, use_errno=True)
def call(*a):
    r = l.syscall(*a)
    return os.strerror(ctypes.get_errno()) if r < 0 else 'worked'
`
		for code, want := range map[string]string{
			"call(425, 8, ctypes.create_string_buffer(200))":              "Function not implemented", // io_uring_setup
			"call(272, 0x10000000)":                                       "Operation not permitted",  // unshare(CLONE_NEWUSER)
			"call(272, 0x20000)":                                          "Operation not permitted",  // unshare(CLONE_NEWNS)
			"call(56, 0x10000000 | 17, 0, 0, 0, 0)":                       "Operation not permitted",  // clone
			"call(435, 0, 0)":                                             "Function not implemented", // clone3
			"call(308, 0, 0)":                                             "Operation not permitted",  // setns
			"call(165, b'tmpfs', b'/tmp', b'tmpfs', 0, 0)":                "Operation not permitted",  // mount
			"call(442, 0, 0, 0, 0, 0)":                                    "Operation not permitted",  // mount_setattr
			"call(298, 0, 0, 0, 0, 0)":                                    "Operation not permitted",  // perf_event_open
			"call(321, 0, 0, 0)":                                          "Operation not permitted",  // bpf
			"call(250, 0, 0)":                                             "Operation not permitted",  // keyctl
			"call(16, 0, 0x5412, b'x')":                                   "Operation not permitted",  // ioctl(TIOCSTI)
			"call(161, b'/proc/1/root')":                                  "Operation not permitted",  // chroot
			"call(101, 16, 1, 0, 0)":                                      "Operation not permitted",  // ptrace(ATTACH, 1)
			"call(133, b'device', 0o20600, 0x103)":                        "Operation not permitted",  // mknod of a device
			"call(133, b'nothing', 0o20600, 0)":                           "Operation not permitted",  // mknod of what stands for nothing in a layer
			"call(316, -100, b'main.go', -100, b'x', 4)":                  "Invalid argument",         // renameat2(WHITEOUT)
			"call(188, b'main.go', b'trusted.overlay.x', b'y', 1, 0)":     "Operation not permitted",  // setxattr
			"call(188, b'main.go', b'user.overlay.redirect', b'y', 1, 0)": "worked",                   // setxattr: it has another name in the layer
		} {
			script := python + "print(" + code + ")"
			if out, _ := b.run("/usr/bin/python3", "-c", script); out != want+"\n" {
				t.Errorf("%s: %s, want %s", code, out, want)
			}
		}
	})
}

// TestInheritedFilesAreClosed: files that whoever started the command left open are not the command's.
// Promise 4.
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

// TestNothingOutlivesTheSandbox (S16): when the process that made the sandbox is killed, all in it is gone within a
// second.
// Promise 4.
func TestNothingOutlivesTheSandbox(t *testing.T) {
	eachKind(t, func(t *testing.T, b box) {
		mark := fmt.Sprintf("%d%d", os.Getpid(), time.Now().UnixNano()%1e6) // the part of a number behind its point
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

// TestWithoutIt (S15): each part that is missing leaves a state that says so, and nothing is wrapped.
// Promise 4. Invariant 24.
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
	t.Run("something mounted in it", func(t *testing.T) {
		b := newBox(t)
		at := filepath.Join(b.root, "node modules")
		must(t, os.Mkdir(at, 0o700))
		if err := unix.Mount("tmpfs", at, "tmpfs", 0, ""); err != nil {
			t.Skipf("NOT TESTED: only root can mount: %v", err)
		}
		t.Cleanup(func() { must(t, unix.Unmount(at, 0)) })
		unproven(t, b)
		if said := b.s.State(t.Context()).Sentence; !strings.Contains(said, `node modules" is mounted in the workspace`) {
			t.Errorf("it does not say what to change: %s", said)
		}
	})
	t.Run("no user namespaces", func(t *testing.T) {
		if os.Getenv("ASSENT_TEST_DENIED") != "" {
			b := newBox(t)
			unproven(t, b)
			if said := b.s.State(t.Context()).Sentence; !strings.Contains(said, "sysctl user.max_user_namespaces") {
				t.Errorf("it does not say what to change: %s", said)
			}
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
	if _, err := b.s.Wrap(t.Context(), sandbox.Command{Argv: []string{"/bin/true"}, Env: nil, Dir: b.root}); err == nil {
		t.Error("a command was wrapped")
	}
	_ = sandboxtest.Helper()
}
