//go:build amd64 || arm64

// Package probe is the self-test of a sandbox: what it prepares, and a program that is run as a command and tries to
// break out.
package probe

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Mission is what the probe is told: where it is, and what must be out of its reach.
type Mission struct {
	Root     string // a workspace made for it
	Outside  string // a folder beside it, with the files secret and socket
	Abstract string // a socket without a file
	Network  string // the network namespace that is not to be its own
	Parent   int    // the process outside that started it
}

// Attempt is one thing that the probe tries.
type Attempt struct {
	What  string
	Holds bool   // it came as it must in a sandbox
	Saw   string // what came instead
}

// canary is the secret in the files that a command must not read.
const canary = "assent-self-test-canary"

// Main is the main function of the probe. It is told its mission as JSON, and prints its attempts as JSON.
func Main(told string) error {
	var m Mission
	if err := json.Unmarshal([]byte(told), &m); err != nil {
		return fmt.Errorf("the probe has no mission: %w", err)
	}
	return json.NewEncoder(os.Stdout).Encode(m.attempts())
}

func (m Mission) attempts() []Attempt {
	var all []Attempt
	refused := func(what string, err error) {
		a := Attempt{What: what, Holds: err != nil}
		if err == nil {
			a.Saw = "it worked"
		}
		all = append(all, a)
	}
	works := func(what string, err error) {
		a := Attempt{What: what, Holds: err == nil}
		if err != nil {
			a.Saw = err.Error()
		}
		all = append(all, a)
	}
	in := func(name string) string { return filepath.Join(m.Root, name) }
	write := func(path string) error { return os.WriteFile(path, []byte("probe"), 0o600) }

	works(
		"write in the workspace",
		errors.Join(
			write(in("made")), os.Rename(in("made"), in("moved")), os.Remove(in("moved")),
			os.MkdirAll(in("a/b"), 0o700),
		),
	)
	works("write in /tmp", write("/tmp/probe"))
	works("start a program", exec.Command("/bin/true").Run()) //nolint:noctx // the probe as a whole has a time limit

	refused("write outside the workspace", write(filepath.Join(m.Outside, "made")))
	refused("write to the system", write("/etc/assent-probe"))
	refused("find a hidden name", finds(m.Root, ".env"))
	refused("read a secret of the workspace", reads(in(".env")))
	refused("read a secret in a folder of it", reads(in("in/.env")))
	refused("read a file that a person is asked about", reads(in(".npmrc")))
	refused("read a password in the settings of git", reads(in(".git/config")))
	works(
		"write what only the view gets",
		errors.Join(
			write(in(".git/hooks/post-checkout")), os.Rename(in("kept"), in("moved")), write(in(".env")),
			os.RemoveAll(in("in")),
		),
	)
	refused("see through the name of a hidden file", reads(in(".env")))
	refused("read a secret outside the workspace", reads(filepath.Join(m.Outside, "secret")))
	refused("read the environment of the parent", reads(fmt.Sprintf("/proc/%d/environ", m.Parent)))
	refused("signal the parent", unix.Kill(m.Parent, 0))
	refused("trace the first process", traces())
	refused("open a file of the first process", opens("/proc/1/fd/0"))
	refused("make new namespaces", unix.Unshare(unix.CLONE_NEWUSER))
	refused("mount something", unix.Mount("tmpfs", "/tmp", "tmpfs", 0, ""))

	refused("connect by TCP", dials("tcp", "192.0.2.1:9"))
	refused("send by UDP", dials("udp", "192.0.2.1:9"))
	refused("reach a socket outside the workspace", sends(m.Outside))
	refused("reach a socket in the workspace", sends(m.Root))
	refused("reach an abstract socket", dials("unixgram", m.Abstract))
	works("have a network of its own", alone(m.Network))
	works("have no rights to gain", powerless())
	return all
}

// finds succeeds if a folder has a name.
func finds(folder, name string) error {
	entries, err := os.ReadDir(folder)
	if err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == name }) {
		return err
	}
	return errors.New("it is not there")
}

// reads succeeds if a file holds the secret.
func reads(path string) error {
	text, err := os.ReadFile(path)
	if err == nil && !strings.Contains(string(text), canary) && !strings.Contains(path, "/environ") {
		return errors.New("it is hidden")
	}
	return err
}

// opens succeeds if a file can be opened.
func opens(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return f.Close()
}

// dials succeeds if something can be sent.
func dials(network, address string) error {
	conn, err := net.DialTimeout(network, address, time.Second) //nolint:noctx // it has a time limit
	if err != nil {
		return err
	}
	_, err = conn.Write([]byte("probe"))
	return errors.Join(err, conn.Close())
}

// sends succeeds if something can be sent to the socket in a folder.
func sends(folder string) error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := os.Chdir(folder); err != nil { // the kernel takes only short paths for sockets
		return err
	}
	return errors.Join(dials("unixgram", "socket"), os.Chdir(here))
}

// traces succeeds if a thread of the first process can be taken over.
func traces() error {
	threads, err := os.ReadDir("/proc/1/task")
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err = errors.New("there is no thread")
	for _, t := range threads {
		id, _ := strconv.Atoi(t.Name())
		if err = unix.PtraceSeize(id); err == nil {
			return nil
		}
	}
	return err
}

// alone fails if the network is that of the parent, or has more than a loopback interface.
func alone(parents string) error {
	own, err := os.Readlink("/proc/self/ns/net")
	if err != nil || own == parents {
		return fmt.Errorf("the network is the parent's: %s, %w", own, err)
	}
	interfaces, err := net.Interfaces()
	if err != nil {
		return err
	}
	for _, i := range interfaces {
		addresses, err := i.Addrs()
		if i.Flags&net.FlagLoopback == 0 && (err != nil || len(addresses) > 0) {
			return fmt.Errorf("there is an interface %s", i.Name)
		}
	}
	return nil
}

// powerless fails if this process has or could get rights.
func powerless() error {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for _, line := range []string{
		"NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000", "CapPrm:\t0000000000000000",
	} {
		if !strings.Contains(string(status), line) {
			return errors.New("there is no line " + line)
		}
	}
	return nil
}
