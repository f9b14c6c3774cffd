package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/assent-ls/assent/internal/network"
)

// world is a network of the test's own, in which every address of 192.0.2.0/24 answers at a few ports, and is the server
// of names: it sees what a program contacts, whatever it does.
type world struct {
	t  *testing.T
	mu sync.Mutex
	// guarded by mu: the addresses that were contacted, other than those of this machine
	seen map[string]bool
	// settle waits until each listener has seen all that reached it before
	settle []func()
}

// settler is the address of this machine from which the world asks its own listeners whether they are done.
var settler = net.IPv4(127, 0, 0, 77)

// inWorld goes on with a test in a network of its own: true in the process that has one.
func inWorld(t *testing.T) bool {
	t.Helper()
	const mark = "ASSENT_TEST_WORLD"
	if os.Getenv(mark) != "" {
		return true
	}
	users, err := network.IDs("uid_map", os.Getuid())
	if err != nil {
		t.Fatal(err)
	}
	groups, err := network.IDs("gid_map", os.Getgid())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), mark+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWNS,
		UidMappings: users, GidMappings: groups, GidMappingsEnableSetgroups: os.Getuid() == 0,
		AmbientCaps: []uintptr{unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE, unix.CAP_SYS_ADMIN},
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
		t.Skipf("NOT TESTED: no network of one's own here: %v", err)
	}
	if _, why, skipped := strings.Cut(string(out), "NOT TESTED: "); skipped {
		t.Skip("NOT TESTED: " + why)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// newWorld makes the network of this process.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, seen: map[string]bool{}}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd) //nolint:errcheck // only used here
	up, err := unix.NewIfreq("lo")
	if err == nil {
		up.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
		err = unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, up)
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := unix.NewIfreq("lo:1") // the addresses of its whole network are those of the interface, as 127.0.0.0/8 are
	if err == nil {
		err = errors.Join(all.SetInet4Addr([]byte{192, 0, 2, 1}), unix.IoctlIfreq(fd, unix.SIOCSIFADDR, all))
	}
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"/etc/resolv.conf": "nameserver 192.0.2.53\noptions timeout:1 attempts:1\n",
		"/etc/hosts":       "127.0.0.1 localhost here.test\n192.0.2.70 far.test\n127.0.0.1 both.test\n192.0.2.71 both.test\n",
	} {
		own := filepath.Join(t.TempDir(), filepath.Base(file))
		if err := errors.Join(os.WriteFile(own, []byte(text), 0o644), unix.Mount(own, file, "", unix.MS_BIND, "")); err != nil {
			t.Fatal(err)
		}
	}
	for _, port := range []string{"80", "443", "4318", "3128", "9931", "11434"} {
		w.listen("0.0.0.0:" + port)
	}
	names, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp", "192.0.2.53:53")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = names.Close() })
	done := make(chan bool)
	go func() {
		for buffer := make([]byte, 512); ; {
			_, from, err := names.ReadFrom(buffer)
			if err != nil {
				return
			}
			if from.(*net.UDPAddr).IP.Equal(settler) {
				done <- true
				continue
			}
			w.see("192.0.2.53:53")
		}
	}()
	w.settle = append(w.settle, func() {
		conn := w.dial("udp", &net.UDPAddr{IP: settler}, names.LocalAddr().String())
		if _, err := conn.Write([]byte("done?")); err != nil {
			t.Fatal(err)
		}
		<-done
		_ = conn.Close()
	})
	return w
}

// dial connects to a listener from the settler's address.
func (w *world) dial(network string, from net.Addr, to string) net.Conn {
	w.t.Helper()
	conn, err := (&net.Dialer{LocalAddr: from}).DialContext(w.t.Context(), network, to)
	if err != nil {
		w.t.Fatal(err)
	}
	return conn
}

// listen closes every connection to an address, and keeps where it went to.
func (w *world) listen(address string) string {
	w.t.Helper()
	l, err := new(net.ListenConfig).Listen(w.t.Context(), "tcp", address)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			from := conn.RemoteAddr().(*net.TCPAddr).IP
			if to := conn.LocalAddr().String(); !from.Equal(settler) && (address != "0.0.0.0:"+port(to) || !strings.HasPrefix(to, "127.")) {
				w.see(to)
			}
			_ = conn.Close()
		}
	}()
	to := net.JoinHostPort("127.0.0.1", port(l.Addr().String()))
	w.settle = append(w.settle, func() {
		conn := w.dial("tcp", &net.TCPAddr{IP: settler}, to)
		_, _ = io.ReadAll(conn) // until the listener closes it: it has accepted all others before
		_ = conn.Close()
	})
	return l.Addr().String()
}

