//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
)

var longAgo = time.Unix(1, 0)

// networked runs a script of bash in the sandbox, with a proxy that answers each request with its host.
func (b box) networked(script string) string {
	b.t.Helper()
	ended := make(chan struct{})
	w, err := b.s.Wrap(b.t.Context(), sandbox.Command{
		Argv: []string{"/usr/bin/timeout", "60", "/bin/bash", "-c", script}, Env: append(environ(), "HTTPS_PROXY=http://me:canary-of-the-user@own.example"), Dir: b.root,
		Network: func(l net.Listener) {
			defer close(ended)
			s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "proxied %s\n", r.Host) })}
			_ = s.Serve(l)
		},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	out, _ := b.prepared(b.t.Context(), w).CombinedOutput()
	w.Close()
	<-ended // Close ends the proxy's listener, else the test does not end
	return string(out)
}

// A command with a network has a proxy, and no other way out.
// Promise 9.
func TestTheProxyIsTheOnlyWay(t *testing.T) {
	eachKind(t, func(t *testing.T, b box) {
		var heard atomic.Int64
		tcp, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tcp.Close() }()
		go func() {
			for {
				c, err := tcp.Accept()
				if err != nil {
					return
				}
				heard.Add(1)
				_ = c.Close()
			}
		}()
		udp, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = udp.Close() }()
		port, udpPort := strconv.Itoa(tcp.Addr().(*net.TCPAddr).Port), strconv.Itoa(udp.LocalAddr().(*net.UDPAddr).Port)
		if out := b.networked("curl -s http://a.example/; curl -s http://b.example/; env | grep -i _proxy= | sort -u | head -1; curl -s --noproxy '*' http://127.0.0.1:3128/own"); !strings.HasPrefix(out, "proxied a.example\nproxied b.example\nALL_PROXY=http://127.0.0.1:3128\n") || strings.Contains(out, "canary-of-the-user") {
			t.Errorf("%q", out)
		}
		out := b.networked("env; " + strings.NewReplacer("TCP", port, "UDP", udpPort).Replace(
			`for a in 127.0.0.1/TCP ::1/TCP 10.0.0.1/80 1.1.1.1/443; do (echo x >/dev/tcp/$a) 2>/dev/null && echo REACHED $a; done
echo x >/dev/udp/127.0.0.1/UDP
python3 - <<'P'
import socket
q = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07example\x03com\x00\x00\x01\x00\x01"
for to in ("127.0.0.53", 53), ("1.1.1.1", 53), ("8.8.8.8", 53), ("127.0.0.1", UDP):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(0.2)
    try:
        s.sendto(q, to); s.recv(100); print("REACHED", to)
    except OSError: pass
for kind in socket.SOCK_RAW,:
    try: socket.socket(socket.AF_INET, kind, 1); print("REACHED raw")
    except OSError: pass
try: socket.getaddrinfo("example.com", 443); print("REACHED name")
except OSError: pass
P
ls -A /proc/1/fd /proc/1/cwd 2>/dev/null; find "$XDG_CACHE_HOME/.." /run /tmp /dev /var -name proxy -type s 2>/dev/null | sed 's/^/REACHED /'; for i in $(seq 3 64); do [ -e /proc/self/fd/$i ] && readlink /proc/self/fd/$i | grep socket && echo REACHED fd $i; done; echo DONE`))
		if strings.Contains(out, "REACHED") || !strings.HasSuffix(out, "DONE\n") || strings.Contains(out, "canary-of-the-user") || heard.Load() != 0 {
			t.Errorf("%d connections came:\n%s", heard.Load(), out)
		}
		_ = udp.SetReadDeadline(longAgo)
		if n, from, err := udp.ReadFrom(make([]byte, 100)); err == nil {
			t.Errorf("%d bytes came from %v", n, from)
		}
		if out := b.networked("cat .env sub/.npmrc; git config -l --local"); strings.Contains(out, "canary") {
			t.Errorf("it sees what a command that reads does not: %s", out)
		}
	})
}

// A command that never starts, or never uses its proxy, leaves nothing behind, and one without a network has none.
func TestAnUnusedProxyEnds(t *testing.T) {
	eachKind(t, func(t *testing.T, b box) {
		w, err := b.s.Wrap(t.Context(), sandbox.Command{Argv: []string{"/bin/true"}, Env: environ(), Dir: b.root, Network: func(net.Listener) { t.Error("it is served") }})
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
		if out := b.networked("true"); out != "" {
			t.Error(out)
		}
		if out, _ := b.sh("env | grep -i proxy= | sort; (echo x >/dev/tcp/127.0.0.1/3128) 2>/dev/null && echo REACHED"); out != "GOPROXY=off\n" {
			t.Errorf("without a network there is %q", out)
		}
	})
}

// The proxy needs no rights of root, and no short path.
func TestTheProxyOfAnOrdinaryUser(t *testing.T) {
	if !sandboxtest.AsNobody(t) {
		return
	}
	b := newBox(t, func(o *sandbox.Options) { o.Cache = filepath.Join(o.Cache, strings.Repeat("long", 30)) })
	if state := b.s.State(t.Context()); !state.Proven {
		t.Skipf("NOT TESTED: no sandbox here: %v", state.Details)
	}
	if out := b.networked("curl -s http://a.example/"); out != "proxied a.example\n" {
		t.Errorf("%q", out)
	}
}
