// Package diagnosis finds out what keeps Assent from working well on a machine, apart from its model servers: known
// vulnerabilities, editors, the state folder and the disk. It makes reports that tell nobody's secrets, and mends what
// can be mended without harm.
package diagnosis

import (
	_ "embed" // the table
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/BurntSushi/toml"
)

//go:embed ollama.toml
var tableText string

// vulnerability is one row of the table.
type vulnerability struct {
	ID    string
	Fixed string // the first version without it
	Text  string
}

type table struct {
	Date          time.Time
	Vulnerability []vulnerability
}

// known is the table. A mistake in it panics: the package's test reads it.
var known = sync.OnceValue(func() table {
	var t table
	if _, err := toml.Decode(tableText, &t); err != nil {
		panic(fmt.Sprintf("diagnosis: ollama.toml: %v", err))
	}
	return t
})

// Vulnerable lists what is known to be wrong with a version of Ollama, each in a few words, and from which day the
// table of that is. A version that is no number, such as that of a build of one's own, has nothing known.
func Vulnerable(version string) (found []string, day string) {
	t := known()
	day = t.Date.Format(time.DateOnly)
	now, ok := number(version)
	if !ok {
		return nil, day
	}
	for _, v := range t.Vulnerability {
		if fixed, _ := number(v.Fixed); slices.Compare(now, fixed) < 0 {
			found = append(found, fmt.Sprintf("%s (%s; fixed in %s)", v.ID, v.Text, v.Fixed))
		}
	}
	return found, day
}

// number reads a version of three numbers. What comes after them, such as -rc1, makes it older than the version itself,
// which is not told apart: a candidate of a fixed version counts as fixed.
func number(version string) (n []int, ok bool) {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "-")
	for part := range strings.SplitSeq(version, ".") {
		v, err := strconv.Atoi(part)
		if err != nil {
			return nil, false
		}
		n = append(n, v)
	}
	return n, len(n) == 3 && slices.Max(n) > 0
}