func port(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return port
}

func (w *world) see(address string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[address] = true
}

// contacted forgets and returns the addresses that were contacted.
func (w *world) contacted() (all []string) {
	w.t.Helper()
	for _, settled := range w.settle {
		settled()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for address := range w.seen {
		all = append(all, address)
	}
	slices.Sort(all)
	w.seen = map[string]bool{}
	return all
}

// reach is a command of bash that connects to an address.
func reach(address string) string { return "exec 3<>/dev/tcp/" + address + "/80" }

// everyWay configures everything that could contact another machine, each with an address of its own.
func (s *user) everyWay(proxy string) {
	s.t.Helper()
	for name, text := range map[string]string{
		"settings.json": `{"webFetch": true, "searchEndpoint": "http://192.0.2.41/", "privateHosts": ["192.0.2.40", "192.0.2.41"],
			"traceEndpoint": "http://192.0.2.42:4318", "sandbox": "off", "ollamaProxy": "` + proxy + `"}`,
		"servers.json": `{"servers": [
			{"name": "box", "url": "http://192.0.2.20:9931"}, {"name": "named", "url": "http://far.test:9931"},
			{"name": "both", "url": "http://both.test:9931"}, {"name": "asked", "url": "http://asked.example:9931"},
			{"name": "keyed", "url": "http://127.0.0.1:9931", "keyCommand": ["/bin/bash", "-c", "` + reach("192.0.2.21") + `; echo key"]},
			{"name": "ollama", "kind": "ollama", "url": "` + os.Getenv("OLLAMA_HOST") + `"}]}`,
		"mcp.json": `{"servers": {
			"web": {"type": "http", "url": "https://192.0.2.30/mcp"}, "events": {"type": "sse", "url": "http://192.0.2.31/"},
			"socket": {"type": "websocket", "url": "ws://192.0.2.32/"},
			"program": {"command": "/bin/bash", "args": ["-c", "` + reach("192.0.2.33") + `"]}}}`,
		"tools/reach.json": `{"description": "Reach.", "command": ["/bin/bash", "-c", "` + reach("192.0.2.50") + `"], "sandbox": false}`,
	} {
		path := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			s.t.Fatal(err)
		}
	}
}

const everyCall = `turn
json {"tool":"run_command","arguments":{"command":"bash -c 'exec 3<>/dev/tcp/192.0.2.51/80'"}}
turn
json {"tool":"reach","arguments":{}}
turn
json {"tool":"web_fetch","arguments":{"url":"http://192.0.2.40/"}}
turn
json {"tool":"web_search","arguments":{"query":"x"}}
turn
json {"answer":"Over."}
`

