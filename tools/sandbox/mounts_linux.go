//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/sandbox/mask"
)

// Where the two file systems are while the new one is made, and the layers of the workspace.
const (
	base       = "/tmp"
	newRoot    = "/new"
	oldRoot    = "/old"
	below      = "/layers"
	maskLayer  = below + "/mask"
	draftLayer = below + "/draft"
	chatLayer  = below + "/chat"
	realLayer  = below + "/workspace"
	ownLayer   = below + "/private"
)

// makeView makes the file system that an order describes and takes it for the root. Whatever is not named is not in it.
func makeView(o *order) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil { // nothing gets out, and nothing in
		return fmt.Errorf("the mounts cannot be separated: %w", err)
	}
	if err := unix.Mount("tmpfs", base, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
		return fmt.Errorf("a file system for the view: %w", err)
	}
	for _, dir := range []string{newRoot, oldRoot, below, maskLayer, draftLayer, chatLayer, realLayer, ownLayer} {
		if err := os.Mkdir(base+dir, 0o755); err != nil {
			return err
		}
	}
	if err := unix.Mount("tmpfs", base+newRoot, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
		return err
	}
	if err := unix.PivotRoot(base, base+oldRoot); err != nil {
		return fmt.Errorf("the root cannot be changed: %w", err)
	}
	err := errors.Join(makeProc(), makeDev())
	for _, s := range o.Steps {
		if err != nil {
			return err
		}
		err = s.take()
	}
	if err == nil {
		err = o.showWorkspace()
	}
	if err == nil {
		err = readOnly(newRoot, 0)
	}
	for _, mount := range slices.Concat(o.between(), []string{realLayer, ownLayer, oldRoot}) {
		if err == nil {
			err = unix.Unmount(mount, unix.MNT_DETACH)
		}
	}
	if err != nil {
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

// between are the layers between what hides names and the workspace, the upper one first.
func (o *order) between() (layers []string) {
	if o.Draft != "" {
		layers = append(layers, draftLayer)
	}
	if o.Chat != "" {
		layers = append(layers, chatLayer)
	}
	return layers
}

// take does a step.
func (s step) take() error {
	switch s.Do {
	case doShow, doShare:
		return bind(s.From, s.To, s.Do == doShow)
	case doMemory:
		return makeTmpfs(s.To, fmt.Sprintf("mode=0755,size=%d", maxTemporary))
	case doFolder:
		return os.MkdirAll(newRoot+s.To, 0o755)
	case doLink:
		at := newRoot + s.To
		return errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.Symlink(s.From, at))
	}
	return errByHand
}

// showWorkspace shows the workspace as an overlay: what the command writes goes into the upper folder of its private
// one, and the workspace itself is only read. Between them, one layer takes the hidden names away, one has what a draft
// changed, and one what earlier commands of the chat built.
func (o *order) showWorkspace() error {
	if o.Layers > 0 {
		if err := o.layersInMemory(); err != nil {
			return err
		}
	}
	for at, from := range map[string]string{
		realLayer: o.Root, ownLayer: o.Private, chatLayer: o.Chat, draftLayer: o.Draft,
	} {
		if o.Layers > 0 && at == ownLayer || from == "" {
			continue
		}
		if err := unix.Mount(oldRoot+from, at, "", unix.MS_BIND, ""); err != nil {
			if errors.Is(err, unix.EINVAL) {
				return fmt.Errorf("%s cannot be laid under a view, since something is mounted in it: %w", from, err)
			}
			return fmt.Errorf("%s: %w", from, err)
		}
	}
	if err := setAttr(realLayer, 0, unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return err
	}
	// all of them are only read, too: overlays take their lower layers for unchanging
	lower := strings.Join(slices.Concat([]string{maskLayer}, o.between(), []string{realLayer}), ":")
	if err := mask.Make(maskLayer, realLayer, o.Mask); err != nil {
		return err
	}
	if err := mask.Alike(ownLayer+"/"+upperName, realLayer); err != nil {
		return err
	}
	at := newRoot + o.Root
	if err := mountPoint(at, true); err != nil {
		return err
	}
	how := fmt.Sprintf(
		"userxattr,volatile,lowerdir=%s,upperdir=%s/%s,workdir=%[2]s/%[4]s", lower, ownLayer, upperName, workName,
	)
	// Volatile: else its end would wait until the kernel has written all that any program has to write to that file
	// system.
	if err := unix.Mount("overlay", at, "overlay", unix.MS_NOSUID|unix.MS_NODEV, how); err != nil {
		return fmt.Errorf("the workspace cannot be shown as an overlay: %w", err)
	}
	_, err := changes.Later(oldRoot+o.Private, o.Asked) // what is changed from now on, the command did not see
	return err
}

// layersInMemory makes the layers where the file system of the private folder cannot hold them, as in a container,
// whose own is an overlay.
func (o *order) layersInMemory() error {
	if err := unix.Mount(
		"tmpfs", ownLayer, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, fmt.Sprintf("mode=0700,size=%d", o.Layers),
	); err != nil {
		return fmt.Errorf("a file system for the layers: %w", err)
	}
	err := errors.Join(os.Mkdir(ownLayer+"/"+upperName, 0o700), os.Mkdir(ownLayer+"/"+workName, 0o700))
	for path, fd := range map[string]*int{ownLayer + "/" + upperName: &o.layer, oldRoot + o.Private: &o.private} {
		if err == nil {
			*fd, err = unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		}
	}
	return err
}

// save keeps what the command wrote in layers in memory, when nothing of it runs any more: all or nothing.
func (o *order) save() error {
	if o.Layers == 0 {
		return nil
	}
	if err := unix.Mkdirat(o.private, savedName, 0o700); err != nil {
		return err
	}
	into, err := unix.Openat(o.private, savedName, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := changes.Save(o.layer, into); err != nil {
		return fmt.Errorf("what the command changed cannot be kept: %w", err)
	}
	return unix.Renameat(o.private, savedName, o.private, upperName)
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

// mountPoint makes what something can be mounted on, if it is not there: only ever in the new file system's own
// folders.
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

func makeTmpfs(to, options string) error {
	at := newRoot + to
	if err := mountPoint(at, true); err != nil {
		return err
	}
	return unix.Mount("tmpfs", at, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options)
}

// makeProc shows the processes of the sandbox. What in it is the whole machine's can be read only: root may write it by
// its number alone.
func makeProc() error {
	const at = newRoot + "/proc"
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
func makeDev() error {
	const at = newRoot + "/dev"
	if err := makeTmpfs("/dev", "mode=0755"); err != nil {
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
	for name, target := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
		"ptmx": "pts/ptmx",
	} {
		if err := os.Symlink(target, filepath.Join(at, name)); err != nil {
			return err
		}
	}
	if err := errors.Join(
		os.Mkdir(filepath.Join(at, "pts"), 0o755), os.Mkdir(filepath.Join(at, "shm"), 0o1777),
	); err != nil {
		return err
	}
	return unix.Mount(
		"devpts", filepath.Join(at, "pts"), "devpts", unix.MS_NOSUID|unix.MS_NOEXEC,
		"newinstance,ptmxmode=0666,mode=620",
	)
}
