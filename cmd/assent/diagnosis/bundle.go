package diagnosis

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/egress"
)

// Bundle writes a report for others: what doctor says, which settings the user has without their values, and how often
// who contacted something. It holds no contents, secrets, paths, addresses elsewhere, or names of people and machines.
func (r *Report) Bundle(file, config, program string, places []egress.Place) error {
	instead := map[string]string{}
	for _, name := range r.Names {
		instead[name] = "NAME"
	}
	scrub := NewScrubber(instead)
	lines := []string{
		"A report of `assent doctor --bundle`, " + time.Now().UTC().Format(time.DateOnly) + ".",
		fmt.Sprintf(
			"assent %s, %s on %s/%s, %d processors", program, runtime.Version(), runtime.GOOS, runtime.GOARCH,
			runtime.NumCPU(),
		),
		"settings: " + strings.Join(keysInUse(config), ", "),
		"",
	}
	for _, finding := range r.Findings {
		lines = append(lines, scrub.Line(finding))
	}
	lines = append(lines, "")
	for _, place := range places {
		line := fmt.Sprintf("contacted %d times: %s by %s", place.Times, place.Host, kindOf(place.Who))
		lines = append(lines, scrub.Line(line))
	}
	left := len(lines)
	lines = slices.DeleteFunc(lines, func(line string) bool { return !scrub.Clean(line) })
	if left -= len(lines); left > 0 {
		lines = append(lines, fmt.Sprintf("(%d lines are left out, since they hold a name.)", left))
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	f, err := diskfile.Create(path, []byte(strings.Join(lines, "\n")+"\n"))
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s is there already: name a file that is not", file)
	case err != nil:
		return fmt.Errorf("the report cannot be written to %s, and nothing of it is left there: %w", file, err)
	}
	return f.Close()
}

// kinds are those that contact something, without the names that the user gave them.
var kinds = []string{ //nolint:gochecknoglobals // never changed
	"login", "MCP server", "model server", "trace exporter", "web tool",
}

func kindOf(who string) string {
	for _, kind := range kinds {
		if strings.HasPrefix(who, kind) {
			return kind
		}
	}
	return "another"
}

// keysInUse are the settings that the user's file sets, without their values.
func keysInUse(config string) (keys []string) {
	data, err := diskfile.ReadSmall(filepath.Join(config, "settings.json"), jsonc.MaxSize)
	if err != nil {
		return nil
	}
	root, err := jsonc.Parse(data)
	if err != nil {
		return []string{"the file cannot be read"}
	}
	all := settings.Fields()
	for _, m := range root.Members {
		if slices.ContainsFunc(all, func(f settings.Field) bool { return f.Name == m.Key }) {
			keys = append(keys, m.Key)
		} else {
			keys = append(keys, "an unknown key")
		}
	}
	return keys
}
