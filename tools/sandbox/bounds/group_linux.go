package bounds

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

const mounted = "/sys/fs/cgroup"

// Group is a control group (version 2) for one command. https://docs.kernel.org/admin-guide/cgroup-v2.html
type Group struct{ dir *os.File }

// NewGroup makes a group whose processes may have so many bytes of memory together. The error says why there can be
// none here.
func NewGroup(bytes uint64) (*Group, error) {
	var is unix.Statfs_t
	if err := unix.Statfs(mounted, &is); err != nil || is.Type != unix.CGROUP2_SUPER_MAGIC {
		return nil, errors.New("there are no control groups of version 2")
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	above, err := above(mounted, string(own))
	if err != nil {
		return nil, err
	}
	path := filepath.Join(above, "assent-"+rand.Text())
	if err := os.Mkdir(path, 0o755); err != nil {
		return nil, fmt.Errorf("no control group is delegated: %w", err)
	}
	err = os.WriteFile(filepath.Join(path, "memory.max"), []byte(strconv.FormatUint(bytes, 10)), 0)
	_ = os.WriteFile(filepath.Join(path, "memory.swap.max"), []byte("0"), 0) // not there without swap
	g := &Group{}
	if err == nil {
		g.dir, err = os.Open(path)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	return g, nil
}

// above is the group in which one can be made, for a process in the groups own, as /proc/self/cgroup has them: the one
// above its own, since a group with processes has no groups with bounds below it.
func above(mounted, own string) (string, error) {
	for line := range strings.Lines(own) {
		group, found := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !found {
			continue
		}
		dir := filepath.Join(mounted, filepath.Dir(filepath.Clean("/"+group)))
		bounds, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
		if err == nil && !slices.Contains(strings.Fields(string(bounds)), "memory") {
			err = fmt.Errorf("control groups in %s have no bound of memory", dir)
		}
		return dir, err
	}
	return "", errors.New("this process has no control group of version 2")
}

// Grouped reports whether a process can be started in a group.
func Grouped() bool {
	g, err := NewGroup(64 << 20)
	if err != nil {
		return false
	}
	defer g.Close()
	cmd := exec.Command("/bin/true") //nolint:noctx // it ends at once
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	g.Join(cmd.SysProcAttr)
	return cmd.Run() == nil
}

// Join has a process start in the group.
func (g *Group) Join(how *syscall.SysProcAttr) { how.UseCgroupFD, how.CgroupFD = true, int(g.dir.Fd()) }

// Exceeded reports whether the kernel killed a process, since all together had too much memory.
func (g *Group) Exceeded() bool {
	events, err := os.ReadFile(filepath.Join(g.dir.Name(), "memory.events"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(events)) {
		if n, found := strings.CutPrefix(line, "oom_kill "); found {
			return strings.TrimSpace(n) != "0"
		}
	}
	return false
}

// Close removes the group, in which nothing runs any more.
func (g *Group) Close() {
	_, _ = g.dir.Close(), os.Remove(g.dir.Name()) // one that is left is empty
}
