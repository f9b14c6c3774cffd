package network

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// alone has a program started in a network of its own, in which there is nothing. In a user namespace of its own it
// cannot go back into that of its parent, not even as root.
func alone(cmd *exec.Cmd) error {
	how := &syscall.SysProcAttr{}
	if cmd.SysProcAttr != nil {
		*how = *cmd.SysProcAttr
	}
	users, err := IDs("uid_map", os.Getuid())
	if err != nil {
		return err
	}
	groups, err := IDs("gid_map", os.Getgid())
	if err != nil {
		return err
	}
	how.Cloneflags |= syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET
	how.UidMappings, how.GidMappings, how.GidMappingsEnableSetgroups = users, groups, os.Getuid() == 0
	cmd.SysProcAttr = how
	return nil
}

// IDs give a new user namespace the same numbers. table is uid_map or gid_map, own the number of this process: root has
// all that there are here, since files of others keep their owners then, and anybody else may only have their own.
func IDs(table string, own int) ([]syscall.SysProcIDMap, error) {
	if os.Getuid() != 0 {
		return []syscall.SysProcIDMap{{ContainerID: own, HostID: own, Size: 1}}, nil
	}
	text, err := os.ReadFile("/proc/self/" + table)
	if err != nil {
		return nil, err
	}
	var all []syscall.SysProcIDMap
	for line := range strings.Lines(string(text)) {
		var first, outside, size int
		if _, err := fmt.Sscan(line, &first, &outside, &size); err != nil {
			return nil, fmt.Errorf("%s: %w", table, err)
		}
		all = append(all, syscall.SysProcIDMap{ContainerID: first, HostID: first, Size: size})
	}
	return all, nil
}
