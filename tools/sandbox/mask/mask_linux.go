//go:build amd64 || arm64

// Package mask makes the layer between a workspace and what a command writes: it takes names away, and takes the place
// of files that the command must not read.
package mask

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// Options say what a command does not see as it is, by paths relative to the workspace.
type Options struct {
	Hidden  []string // not there
	Covered []string // files without their contents
	Cut     []string // files of git of which only settings that are plain are there
	NoText  []string // patterns of files whose texts git does not show
	// git's settings keep the addresses of other repositories, if those can hold no password, and the user's name
	Addresses bool
	Above     []string // folders of which another layer has a part: they look as those of the workspace
}

type mask struct {
	layer, real string          // an empty folder for the layer, and the workspace
	made        map[string]bool // folders and files of it, by their paths relative to the root
	order       []string
	last        unix.Timespec // the latest change of a covered file
}

// maxReplaced is how much of a file of git is copied into the mask, in bytes.
const maxReplaced = 64 << 20

// Make makes the mask of a workspace in an empty folder.
func Make(layer, workspace string, o Options) error {
	m := mask{layer: layer + "/", real: workspace + "/", made: map[string]bool{}}
	for _, rel := range o.Hidden {
		if err := m.hide(rel); err != nil {
			return fmt.Errorf("%s cannot be hidden: %w", rel, err)
		}
	}
	for _, rel := range o.Covered {
		if err := m.cover(rel, nil); err != nil {
			return fmt.Errorf("%s cannot be covered: %w", rel, err)
		}
	}
	var indexes []string
	for _, rel := range o.Cut {
		if err := m.cover(rel, o.plainSettings); err != nil {
			return fmt.Errorf("%s cannot be covered: %w", rel, err)
		}
		if dir, ok := strings.CutSuffix(rel, "/config"); ok {
			if err := m.noText(dir, o.NoText); err != nil {
				return err
			}
			indexes = append(indexes, dir+"/index")
		}
	}
	for _, rel := range o.Above {
		if err := m.above(rel + "/"); err != nil {
			return fmt.Errorf("%s: %w", rel, err)
		}
	}
	m.close()
	for _, rel := range indexes {
		if err := m.later(rel); err != nil {
			return err
		}
	}
	return Alike(layer, workspace)
}

// hide takes a name away: a character device 0/0 stands for nothing in a layer of an overlay.
func (m *mask) hide(rel string) error {
	if err := m.above(rel); err != nil {
		return err
	}
	return unix.Mknod(m.layer+rel, unix.S_IFCHR, 0)
}

// cover puts a file in the place of another: of the same size and empty, or with what cut leaves of it.
func (m *mask) cover(rel string, cut func([]byte) []byte) error {
	var is unix.Stat_t
	if err := unix.Lstat(m.real+rel, &is); (errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR)) ||
		err == nil && is.Mode&unix.S_IFMT != unix.S_IFREG {
		return m.hide(rel) // it was taken away, or something else has its name now
	} else if err != nil {
		return err
	}
	if err := m.above(rel); err != nil {
		return err
	}
	f, err := os.OpenFile(m.layer+rel, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // in memory
	m.made[rel], m.order = true, append(m.order, rel)
	if cut == nil {
		if is.Mtim.Nano() > m.last.Nano() {
			m.last = is.Mtim
		}
		return f.Truncate(is.Size)
	}
	in, err := os.OpenFile(m.real+rel, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil // nothing is left of it
	}
	defer in.Close() //nolint:errcheck // only read
	text, err := io.ReadAll(io.LimitReader(in, maxReplaced))
	if err == nil {
		_, err = f.Write(cut(text))
	}
	return err
}

// later makes an index of git later than the covered files. Of a file that was changed in the second in which its index
// was written, git reads the contents, whatever its size and time.
func (m *mask) later(rel string) error {
	var is unix.Stat_t
	if err := unix.Lstat(m.real+rel, &is); err != nil || is.Mtim.Sec > m.last.Sec || is.Size > maxReplaced {
		return nil //nolint:nilerr // it is late enough, or git says what is wrong with it
	}
	if err := m.cover(rel, func(text []byte) []byte { return text }); err != nil {
		return err
	}
	_ = Alike(m.layer+rel, m.real+rel) // it is there
	after := unix.Timespec{Sec: m.last.Sec + 1}
	return unix.UtimesNanoAt(unix.AT_FDCWD, m.layer+rel, []unix.Timespec{after, after}, 0)
}

