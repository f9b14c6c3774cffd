package shell

import (
	"bytes"

	"golang.org/x/sys/unix"
)

const zombie = 5 // SZOMB of sys/proc.h

// processes reads the process table from the kernel. Sessions are not known here.
func processes() []process {
	kinfo, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	table := make([]process, 0, len(kinfo))
	for _, k := range kinfo {
		table = append(table, process{
			pid: int(k.Proc.P_pid), parent: int(k.Eproc.Ppid), group: int(k.Eproc.Pgid),
			dead: k.Proc.P_stat == zombie,
		})
	}
	return table
}

// marked reports whether a process was started with a mark in its environment.
func marked(pid int, mark string) bool {
	args, err := unix.SysctlRaw("kern.procargs2", pid)
	return err == nil && bytes.Contains(args, []byte(mark))
}
