package servers

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/diskfile"
)

// listener is who listens at an address of this machine.
type listener struct {
	uid     int    // -1: not known
	pid     string // empty: not known, as that of another user's process
	program string // the file that runs; empty: not known
}

// String is for people, to go before "listens"; empty: nothing is known.
func (l listener) String() string {
	if l.uid < 0 {
		return ""
	}
	whose := "of the user " + strconv.Itoa(l.uid)
	if u, err := user.LookupId(strconv.Itoa(l.uid)); err == nil {
		whose = "of the user " + visible.Line(u.Username)
	}
	if l.uid == os.Getuid() {
		whose = "of yours"
	}
	if l.program == "" {
		return "a process " + whose
	}
	return fmt.Sprintf("%s (process %s %s)", visible.Line(filepath.Base(l.program)), l.pid, whose)
}

const maxTable = 4 << 20 // bytes of a table of sockets

// listenState is how Linux writes that a socket listens.
const listenState = "0A"

// listening says who listens at an address of 127.0.0.1. Only Linux tells, below the folder proc.
func listening(proc, address string) listener {
	_, text, _ := net.SplitHostPort(address) // no text is no port
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return listener{uid: -1}
	}
	for _, table := range []string{"net/tcp", "net/tcp6"} {
		data, err := diskfile.ReadSmall(filepath.Join(proc, table), maxTable)
		if err != nil {
			continue
		}
		if uid, inode, ok := listenerIn(string(data), uint16(port)); ok {
			l := listener{uid: uid}
			l.pid, l.program = holder(proc, inode)
			return l
		}
	}
	return listener{uid: -1}
}

// What the tables of sockets call 127.0.0.1 and all addresses.
var ownAddresses = []string{"0100007F", "00000000", strings.Repeat("0", 32), "0000000000000000FFFF00000100007F"}

// listenerIn finds who listens at a port in a table of sockets. Who listens at 127.0.0.1 comes before who listens at
// all addresses.
func listenerIn(table string, port uint16) (uid int, inode string, ok bool) {
	best := len(ownAddresses)
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) < 10 || fields[3] != listenState {
			continue
		}
		host, at, _ := strings.Cut(fields[1], ":")
		if at != fmt.Sprintf("%04X", port) {
			continue
		}
		for i, own := range ownAddresses[:best] {
			if n, err := strconv.Atoi(fields[7]); host == own && err == nil {
				best, uid, inode, ok = i, n, fields[9], true
				break
			}
		}
	}
	return uid, inode, ok
}

// holder finds the process that holds a socket, as far as that may be read.
func holder(proc, inode string) (pid, program string) {
	sockets, _ := filepath.Glob(filepath.Join(proc, "[0-9]*", "fd", "*"))
	for _, name := range sockets {
		if to, err := os.Readlink(name); err != nil || to != "socket:["+inode+"]" {
			continue
		}
		process := filepath.Dir(filepath.Dir(name))
		exe, err := os.Readlink(filepath.Join(process, "exe"))
		if err == nil {
			return filepath.Base(process), strings.TrimSuffix(exe, " (deleted)")
		}
		pid = cmp.Or(pid, filepath.Base(process))
	}
	return pid, ""
}
