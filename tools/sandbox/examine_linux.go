//go:build amd64 || arm64

package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/assent-ls/assent/tools/sandbox/bounds"
	"github.com/assent-ls/assent/tools/sandbox/confine"
)

// kind is a way to make the namespaces of a sandbox.
type kind struct {
	name    string
	grouped bool // control groups can bound memory
	// starts in them the program that follows; none: whoever starts this program does it, see Wrapped.How
	program []string
}

const (
	bubblewrap = "bubblewrap"
	namespaces = "namespaces"
)

// bubblewraps are where bubblewrap may be. PATH does not choose it.
var bubblewraps = []string{"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"}

// examine tries the kinds in turn, and takes the first that passes the self-test.
func (s *Sandbox) examine(ctx context.Context) (State, kind) {
	if s.options.Off {
		return State{Sentence: sentenceOff}, kind{}
	}
	var details []string
	if err := confine.Kernel(); err != nil {
		details = append(details, err.Error())
	} else {
		for _, k := range s.kinds(&details) {
			findings, err := s.prove(ctx, k)
			for _, f := range findings {
				details = append(details, k.name+": "+f)
			}
			if err == nil {
				err = s.fits(ctx, k)
			}
			if err == nil {
				k.grouped = bounds.Grouped()
				sentence := fmt.Sprintf(
					"Commands run in a sandbox (%s, Landlock %d): no network, "+
						"and what they change in the workspace is checked before it is applied.",
					k.name, confine.Landlock(),
				)
				if f, err := s.folders(); err == nil && onOverlay(f.private) {
					sentence += fmt.Sprintf(
						" Until then it lies in memory, up to %d MB, since the files here are on an overlay.",
						s.options.memory()/2>>20,
					)
				}
				return State{Proven: true, Kind: k.name, Details: details, Sentence: sentence}, k
			}
			details = append(details, fmt.Sprintf("%s: %v", k.name, err))
		}
	}
	sentence := "Commands are not confined, so each one is asked about."
	if len(details) > 0 {
		sentence = fmt.Sprintf("Commands are not confined, so each one is asked about: %s.", details[len(details)-1])
	}
	sentence = strings.TrimSpace(sentence + " " + s.advice())
	return State{Sentence: sentence, Details: details}, kind{}
}

// fits tries a command in the workspace itself: not every one can be shown as an overlay. What keeps single commands
// out of the sandbox they say themselves.
func (s *Sandbox) fits(ctx context.Context, k kind) error {
	w, err := s.wrap(
		k,
		Command{
			Argv: []string{"/bin/sh", "-c", ":"}, Env: []string{"PATH=/usr/bin:/bin", "HOME=" + home()},
			Dir: s.options.Root,
		},
	)
	if err != nil {
		return nil // each command says it
	}
	defer w.Close()
	cmd := w.Command(ctx)
	cmd.Dir = "/"
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("this workspace cannot be shown to a command: %.300s", strings.TrimSpace(string(out)))
	}
	return nil
}

// kinds are the ways that there are here, the best one first: bubblewrap is for systems that let only some programs
// make namespaces.
func (s *Sandbox) kinds(details *[]string) []kind {
	var found []kind
	if os.Getenv(hideNamespaces) != "" {
		*details = append(*details, namespaces+": hidden by "+hideNamespaces)
	} else {
		found = append(found, kind{name: namespaces})
	}
	if os.Getenv(hideBubblewrap) != "" {
		*details = append(*details, bubblewrap+": hidden by "+hideBubblewrap)
		return found
	}
	for _, path := range bubblewraps {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		if why := unfit(path, info); why != "" {
			*details = append(*details, fmt.Sprintf("%s: %s is not used, since %s", bubblewrap, path, why))
			continue
		}
		return append(found, kind{name: bubblewrap, program: []string{
			path, "--unshare-all", "--die-with-parent", "--as-pid-1", "--cap-add", "ALL", "--dev-bind", "/", "/", "--",
		}})
	}
	return found
}

// unfit says why a program is not trusted to be bubblewrap: with the rights of root it would confine less.
func unfit(path string, info os.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok || !info.Mode().IsRegular():
		return "it is no ordinary file"
	case info.Mode()&os.ModeSetuid != 0:
		return "it runs with the rights of root (setuid)"
	case stat.Uid != 0 || info.Mode().Perm()&0o022 != 0:
		return "others than root may change it"
	}
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil || folder.Mode().Perm()&0o022 != 0 {
		return "others than root may change its folder"
	}
	return ""
}
