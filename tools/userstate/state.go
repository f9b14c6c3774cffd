// Package userstate keeps what the user said about folders and chats, and what processes share: trust, locks, begun
// calls and the queue at the model server. It is kept in the user's own state folder, never in a workspace.
package userstate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/workspace"
)

const (
	stateVersion = 1
	maxStateFile = 16 << 20
)

// State is what the user said about folders and chats, kept in the user's own state folder (0700, files 0600). Every
// change is an atomic replace under a lock, so several processes may share it. Methods may be called concurrently.
type State struct {
	dir string

	mu       sync.Mutex // guards what follows
	owner    string
	problems []string
	tell     func(sentence string) // nil: nothing is called yet
	session  map[string]bool       // trusted keys that must not be kept
}

// OpenState uses dir, or the user's default state folder ($XDG_STATE_HOME/assent, else ~/.local/state/assent) if dir
// is empty. A folder that is a link or belongs to somebody else is refused (ErrState). Nothing is written until
// something is kept.
func OpenState(dir string) (*State, error) {
	if dir == "" {
		var err error
		if dir, err = workspace.StateFolder(); err != nil {
			return nil, err
		}
	}
	s := &State{dir: dir, owner: "assent", session: map[string]bool{}}
	if err := s.check(); err != nil {
		return nil, err
	}
	return s, nil
}

// Now is the time as state files keep it.
func Now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// Dir is the state folder.
func (s *State) Dir() string { return s.dir }

// Recovered makes the folder for chats that could not be kept where they belong, and returns its path.
func (s *State) Recovered() (string, error) { return s.Folder("recovered") }

// Folder makes a folder in the state folder, and returns its path.
func (s *State) Folder(name string) (string, error) {
	root, err := s.openWith(name)
	if err != nil {
		return "", err
	}
	return filepath.Join(s.dir, name), root.Close()
}

// Problems are sentences for the user about what was found broken since the state was opened.
func (s *State) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// OnProblem calls tell once with each sentence of Problems: at once with those that are known, with others when they
// are found. tell is called by the code that finds the problem, and must not wait.
func (s *State) OnProblem(tell func(sentence string)) {
	s.mu.Lock()
	known := slices.Clone(s.problems)
	s.tell = tell
	s.mu.Unlock()
	for _, sentence := range known {
		tell(sentence)
	}
}

// Report adds a sentence to Problems.
func (s *State) Report(sentence string) {
	s.mu.Lock()
	tell, known := s.tell, slices.Contains(s.problems, sentence)
	if !known {
		s.problems = append(s.problems, sentence)
	}
	s.mu.Unlock()
	if tell != nil && !known {
		tell(sentence)
	}
}

// check refuses a state folder that somebody else could put in place.
func (s *State) check() error {
	info, err := os.Lstat(s.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return s.fail("The state folder %q cannot be used: %v.", "", err)
	case info.Mode()&fs.ModeSymlink != 0:
		return stateError("The state folder %q is a link: put a real folder in its place.", s.dir)
	case !info.IsDir():
		return stateError("The state folder %q is not a folder: move it away.", s.dir)
	case !workspace.OwnedByUser(info):
		return stateError("The state folder %q belongs to another user: set XDG_STATE_HOME to a folder of your own.", s.dir)
	}
	return s.checkVersion()
}

// fail says in a sentence what could not be done with a file of the state, or with the folder if name is empty.
func (s *State) fail(sentence, name string, err error) error {
	return stateError(sentence, filepath.Join(s.dir, name), workspace.Cause(err))
}

func (s *State) notRegular(name string) error {
	return stateError("%q is not a regular file: move it away.", filepath.Join(s.dir, name))
}

// stateError says in a sentence why the state cannot be used.
func stateError(sentence string, args ...any) error {
	return workspace.Fail(workspace.ErrState, sentence, args...)
}

// open makes the state folder if needed, narrows its mode, and returns it confined.
func (s *State) open() (*os.Root, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, s.fail("The state folder %q cannot be made: %v.", "", err)
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil, s.fail("The state folder %q cannot be used: %v.", "", err)
	}
	if err := root.Chmod(".", 0o700); err != nil {
		return nil, errors.Join(s.fail("The state folder %q cannot be made private: %v.", "", err), root.Close())
	}
	return root, nil
}

// openWith is open, with a folder in the state folder that is made if needed.
func (s *State) openWith(folder string) (*os.Root, error) {
	root, err := s.open()
	if err != nil {
		return nil, err
	}
	if err := root.MkdirAll(folder, 0o700); err != nil {
		return nil, errors.Join(s.fail("The folder %q cannot be made: %v.", folder, err), root.Close())
	}
	return root, nil
}

// envelope is what every state file holds.
type envelope struct {
	Version int             `json:"version"`
	Data    json.RawMessage `json:"data"`
}

// errBroken says that a state file does not hold what it should.
var errBroken = errors.New("broken")

