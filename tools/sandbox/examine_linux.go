//go:build amd64 || arm64

package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// kind is a way to make the namespaces of a sandbox.
type kind struct {
	name    string
	program []string // takes the arguments of bubblewrap
	inside  string   // the path of this program in the sandbox
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
	if err := kernel(); err != nil {
		details = append(details, err.Error())
	} else {
		for _, k := range s.kinds(&details) {
			findings, err := s.prove(ctx, k)
			for _, f := range findings {
				details = append(details, k.name+": "+f)
			}
			if err == nil {
				return State{Proven: true, Kind: k.name, Details: details, Sentence: fmt.Sprintf(
					"Commands run in a sandbox (%s, Landlock %d): no network, nothing is written outside the workspace.", k.name, landlockVersion())}, k
			}
			details = append(details, fmt.Sprintf("%s: %v", k.name, err))
		}
	}
	sentence := "Commands are not confined, so each one is asked about."
	if len(details) > 0 {
		sentence = fmt.Sprintf("Commands are not confined, so each one is asked about: %s.", details[len(details)-1])
	}
	return State{Sentence: sentence, Details: details}, kind{}
}

// kinds are the ways that there are here, the best one first.
func (s *Sandbox) kinds(details *[]string) []kind {
	var found []kind
	for _, path := range bubblewraps {
		if os.Getenv(hideBubblewrap) != "" {
			*details = append(*details, bubblewrap+": hidden by "+hideBubblewrap)
			break
		}
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		if why := unfit(path, info); why != "" {
			*details = append(*details, fmt.Sprintf("%s: %s is not used, since %s", bubblewrap, path, why))
			continue
		}
		found = append(found, kind{name: bubblewrap, program: []string{path}, inside: program})
		break
	}
	if os.Getenv(hideNamespaces) != "" {
		*details = append(*details, namespaces+": hidden by "+hideNamespaces)
		return found
	}
	own := append([]string{"/proc/self/exe"}, s.options.Helper...)
	return append(found, kind{name: namespaces, program: append(own, wordEnter)})
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
