package interpreter_test

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/assent-ls/assent/tools/python/interpreter"
	"github.com/assent-ls/assent/tools/python/interpreter/interpretertest"
)

// outside is what programs try to reach.
type outside struct {
	canary, folder, socket, secret string
	port                           int
	connections                    atomic.Int32
}

func newOutside(t *testing.T) *outside {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "out") //nolint:usetesting // the paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	o := &outside{
		canary: filepath.Join(dir, "canary"), folder: filepath.Join(dir, "watched"), socket: filepath.Join(dir, "s"),
		secret: "SECRET-" + rand.Text(),
	}
	if err := os.WriteFile(o.canary, []byte(o.secret), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(o.folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.folder, "secret.py"), []byte("print('"+o.secret+"')"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CANARY_SECRET", o.secret)
	tcp := o.listen(t, "tcp", "127.0.0.1:0")
	o.port = tcp.Addr().(*net.TCPAddr).Port
	o.listen(t, "unix", o.socket)
	return o
}

func (o *outside) listen(t *testing.T, network, address string) net.Listener {
	t.Helper()
	l, err := net.Listen(network, address) //nolint:noctx // closed below
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			o.connections.Add(1)
			_ = c.Close()
		}
	}()
	return l
}

// state describes all that is there: names, sizes, rights, times and contents.
func (o *outside) state(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(filepath.Dir(o.canary), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(&b, path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			fmt.Fprintf(&b, "%q\n", content)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// children are the processes that this one has started and that have not ended.
func children(t *testing.T) (pids []string) {
	t.Helper()
	raw, err := filepath.Glob("/proc/" + strconv.Itoa(os.Getpid()) + "/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range raw {
		text, err := os.ReadFile(file)
		if err == nil {
			pids = append(pids, strings.Fields(string(text))...)
		}
	}
	return pids
}

// TestEscapes: no program reads, changes, starts or dials anything outside. Their own word does not count.
func TestEscapes(t *testing.T) {
	i := interpretertest.New(t)
	archive, err := txtar.ParseFile("testdata/escapes.txtar")
	if err != nil || len(archive.Files) < 80 {
		t.Fatal(err, len(archive.Files))
	}
	o := newOutside(t)
	before := o.state(t)
	names := strings.NewReplacer(
		"CANARY_SECRET", "CANARY_SECRET", "CANARY", o.canary, "FOLDER", o.folder, "PORT", strconv.Itoa(o.port),
		"SOCKET", o.socket, "PID", strconv.Itoa(os.Getpid()),
	)
	for _, file := range archive.Files {
		t.Run(strings.TrimSuffix(file.Name, ".py"), func(t *testing.T) {
			host := &scripted{}
			p := interpreter.Program{
				Source: names.Replace(string(file.Data)), Functions: functions, Limits: interpreter.Limits{Time: 5 * time.Second},
			}
			result, err := i.Run(t.Context(), p, host)
			if err != nil {
				t.Errorf("no sentence for the user: %v", err)
			}
			if said := fmt.Sprintf("%+v %+v", result, host.calls); strings.Contains(said, o.secret) {
				t.Errorf("it read the secret: %s", said)
			}
			if after := o.state(t); after != before {
				t.Errorf("it changed something:\n%s\nbefore:\n%s", after, before)
				before = after
			}
			if n := o.connections.Load(); n > 0 {
				t.Errorf("it made %d connections", n)
			}
		})
	}
	i.Close()
	if shared.Load() == nil {
		if left := children(t); len(left) > 0 {
			t.Errorf("processes are left: %v", left)
		}
	}
}
