//go:build linux

package workspace_test

import (
	"encoding/binary"
	"io/fs"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

const accessList = "system.posix_acl_access"

// readableBy is a POSIX access list: its owner reads and writes, and so does one other user; the mask allows both.
func readableBy(uid uint32) []byte {
	list := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range []struct {
		tag, perm uint16
		id        uint32
	}{{0x01, 6, ^uint32(0)}, {0x02, 6, uid}, {0x04, 0, ^uint32(0)}, {0x10, 6, ^uint32(0)}, {0x20, 0, ^uint32(0)}} {
		list = binary.LittleEndian.AppendUint16(list, e.tag)
		list = binary.LittleEndian.AppendUint16(list, e.perm)
		list = binary.LittleEndian.AppendUint32(list, e.id)
	}
	return list
}

func attribute(t *testing.T, file, name string) string {
	t.Helper()
	value := make([]byte, 256)
	n, err := unix.Getxattr(file, name, value)
	if err != nil {
		return "none: " + err.Error()
	}
	return string(value[:n])
}

// Promise 10.
func TestAnEditKeepsExtendedAttributes(t *testing.T) {
	root := tree(t, map[string]string{"a.txt": "old\n", "shared/b.txt": "old\n"})
	acl := string(readableBy(4711))
	must(t, unix.Setxattr(root+"/a.txt", "user.note", []byte("kept"), 0))
	must(t, unix.Setxattr(root+"/a.txt", "user.empty", nil, 0))
	must(t, unix.Setxattr(root+"/a.txt", accessList, []byte(acl), 0))
	must(t, os.Chmod(root+"/shared/b.txt", 0o640))
	// What is made in this folder gets an access list that the file itself has not.
	must(t, unix.Setxattr(root+"/shared", "system.posix_acl_default", []byte(acl), 0))
	w := open(t, root, nil)
	before := "old\n"
	for _, name := range []string{"a.txt", "shared/b.txt"} {
		must(t, w.Replace(t.Context(), resolve(t, w, name), &before, "new\n"))
		if got := readDisk(t, root+"/"+name); got != "new\n" {
			t.Errorf("%s holds %q", name, got)
		}
	}
	for name, want := range map[string]string{"user.note": "kept", "user.empty": "", accessList: acl} {
		if got := attribute(t, root+"/a.txt", name); got != want {
			t.Errorf("%s is %q; want %q", name, got, want)
		}
	}
	if got := attribute(t, root+"/shared/b.txt", accessList); got != "none: no data available" {
		t.Errorf("the file got the access list %q", got)
	}
	for name, want := range map[string]fs.FileMode{"a.txt": 0o660, "shared/b.txt": 0o640} {
		if info, err := os.Stat(root + "/" + name); err != nil || info.Mode() != want {
			t.Errorf("%s: mode %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}
