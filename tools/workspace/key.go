package workspace

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A key names one very folder: its path, "|", and marks that another folder made later at this path does not have, even
// if it gets the same inode. A folder whose file system has no such marks has a key of this session alone.
const sessionMark = "session:"

// keyOf makes the key of an open folder.
func keyOf(resolved string, dir *os.Root) (string, error) {
	f, err := dir.Open(".")
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only looked at
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	marks := lastingMarks(f, info)
	if marks == "" {
		return resolved + "|" + sessionMark + rand.Text(), nil
	}
	return resolved + "|" + Identity(info) + ":" + marks, nil
}

// FileKey names one very file, whatever its path: another file that is made later has another key, as far as the file
// system has marks.
func FileKey(f *os.File) (string, error) {
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	return Identity(info) + ":" + lastingMarks(f, info), nil
}

// Folder is the path of the folder that a key names.
func Folder(key string) string {
	if at := strings.LastIndexByte(key, '|'); at >= 0 {
		return key[:at]
	}
	return key
}

// Lasting says whether the folder that a key names can be told from every other one in later sessions. If not, what a
// user says about it holds as long as this process has it open, and must not be kept.
func Lasting(key string) bool { return !strings.HasPrefix(key[len(Folder(key)):], "|"+sessionMark) }

// OtherFolder says whether two keys name different folders at one path. Keys of an older form, which had fewer marks,
// name other folders than all keys of today, since that is not known.
func OtherFolder(a, b string) bool { return a != b && Folder(a) == Folder(b) }

// SessionOnly is the sentence for the user about a folder whose key is not Lasting.
func SessionOnly(key string) string {
	return fmt.Sprintf(
		"The file system does not tell %q from another folder in its place, so this holds only until Assent ends.",
		Folder(key),
	)
}

// RealName follows the links of a path as far as it exists.
func RealName(abs string) string {
	abs = filepath.Clean(abs)
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	dir, base := filepath.Split(abs)
	if dir = filepath.Clean(dir); dir == abs {
		return abs
	}
	return filepath.Join(RealName(dir), base)
}

// StateFolder is the user's default state folder.
func StateFolder() (string, error) {
	base := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) { // a relative one is to be ignored, says the XDG specification
		home, err := os.UserHomeDir()
		if err != nil {
			return "", Fail(
				ErrState, "There is no home folder to keep trust and grants in: set HOME or XDG_STATE_HOME.",
			)
		}
		base = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(base, "assent"), nil
}

// ErrState wraps what is wrong with the user's state folder; its text says what to do.
var ErrState = errors.New("state folder")