// noText has git take files for binary, so that it shows nothing of their texts. Of all that sets attributes, the file
// in git's folder counts most.
func (m *mask) noText(dir string, patterns []string) error {
	var text strings.Builder
	for _, p := range patterns {
		text.WriteString(anyCase(p) + " -diff\n")
	}
	rel := dir + "/info/attributes"
	if err := m.above(rel); err != nil {
		return err
	}
	m.made[rel], m.order = true, append(m.order, rel)
	return os.WriteFile(m.layer+rel, []byte(text.String()), 0o600)
}

// anyCase is a quoted pattern of git that matches in any case.
func anyCase(pattern string) string {
	var b strings.Builder
	for _, r := range pattern {
		switch lower, upper := unicode.ToLower(r), unicode.ToUpper(r); {
		case lower != upper:
			fmt.Fprintf(&b, "[%c%c]", lower, upper)
		case unicode.IsControl(r):
			b.WriteByte('?')
		case r == '\\' || r == '"':
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// above makes the folders above a path.
func (m *mask) above(rel string) error {
	for i, c := range rel {
		if above := rel[:i]; c == '/' && !m.made[above] {
			if err := os.Mkdir(m.layer+above, 0o700); err != nil {
				return err
			}
			m.made[above], m.order = true, append(m.order, above)
		}
	}
	return nil
}

// close gives what the layer holds the owners, modes and times of what it lies over, whose place it takes in what a
// command sees.
func (m *mask) close() {
	for _, rel := range slices.Backward(m.order) {
		_ = Alike(m.layer+rel, m.real+rel) // who is gone has none
	}
}

// Alike gives a folder or file the owner, mode and times of another one.
func Alike(path, as string) error {
	var is unix.Stat_t
	if err := unix.Lstat(as, &is); err != nil {
		return err
	}
	_ = unix.Lchown(path, int(is.Uid), int(is.Gid)) // an ordinary user has no other
	if err := unix.Chmod(path, is.Mode&0o7777); err != nil {
		return err
	}
	return unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{is.Atim, is.Mtim}, unix.AT_SYMLINK_NOFOLLOW)
}

// plain matches the settings of git that say how a repository is stored and what its branches follow, with values that
// can hold no password.
var plain = lazyregexp.New(
	`(?i)^\s*(?:(?:core\.(?:repositoryformatversion|bare|filemode|symlinks|ignorecase|precomposeunicode|logallrefupdates|autocrlf|eol|worktree)` +
		`|extensions\.(?:objectformat|compatobjectformat|refstorage|worktreeconfig|relativeworktrees|partialclone|noop)|branch\.(?:remote|merge)|remote\.(?:fetch|promisor))` +
		`\s*=\s*[\w./*:+-]*)\s*$`,
)

// reaching matches the settings of git that a command with a network needs besides: an address without a user, a
// password or a query, and who commits.
var reaching = lazyregexp.New(`(?i)^(?:remote\.url\s*=\s*https?://[\w.:-]+(?:/[\w./~+-]*)?` +
	`|user\.(?:name|email)\s*=\s*[\w .@+-]+)$`)

var section = lazyregexp.New(`^\s*\[(\w+)(?: "([\w./+-]*)")?\]\s*$`)

// plainSettings is what is left of a file of git's settings without what may hold a password or name a program, such as
// addresses and filters.
func (o Options) plainSettings(text []byte) []byte {
	var out strings.Builder
	in := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(strings.TrimSpace(line), "[") {
			in = ""
			if s := section().FindStringSubmatch(line); s != nil {
				in = s[1]
				out.WriteString(line + "\n")
			}
			continue
		}
		setting := in + "." + strings.TrimSpace(line)
		if in != "" && (plain().MatchString(setting) && !strings.Contains(line, "://") ||
			o.Addresses && reaching().MatchString(setting)) {
			out.WriteString(line + "\n")
		}
	}
	return []byte(out.String())
}