// Everything that could contact another machine is configured and tried, without --offline and with it. The first run
// shows that each would be seen. strace, where it is, watches the second one, too.
// Promise 9.
func TestNothingLeavesOffline(t *testing.T) {
	if _, err := os.Stat("/bin/bash"); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	if !inWorld(t) {
		return
	}
	w := newWorld(t)
	proxy := w.listen("127.0.0.1:0") // it could go anywhere
	const far = "http://192.0.2.22:11434"
	for _, offline := range []bool{false, true} {
		s := newUser(t, everyCall)
		s.everyWay("http://" + proxy)
		run := func(args ...string) string {
			if offline {
				args = append([]string{"--offline"}, args...)
			}
			cmd := s.begin(args...)
			var log string
			if offline {
				log = s.traced(cmd)
			}
			out, err := cmd.CombinedOutput()
			if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			for _, call := range connects(t, log) {
				t.Errorf("%q: %s", args, call)
			}
			return string(out)
		}
		approved := "run_command,reach"
		if !offline {
			approved += ",web_fetch,web_search"
		}
		said := run("run", "--folder", s.root, "--tool-format", "guided", "--model", "ollama/qwen2.5-coder:1.5b", "--approve", approved, "Try @http://192.0.2.40/page all.")
		said += run("models")
		said += run("doctor")
		said += run("mcp", "tools", "--folder", s.root)
		t.Setenv("OLLAMA_HOST", far)
		if err := os.Remove(filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", "servers.json")); err != nil {
			t.Fatal(err)
		}
		said += run("models")
		got := w.contacted()
		if offline {
			if len(got) > 0 {
				t.Errorf("offline these are contacted: %q\n%s", got, said)
			}
			for _, sentence := range []string{
				"192.0.2.20:9931 is not on this machine, and Assent is offline", "192.0.2.30:443 is not on this machine", "would be asked through a proxy",
			} {
				if !strings.Contains(said, sentence) {
					t.Errorf("nobody is told that %s:\n%s", sentence, said)
				}
			}
			continue
		}
		for _, n := range []string{
			"20:9931", "21:80", "30:443", "31:80", "32:80", "33:80", "40:80", "41:80", "42:4318", "50:80", "51:80", "53:53", "70:9931",
		} {
			if !slices.Contains(got, "192.0.2."+n) {
				t.Errorf("192.0.2.%s is not seen among %q:\n%s", n, got, said)
			}
		}
		if !slices.Contains(got, proxy) {
			t.Errorf("the proxy is not seen among %q", got)
		}
	}
}

// traced has strace watch a command and all that it starts, and returns the beginning of the names of its logs; empty:
// there is no strace.
func (s *user) traced(cmd *exec.Cmd) string {
	strace, err := exec.LookPath("strace")
	if err != nil {
		s.t.Log("NOT TESTED by strace, which is not here")
		return ""
	}
	log := filepath.Join(s.t.TempDir(), "calls")
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd.Path = strace
	cmd.Args = append([]string{strace, "-ff", "-qq", "-s", "0", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-o", log, self}, cmd.Args[1:]...)
	return log
}

var (
	outward = regexp.MustCompile(`sin6?_(?:addr|port).*`)
	// strace cuts a call in two where another process stops it first.
	resumed = regexp.MustCompile(` *<unfinished \.\.\.>\n<\.\.\. \w+ resumed>`)
	inside  = regexp.MustCompile(`inet_addr\("127\.|inet_pton\(AF_INET6, "::1"|inet_pton\(AF_INET6, "::ffff:127\.`)
)

// connects lists the system calls that would have reached another machine. Those of a process without a network end with
// ENETUNREACH; in this one every such call of a process with one is a start.
func connects(t *testing.T, log string) (found []string) {
	t.Helper()
	if log == "" {
		return nil
	}
	files, _ := filepath.Glob(log + ".*") // the pattern is good
	if len(files) == 0 {
		t.Error("strace wrote nothing")
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(resumed.ReplaceAllString(string(raw), "")) {
			if outward.MatchString(line) && !inside.MatchString(line) && !strings.Contains(line, "ENETUNREACH") {
				found = append(found, fmt.Sprintf("%s: %s, of these calls:\n%s", filepath.Base(file), strings.TrimSpace(line), raw))
			}
		}
	}
	return found
}

// The setting is the user's own: an editor or a workspace can neither set it nor take it back.
// Promise 6.
func TestOnlyTheUserIsOffline(t *testing.T) {
	s := newUser(t, justAnswers)
	s.settings(`{"offline": true}`)
	s.write(".assent/settings.json", `{"offline": false}`)
	t.Setenv("OLLAMA_HOST", "http://192.0.2.1:11434")
	out, notes, status := s.run("run", "--folder", s.root, "Hello?")
	if status == 0 || !strings.Contains(out+notes, "192.0.2.1:11434 is not on this machine, and Assent is offline") || !strings.Contains(notes, "a workspace may not set it") {
		t.Errorf("status %d\n%s%s", status, out, notes)
	}
	if _, notes, status := s.run("mcp", "serve", "--folder", s.root, "--offline", "--http", "192.0.2.1:0", "--allow-network"); status != exitUsage || !strings.Contains(notes, "is not on this machine") {
		t.Errorf("status %d\n%s", status, notes)
	}
	if _, notes, status := s.run("mcp", "login", "--folder", s.root, "--offline", "x"); status == 0 {
		t.Errorf("status %d\n%s", status, notes)
	}
}