// Load reads a state file; a missing one is T's zero value. A file that is broken is moved aside, reported in Problems,
// and counts as missing. A file from a newer version is an error and stays.
func Load[T any](s *State, name string) (v T, err error) {
	if _, err := os.Lstat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	root, err := s.open()
	if err != nil {
		return v, err
	}
	defer root.Close() //nolint:errcheck // only read
	v, err = read[T](s, root, name)
	if errors.Is(err, errBroken) {
		// Another process may have replaced it meanwhile: only who holds the lock moves it.
		err = s.locked(name, func(root *os.Root) (err error) {
			v, err = readOrMove[T](s, root, name)
			return err
		})
	}
	return v, err
}

// Update changes a state file: it loads it (a missing or broken one as T's zero value), calls change, and writes the
// result, under a lock that other processes respect. If change fails nothing is written.
func Update[T any](s *State, name string, change func(*T) error) error {
	return s.locked(name, func(root *os.Root) error {
		v, err := readOrMove[T](s, root, name)
		if err != nil {
			return err
		}
		if err := change(&v); err != nil {
			return err
		}
		return s.write(root, name, v)
	})
}

// UpdateMap is Update for a file that holds a map. A missing or broken one is empty.
func UpdateMap[V any](s *State, name string, change func(map[string]V) error) error {
	return Update(s, name, func(all *map[string]V) error {
		if *all == nil {
			*all = map[string]V{}
		}
		return change(*all)
	})
}

// Retire moves a state file aside that nothing uses any more, so that it can be looked at.
func (s *State) Retire(name string) error {
	return s.locked(name, func(root *os.Root) error {
		if err := workspace.IgnoreMissing(root.Rename(name, name+".old")); err != nil {
			return s.fail("%q cannot be moved aside: %v.", name, err)
		}
		return nil
	})
}

// A state file is changed in milliseconds. Who holds its lock for longer is stopped or broken, and must not hold up a
// run.
const (
	lockLimit = 5 * time.Second
	lockPause = 10 * time.Millisecond
)

// locked runs do with the state folder while no other process changes a state file.
func (s *State) locked(name string, do func(root *os.Root) error) error {
	root, err := s.open()
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // every write was closed before
	lock, err := s.lock(root, name)
	if err != nil {
		return err
	}
	for end := time.Now().Add(lockLimit); ; time.Sleep(lockPause) {
		held, err := lock.TryLock()
		if err != nil {
			return s.fail("%q cannot be locked: %v.", name, err)
		}
		if held {
			break
		}
		if time.Now().After(end) {
			return stateError("%q is held by another process: end it, and try again.", filepath.Join(s.dir, name))
		}
	}
	defer lock.Unlock() //nolint:errcheck // the lock ends with its file
	return do(root)
}

// readOrMove reads a state file and moves a broken one aside; the caller holds the file's lock.
func readOrMove[T any](s *State, root *os.Root, name string) (v T, err error) {
	v, err = read[T](s, root, name)
	if !errors.Is(err, errBroken) {
		return v, err
	}
	aside := name + ".corrupt-" + time.Now().UTC().Format("20060102T150405.000000000")
	if err := root.Rename(name, aside); err != nil {
		return v, s.fail("%q is broken and cannot be moved aside: %v.", name, err)
	}
	s.Report(
		fmt.Sprintf("%q was broken: nothing in it counts, and it was moved to %q.", filepath.Join(s.dir, name), aside),
	)
	return v, nil
}

// read reads a state file; for anything but success v is zero.
func read[T any](s *State, root *os.Root, name string) (v T, err error) {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		return v, s.notRegular(name)
	}
	data, err := diskfile.ReadSmallIn(root, name, maxStateFile)
	large := errors.Is(err, diskfile.ErrTooLarge)
	if err != nil && !large {
		return v, s.fail("%q cannot be read: %v.", name, err)
	}
	var e envelope
	if large || decodeStrict(data, &e) != nil || e.Version < 1 {
		return v, errBroken
	}
	if e.Version > stateVersion {
		return v, stateError(
			"%q was written by a newer version of Assent: it is not used and not changed.", filepath.Join(s.dir, name),
		)
	}
	var whole T // a half decoded value must not escape
	if decodeStrict(e.Data, &whole) != nil {
		return v, errBroken
	}
	return whole, nil
}

// decodeStrict decodes exactly one JSON value without unknown fields.
func decodeStrict(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the value")
	}
	return nil
}

func (s *State) write(root *os.Root, name string, v any) error {
	markVersion(root)
	data, err := json.Marshal(v)
	if err == nil {
		data, err = json.MarshalIndent(envelope{Version: stateVersion, Data: data}, "", "  ")
	}
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	temp := name + ".new"
	// Under the lock nobody else writes this name: what is there is the leftover of a crash.
	err = workspace.IgnoreMissing(root.Remove(temp))
	if err == nil {
		err = writeNew(root, temp, append(data, '\n'))
	}
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		return s.fail("%q cannot be written: %v.", name, err)
	}
	return nil
}

func writeNew(root *os.Root, name string, data []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
