package changes

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Beside the layer, in the private folder of the command:
const (
	journalName = "journal" // what is being applied; it is gone when all is done
	asideName   = "aside"   // what was replaced, by the numbers of the deeds
)

// deed is one step of applying, as the journal has it. It may be done again: what is done already is seen.
type deed struct {
	Rel   string
	Kind  Kind
	Whole bool // a folder with all that is in it
	Old   stat // what was on the disk when the command's work was read
	Fresh stat // what the command left
	Names bool // the file has other names: it is written in its place
}

// journal is all that is needed to finish.
type journal struct {
	Root, Upper string
	Began       time.Time
	Deeds       []deed
}

// Apply makes changes that Read listed, to their end: each is made whole or not at all, and a folder that was made or removed with all that is
// in it goes in one step. Only a crash interrupts it, and then Finish completes it.
func Apply(l *Layer, list []Change) (Report, error) {
	return apply(l, list, func() error { return nil })
}

// apply is Apply that asks before each step whether it goes on.
func apply(l *Layer, list []Change, next func() error) (Report, error) {
	j := journal{Root: l.Root, Upper: l.Upper, Began: l.Began}
	deeds, of := plan(l, list)
	j.Deeds = deeds
	if len(deeds) == 0 {
		return Report{}, nil
	}
	if err := j.write(); err != nil {
		return Report{}, err
	}
	outcomes, err := j.run(next)
	report := Report{}
	for i, c := range list {
		at := of[i]
		switch {
		case at >= len(outcomes):
			report.Failed = append(report.Failed, Failure{c, errNotReached})
		case errors.Is(outcomes[at], errConflict):
			report.Conflicts = append(report.Conflicts, c)
		case outcomes[at] != nil:
			report.Failed = append(report.Failed, Failure{c, outcomes[at]})
		default:
			report.Applied = append(report.Applied, c)
		}
	}
	for i, d := range deeds {
		place := filepath.Join(j.private(), asideName, strconv.Itoa(i))
		if _, err := os.Lstat(place); err == nil {
			report.Aside = append(report.Aside, Aside{d.Rel, place})
		}
	}
	return report, err
}

var (
	errConflict   = errors.New("somebody else changed it since the command began")
	errNotReached = errors.New("applying was interrupted before it: it is completed when the next command starts")
)

func (j journal) private() string { return filepath.Dir(j.Upper) }

