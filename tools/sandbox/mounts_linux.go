//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Where the two file systems are while the new one is made.
const (
	base    = "/tmp"
	newRoot = "/new"
	oldRoot = "/old"
)

// makeView makes a file system from bubblewrap's arguments and takes it for the root. Whatever is not named is not in it.
func makeView(args []string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil { // nothing gets out, and nothing in
		return fmt.Errorf("the mounts cannot be separated: %w", err)
	}
	if err := unix.Mount("tmpfs", base, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
		return fmt.Errorf("a file system for the view: %w", err)
	}
	if err := errors.Join(os.Mkdir(base+newRoot, 0o755), os.Mkdir(base+oldRoot, 0o755)); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", base+newRoot, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
		return err
	}
	if err := unix.PivotRoot(base, base+oldRoot); err != nil {
		return fmt.Errorf("the root cannot be changed: %w", err)
	}
	if err := mountAll(args); err != nil {
		return err
	}
	if err := unix.Unmount(oldRoot, unix.MNT_DETACH); err != nil {
		return err
	}
	if err := os.Chdir(newRoot); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("the root cannot be changed: %w", err)
	}
	return errors.Join(unix.Unmount(".", unix.MNT_DETACH), os.Chdir("/"))
}

// mountAll does what the arguments say, in their order.
func mountAll(args []string) error {
	next := func() string {
		if len(args) == 0 {
			return ""
		}
		arg := args[0]
		args = args[1:]
		return arg
	}
	size := ""
	for len(args) > 0 {
		var err error
		switch option := next(); option {
		case "--unshare-all", "--die-with-parent", "--as-pid-1": // enter has done it
		case "--bind", "--ro-bind":
			from, to := next(), next()
			err = bind(from, to, option == "--ro-bind")
		case "--size":
			size = next()
		case "--tmpfs":
			err = makeTmpfs(next(), size)
			size = ""
		case "--dir":
			err = os.MkdirAll(newRoot+next(), 0o755)
		case "--symlink":
			target, at := next(), newRoot+next()
			err = errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.Symlink(target, at))
		case "--proc":
			err = makeProc(next())
		case "--dev":
			err = makeDev(next())
		case "--remount-ro":
			err = readOnly(newRoot+next(), 0)
		default:
			err = errByHand
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bind shows a file or folder of the old file system in the new one.
func bind(from, to string, ro bool) error {
	at := newRoot + to
	info, err := os.Lstat(oldRoot + from)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	if err := mountPoint(at, info.IsDir()); err != nil {
		return fmt.Errorf("%s: %w", to, err)
	}
	if err := unix.Mount(oldRoot+from, at, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("%s cannot be shown: %w", from, err)
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	if ro {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	return setAttr(at, unix.AT_RECURSIVE, attr)
}

func readOnly(at string, flags uint) error {
	return setAttr(at, flags, unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}

func setAttr(at string, flags uint, attr unix.MountAttr) error {
	if err := unix.MountSetattr(unix.AT_FDCWD, at, flags, &attr); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	return nil
}

// mountPoint makes what something can be mounted on, if it is not there: only ever in the new file system's own folders.
func mountPoint(at string, dir bool) error {
	if _, err := os.Lstat(at); err == nil {
		return nil
	}
	if dir {
		return os.MkdirAll(at, 0o755)
	}
	f, err := os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o444)
	if errors.Is(err, os.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(at), 0o755); err == nil {
			f, err = os.OpenFile(at, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o444)
		}
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func makeTmpfs(to, size string) error {
	at := newRoot + to
	if err := mountPoint(at, true); err != nil {
		return err
	}
	options := "mode=0755"
	if n, err := strconv.ParseUint(size, 10, 63); err == nil {
		options += ",size=" + strconv.FormatUint(n, 10)
	}
	return unix.Mount("tmpfs", at, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options)
}

// makeProc shows the processes of the sandbox. What in it is the whole machine's can be read only: root may write it by its number alone.
func makeProc(to string) error {
	at := newRoot + to
	if err := mountPoint(at, true); err != nil {
		return err
	}
	if err := unix.Mount("proc", at, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("/proc cannot be made: %w", err)
	}
	for _, name := range []string{"sys", "sysrq-trigger", "irq", "bus", "fs", "scsi", "acpi"} {
		path := filepath.Join(at, name)
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		if err := unix.Mount(path, path, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return err
		}
		if err := readOnly(path, unix.AT_RECURSIVE); err != nil {
			return err
		}
	}
	return nil
}

// makeDev makes the devices that programs expect everywhere.
func makeDev(to string) error {
	at := newRoot + to
	if err := makeTmpfs(to, ""); err != nil {
		return err
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		path := filepath.Join(at, name)
		if err := mountPoint(path, false); err != nil {
			return err
		}
		if err := unix.Mount(oldRoot+"/dev/"+name, path, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("/dev/%s: %w", name, err)
		}
	}
	for name, target := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"} {
		if err := os.Symlink(target, filepath.Join(at, name)); err != nil {
			return err
		}
	}
	if err := errors.Join(os.Mkdir(filepath.Join(at, "pts"), 0o755), os.Mkdir(filepath.Join(at, "shm"), 0o1777)); err != nil {
		return err
	}
	return unix.Mount("devpts", filepath.Join(at, "pts"), "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
}
