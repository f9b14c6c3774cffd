package sandbox

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// processes reads the process table from /proc.
func processes() []process {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var table []process
	for _, n := range names {
		pid, err := strconv.Atoi(n.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + n.Name() + "/stat")
		if err != nil {
			continue // it ended meanwhile
		}
		// The name, in brackets, may hold anything: fields are counted after its last bracket.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) < 4 {
			continue
		}
		p := process{pid: pid, dead: fields[0] == "Z" || fields[0] == "X"}
		p.parent, _ = strconv.Atoi(fields[1])
		p.group, _ = strconv.Atoi(fields[2])
		p.session, _ = strconv.Atoi(fields[3])
		table = append(table, p)
	}
	return table
}

// tag gives the command a file of its own, which its descendants inherit even if they clear their environment, and
// returns the file's name in /proc. The caller calls done after the start.
func tag(cmd *exec.Cmd) (name string, done func(), err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return "", nil, err
	}
	done = func() { _, _ = read.Close(), write.Close() }
	name, err = os.Readlink("/proc/self/fd/" + strconv.Itoa(int(read.Fd())))
	if err != nil {
		done()
		return "", nil, err
	}
	cmd.ExtraFiles = []*os.File{read}
	return name, done, nil
}

// marked says whether a process has the mark in its environment, or the tag among its files.
func marked(pid int, g group) bool {
	dir := "/proc/" + strconv.Itoa(pid)
	if env, err := os.ReadFile(dir + "/environ"); err == nil && bytes.Contains(env, []byte(g.mark)) {
		return true
	}
	files, err := os.ReadDir(dir + "/fd")
	if err != nil || pid == os.Getpid() {
		return false
	}
	return slices.ContainsFunc(files, func(f os.DirEntry) bool {
		name, err := os.Readlink(dir + "/fd/" + f.Name())
		return err == nil && name == g.tag
	})
}
