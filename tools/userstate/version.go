package userstate

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/assent-ls/assent/tools/diskfile"
)

// The version of the folder as a whole: what its files and folders are called and mean. A program that knows only older
// ones changes nothing there. Each file of JSON has a version of its own besides.
const (
	versionFile   = "version"
	folderVersion = 1
)

// checkVersion refuses a folder that a newer program wrote. One without a version was written before there were any.
func (s *State) checkVersion() error {
	text, err := diskfile.ReadSmall(filepath.Join(s.dir, versionFile), 100)
	if err != nil {
		return nil //nolint:nilerr // what keeps it from being read keeps the rest from being used, and is told there
	}
	if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && n > folderVersion {
		return stateError(
			"The state folder %q was written by a newer Assent (its version is %d, and this one knows %d), so nothing "+
				"is read or changed there: update Assent, or set XDG_STATE_HOME to another folder.",
			s.dir, n, folderVersion,
		)
	}
	return nil
}

// markVersion writes the version where there is none, once something else is written. Who cannot leaves it to the next.
func markVersion(root *os.Root) {
	if _, err := root.Lstat(versionFile); os.IsNotExist(err) {
		if writeNew(root, versionFile, []byte(strconv.Itoa(folderVersion)+"\n")) != nil {
			_ = root.Remove(versionFile) // half of it may be there
		}
	}
}