// write keeps the journal before the first step.
func (j journal) write() error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(j.private(), asideName), 0o700); err != nil {
		return err
	}
	file := filepath.Join(j.private(), journalName)
	f, err := os.OpenFile(file+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// Touched lists the changes of files that somebody else changed since the command began, as it is now: Apply would leave them.
func Touched(l *Layer, list []Change) (found []Change) {
	disk, err := openTree(l.Root)
	if err != nil {
		return list
	}
	defer disk.close()
	a := applier{disk: disk, began: l.Began}
	for _, c := range list {
		now, err := disk.lstat(c.Rel)
		if err != nil || c.Kind == Made && !now.missing() || c.Kind != Made && !now.missing() && a.touched(deed{Old: c.old}, now) {
			found = append(found, c)
		}
	}
	return found
}

// Finish completes what a crash interrupted in the private folder of a command, whose process has ended. What somebody changed since is left
// as it is.
func Finish(private string) error {
	text, err := os.ReadFile(filepath.Join(private, journalName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var j journal
	if err == nil {
		err = json.Unmarshal(text, &j)
	}
	if err != nil {
		return fmt.Errorf("what a command did was not wholly applied, and cannot be completed: %w", err)
	}
	_, err = j.run(func() error { return nil })
	return err
}

// run does the deeds, as far as next lets it, and says what came of each.
func (j journal) run(next func() error) (outcomes []error, err error) {
	a := applier{began: j.Began, next: next}
	if a.upper, err = openTree(j.Upper); err != nil {
		return nil, err
	}
	defer a.upper.close()
	if a.disk, err = openTree(j.Root); err != nil {
		return nil, err
	}
	defer a.disk.close()
	if a.aside, err = openTree(filepath.Join(j.private(), asideName)); err != nil {
		return nil, err
	}
	defer a.aside.close()
	for i, d := range j.Deeds {
		err := a.do(d, strconv.Itoa(i))
		if errors.Is(err, errStopped) {
			return outcomes, err
		}
		outcomes = append(outcomes, err)
	}
	return outcomes, os.Remove(filepath.Join(j.private(), journalName))
}

var errStopped = errors.New("stopped")

type applier struct {
	upper, disk, aside tree
	began              time.Time
	next               func() error
}

// step asks whether it goes on.
func (a applier) step() error {
	if err := a.next(); err != nil {
		return errors.Join(errStopped, err)
	}
	return nil
}

// do does a deed, or what is left of it. number names what is put aside for it.
func (a applier) do(d deed, number string) error {
	kept, err := a.aside.lstat(number)
	if err != nil {
		return err
	}
	now, err := a.disk.lstat(d.Rel)
	if err != nil {
		return err
	}
	if d.Kind == Removed {
		return a.remove(d, number, now, kept)
	}
	fresh, err := a.upper.lstat(d.Rel)
	if err != nil {
		return err
	}
	switch {
	case d.Kind == Set:
		return a.set(d, now)
	case d.Kind == Made && d.Fresh.kind() == unix.S_IFDIR && !d.Whole:
		return a.makeFolder(d, now)
	case fresh.Inode != d.Fresh.Inode || fresh.kind() != d.Fresh.kind():
		return nil // it was moved before
	case d.Kind == Made && !now.missing():
		return errConflict
	case d.Kind == Changed && kept.missing() && a.touched(d, now):
		return errConflict
	}
	if err := a.ready(d, d.Rel); err != nil {
		return err
	}
	switch {
	case d.Kind == Made:
		return a.move(d.Rel, unix.RENAME_NOREPLACE)
	case d.Names:
		return a.writeInPlace(d, number)
	}
	if kept.missing() {
		if err := a.keep(d, number); err != nil {
			return err
		}
	}
	return a.move(d.Rel, 0)
}

// touched reports whether somebody changed a file since the command began.
func (a applier) touched(d deed, now stat) bool {
	return now.Inode != d.Old.Inode || now.kind() != d.Old.kind() || now.since(a.began)
}

// remove puts a file or folder aside.
func (a applier) remove(d deed, number string, now, kept stat) error {
	switch {
	case now.missing() || !kept.missing():
		return nil
	case d.Old.kind() == unix.S_IFDIR && !d.Whole:
		err := a.step()
		if err == nil {
			err = a.disk.at(d.Rel, func(dir int, name string) error { return unix.Unlinkat(dir, name, unix.AT_REMOVEDIR) })
		}
		if errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST) {
			return nil // what is left in it stays
		}
		return err
	case d.Whole:
		if now.Inode != d.Old.Inode || a.anyTouched(d.Rel) {
			return errConflict
		}
	case a.touched(d, now):
		return errConflict
	}
	if err := a.step(); err != nil {
		return err
	}
	err := rename(a.disk, d.Rel, a.aside, number, unix.RENAME_NOREPLACE)
	if !errors.Is(err, unix.EXDEV) {
		return err
	}
	if d.Whole {
		return a.removeElsewhere(d.Rel)
	}
	return errors.Join(copyTo(a.disk, d.Rel, a.aside, number), a.disk.at(d.Rel, func(dir int, name string) error { return unix.Unlinkat(dir, name, 0) }))
}

// removeElsewhere removes a folder of another file system: nothing of it is kept.
func (a applier) removeElsewhere(rel string) error {
	names, err := a.disk.names(rel)
	if err != nil {
		return err
	}
	for _, name := range names {
		at := path.Join(rel, name)
		s, err := a.disk.lstat(at)
		if err != nil {
			return err
		}
		if s.kind() == unix.S_IFDIR {
			err = a.removeElsewhere(at)
		} else {
			err = a.disk.at(at, func(dir int, name string) error { return unix.Unlinkat(dir, name, 0) })
		}
		if err != nil {
			return err
		}
	}
	return a.disk.at(rel, func(dir int, name string) error { return unix.Unlinkat(dir, name, unix.AT_REMOVEDIR) })
}

// anyTouched reports whether somebody changed something in a folder since the command began. A folder that was moved in has a new change time,
// and what is in it does not, so both count.
func (a applier) anyTouched(rel string) bool {
	s, err := a.disk.lstat(rel)
	if err != nil || s.since(a.began) {
		return true
	}
	if s.kind() != unix.S_IFDIR {
		return false
	}
	names, err := a.disk.names(rel)
	if err != nil {
		return true
	}
	for _, name := range names {
		if a.anyTouched(path.Join(rel, name)) {
			return true
		}
	}
	return false
}

// makeFolder makes a folder of which not all goes into the workspace.
func (a applier) makeFolder(d deed, now stat) error {
	if now.kind() == unix.S_IFDIR {
		return nil
	}
	if !now.missing() {
		return errConflict
	}
	if err := a.step(); err != nil {
		return err
	}
	return a.disk.at(d.Rel, func(dir int, name string) error {
		if err := unix.Mkdirat(dir, name, 0o700); err != nil {
			return err
		}
		return unix.Fchmodat(dir, name, d.Fresh.Mode&0o777, 0)
	})
}

// set gives a file or folder the mode and times that the command gave it.
func (a applier) set(d deed, now stat) error {
	if now.Inode != d.Old.Inode || now.kind() != d.Old.kind() {
		return errConflict
	}
	if now.Mode&0o777 == d.Fresh.Mode&0o777 && (now.Modified == d.Fresh.Modified || now.kind() == unix.S_IFDIR) {
		return nil
	}
	if now.kind() != unix.S_IFDIR && now.since(a.began) {
		return errConflict
	}
	if err := a.step(); err != nil {
		return err
	}
	return a.disk.at(d.Rel, func(dir int, name string) error {
		if err := unix.Fchmodat(dir, name, d.Fresh.Mode&0o777|now.Mode&0o7000, 0); err != nil || now.kind() == unix.S_IFDIR {
			return err
		}
		return unix.UtimesNanoAt(dir, name, []unix.Timespec{d.Fresh.Accessed, d.Fresh.Modified}, unix.AT_SYMLINK_NOFOLLOW)
	})
}

// ready takes off what is the overlay's, and the rights of other users, before something is moved into the workspace.
func (a applier) ready(d deed, rel string) error {
	s, err := a.upper.lstat(rel)
	if err != nil {
		return err
	}
	err = a.upper.at(rel, func(dir int, name string) error {
		if err := plain(dir, name); err != nil || s.kind() == unix.S_IFLNK {
			return err
		}
		if s.Mode&(unix.S_ISUID|unix.S_ISGID|unix.S_ISVTX) != 0 && s.kind() == unix.S_IFREG {
			return unix.Fchmodat(dir, name, s.Mode&0o777, 0)
		}
		return nil
	})
	if err != nil || s.kind() != unix.S_IFDIR {
		return err
	}
	names, err := a.upper.names(rel)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := a.ready(d, path.Join(rel, name)); err != nil {
			return err
		}
	}
	return nil
}

// move moves a file, link or folder of the layer into the workspace.
func (a applier) move(rel string, flags uint) error {
	if err := a.step(); err != nil {
		return err
	}
	err := rename(a.upper, rel, a.disk, rel, flags)
	switch {
	case errors.Is(err, unix.EXDEV):
		return a.copyOver(rel, flags)
	case errors.Is(err, unix.EEXIST) || errors.Is(err, unix.ENOENT): // something came, or the folder went
		return errConflict
	}
	return err
}

// copyOver is move between file systems: a copy under another name takes the place at once.
func (a applier) copyOver(rel string, flags uint) error {
	beside := path.Join(path.Dir(rel), ".assent-"+path.Base(rel))
	if len(path.Base(beside)) > unix.NAME_MAX {
		beside = beside[:len(beside)-(len(path.Base(beside))-unix.NAME_MAX)]
	}
	if err := copyTree(a.upper, rel, a.disk, beside); err != nil {
		return errors.Join(err, a.discard(beside))
	}
	if err := rename(a.disk, beside, a.disk, rel, flags); err != nil {
		err = errors.Join(err, a.discard(beside))
		if errors.Is(err, unix.EEXIST) {
			return errConflict
		}
		return err
	}
	return a.upper.at(rel, func(dir int, name string) error { return os.RemoveAll(fmt.Sprintf("/proc/self/fd/%d/%s", dir, name)) })
}

func (a applier) discard(rel string) error {
	return a.disk.at(rel, func(dir int, name string) error { return os.RemoveAll(fmt.Sprintf("/proc/self/fd/%d/%s", dir, name)) })
}

// keep puts what a file held aside, before another one takes its place: by a second name where the file system has such.
func (a applier) keep(d deed, number string) error {
	if err := a.step(); err != nil {
		return err
	}
	err := a.disk.at(d.Rel, func(dir int, name string) error { return unix.Linkat(dir, name, a.aside.fd, number, 0) })
	if err == nil || errors.Is(err, unix.EEXIST) {
		return nil
	}
	return copyTo(a.disk, d.Rel, a.aside, number)
}

// writeInPlace writes a file that has several names, so that all of them have the new text.
func (a applier) writeInPlace(d deed, number string) error {
	if _, err := a.aside.file(number, unix.O_RDONLY); err != nil {
		if err := a.step(); err != nil {
			return err
		}
		if err := copyTo(a.disk, d.Rel, a.aside, number); err != nil {
			return err
		}
	}
	if err := a.step(); err != nil {
		return err
	}
	from, err := a.upper.file(d.Rel, unix.O_RDONLY)
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // only read
	to, err := a.disk.file(d.Rel, unix.O_WRONLY|unix.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if err := errors.Join(err, to.Chmod(fs.FileMode(d.Fresh.Mode&0o777)), to.Sync(), to.Close()); err != nil {
		return err
	}
	return a.upper.at(d.Rel, func(dir int, name string) error { return unix.Unlinkat(dir, name, 0) })
}

func rename(from tree, old string, to tree, name string, flags uint) error {
	return from.at(old, func(a int, one string) error {
		return to.at(name, func(b int, two string) error { return unix.Renameat2(a, one, b, two, flags) })
	})
}

// copyTree copies a file, link or folder to a name that is not there.
func copyTree(from tree, old string, to tree, name string) error {
	s, err := from.lstat(old)
	if err != nil {
		return err
	}
	if s.kind() != unix.S_IFDIR {
		return copyTo(from, old, to, name)
	}
	if err := to.at(name, func(dir int, base string) error { return unix.Mkdirat(dir, base, 0o700) }); err != nil {
		return err
	}
	names, err := from.names(old)
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := copyTree(from, path.Join(old, n), to, path.Join(name, n)); err != nil {
			return err
		}
	}
	return to.at(name, func(dir int, base string) error { return unix.Fchmodat(dir, base, s.Mode&0o777, 0) })
}

// copyTo copies a file or link to a name that is not there, with its mode and times.
func copyTo(from tree, old string, to tree, name string) error {
	s, err := from.lstat(old)
	if err != nil {
		return err
	}
	if s.kind() == unix.S_IFLNK {
		target, err := from.link(old)
		if err != nil {
			return err
		}
		return to.at(name, func(dir int, base string) error { return unix.Symlinkat(target, dir, base) })
	}
	in, err := from.file(old, unix.O_RDONLY)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // only read
	return to.at(name, func(dir int, base string) error {
		fd, err := unix.Openat(dir, base, unix.O_CREAT|unix.O_EXCL|unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
		if err != nil {
			return err
		}
		out := os.NewFile(uintptr(fd), base)
		_, err = io.Copy(out, in)
		err = errors.Join(err, unix.Fchmod(fd, s.Mode&0o777), unix.Futimes(fd, nil), out.Close())
		return errors.Join(err, unix.UtimesNanoAt(dir, base, []unix.Timespec{s.Accessed, s.Modified}, unix.AT_SYMLINK_NOFOLLOW))
	})
}

// Texts are what a file held and what the command left of it, if both are at most so many bytes; nil: there was none, or there is none. It is
// called before Apply.
func (c Change) Texts(l *Layer, most int64) (before, after *string, ok bool) {
	if c.Mode.Type() != 0 {
		return nil, nil, false
	}
	read := func(dir string, size int64) (*string, bool) {
		t, err := openTree(dir)
		if err != nil || size > most {
			return nil, false
		}
		defer t.close()
		f, err := t.file(c.Rel, unix.O_RDONLY)
		if err != nil {
			return nil, false
		}
		defer f.Close() //nolint:errcheck // only read
		var b strings.Builder
		n, err := io.Copy(&b, io.LimitReader(f, most+1))
		text := b.String()
		return &text, err == nil && n <= most
	}
	ok = true
	if c.Kind != Made {
		if before, ok = read(l.Root, c.old.Size); !ok {
			return nil, nil, false
		}
	}
	if c.Kind != Removed {
		after, ok = read(l.Upper, c.fresh.Size)
	}
	return before, after, ok
}
