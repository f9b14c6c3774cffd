//go:build amd64 || arm64

package sandbox

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/sandbox/hidden"
)

// finder remembers the names of the workspace.
type finder = hidden.Finder

// notSeen is what a command does not see, see [hidden.Finder.Find].
func (s *Sandbox) notSeen(covering bool) (hidden.Names, error) {
	var denied []string
	if s.options.Hidden != nil {
		denied = s.options.Hidden()
	}
	return s.finder.Find(s.options.Root, denied, covering)
}

// watch looks for names that are to be hidden or covered and were not, until ctx ends. In a large workspace it looks
// less often, so that it takes no more than a twentieth of a processor.
func (s *Sandbox) watch(
	ctx context.Context, before hidden.Names, covering bool, upper string, exceeded func() string,
) string {
	const often, share = 500 * time.Millisecond, 20
	wait := often
	for {
		select {
		case <-ctx.Done():
			return ""
		case <-time.After(wait):
		}
		began := time.Now()
		found, err := s.notSeen(covering)
		if err != nil {
			return err.Error() + "."
		}
		if why := exceeded(); why != "" {
			return why + "."
		}
		if most := s.options.Disk; most > 0 && changes.Size(upper) > most {
			return fmt.Sprintf("it wrote more than %d MB in the workspace, which is the setting commandDisk.", most/1e6)
		}
		for _, rel := range slices.Concat(found.Hidden, found.Covered, found.Settings) {
			if !hidden.InAny(before.Hidden, rel) && !slices.Contains(before.Covered, rel) &&
				!slices.Contains(before.Settings, rel) {
				return rel + " is there since it began, and no command may see that. Run it again."
			}
		}
		wait = max(often, share*time.Since(began))
	}
}

// Foreign lists a few files that commands can only read, see [hidden.Foreign].
func (s *Sandbox) Foreign(most int) []string { return hidden.Foreign(s.options.Root, most) }
