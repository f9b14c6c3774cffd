package changes

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// What is beside the layer, in the private folder of the command.
const (
	journalName = "journal" // what is being applied; it is gone when all is done
	asideName   = "aside"   // what was removed or copied before it was replaced, by the numbers of the deeds
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

// Apply makes changes that Read listed, to their end: each is made whole or not at all, and a folder that was made or
// removed with all that is in it goes in one step. Only a crash interrupts it, and then Finish completes it.
func Apply(l *Layer, list []Change) (Report, error) {
	return apply(l, list, func() error { return nil })
}

// apply is Apply that asks before each step whether it goes on.
func apply(l *Layer, list []Change, next func() error) (Report, error) {
	deeds, of, err := plan(l, list)
	if err != nil || len(deeds) == 0 {
		return Report{}, err
	}
	j := journal{Root: l.Root, Upper: l.Upper, Began: l.Began, Deeds: deeds}
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
		var is unix.Stat_t
		aside, exchanged := filepath.Join(j.private(), asideName, strconv.Itoa(i)), filepath.Join(j.Upper, d.Rel)
		if unix.Lstat(aside, &is) == nil {
			report.Aside = append(report.Aside, Aside{d.Rel, aside})
		}
		if d.Kind == Changed && unix.Lstat(exchanged, &is) == nil && is.Ino == d.Old.Inode {
			report.Aside = append(report.Aside, Aside{d.Rel, exchanged})
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

// Touched lists the changes of files that somebody else changed since the command began: Apply would leave them.
func Touched(l *Layer, list []Change) (found []Change) {
	disk, err := openTree(l.Root)
	if err != nil {
		return list
	}
	defer disk.close()
	a := applier{disk: disk, began: l.Began}
	for _, c := range list {
		now, err := disk.lstat(c.Rel)
		if err != nil || c.Kind == Made && !now.missing() ||
			c.Kind != Made && !now.missing() && a.touched(deed{Old: c.old}, now) {
			found = append(found, c)
		}
	}
	return found
}

// Finish completes what a crash interrupted in the private folder of a command, whose process has ended. What somebody
// changed since is left as it is.
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
	trees, closeAll, err := openTrees(j.Upper, j.Root, filepath.Join(j.private(), asideName))
	if err != nil {
		return nil, err
	}
	defer closeAll()
	a := applier{upper: trees[0], disk: trees[1], aside: trees[2], began: j.Began, next: next}
	for i, d := range j.Deeds {
		err := a.do(d, strconv.Itoa(i))
		if errors.Is(err, errStopped) {
			return outcomes, err
		}
		outcomes = append(outcomes, err)
	}
	syncDisk(j.Root)
	return outcomes, os.Remove(filepath.Join(j.private(), journalName))
}

var errStopped = errors.New("stopped")

// syncDisk has the kernel write what was applied, and does not wait: in a volatile view the command's syncs did not.
func syncDisk(root string) {
	if fd, err := unix.Open(root, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err == nil {
		go func() { _, _ = unix.Syncfs(fd), unix.Close(fd) }() // the kernel writes it a little later all the same
	}
}
