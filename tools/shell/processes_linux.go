package shell

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
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

// children reads the children of this process from one file, faster than a chain of short-lived processes moves on. It
// is empty where the kernel has no such file (CONFIG_PROC_CHILDREN).
func children() (list []process) {
	files, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		return nil
	}
	for _, file := range files {
		text, err := os.ReadFile(file) //nolint:gosec // of this process
		if err != nil {
			continue // the thread ended
		}
		for field := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil {
				group, _ := unix.Getpgid(pid) // 0: it ended
				list = append(list, process{pid: pid, parent: os.Getpid(), group: group})
			}
		}
	}
	return list
}

// marked reports whether a process was started with a mark in its environment.
func marked(pid int, mark string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(env, []byte(mark))
}
