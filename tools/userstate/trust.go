package userstate

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools/workspace"
)

const trustFile = "trust.json"

// trusted is what trust.json holds: since when each workspace key is trusted.
type trusted map[string]time.Time

// Trusted says whether the user trusts the workspace with this key. If that is not known it is false, and Problems
// says why.
func (s *State) Trusted(key string) bool {
	if !workspace.Lasting(key) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.session[key]
	}
	t, err := Load[trusted](s, trustFile)
	if err != nil {
		s.Report(err.Error())
		return false
	}
	_, ok := t[key]
	return ok
}

// TrustOfAnother is a sentence for the user if the trust that was given at this path does not count for the folder that
// is there now; empty if there is none.
func (s *State) TrustOfAnother(key string) string {
	t, err := Load[trusted](s, trustFile)
	if err != nil {
		return "" // Trusted reports it
	}
	for kept := range t {
		if workspace.OtherFolder(kept, key) {
			return fmt.Sprintf(
				"%q was trusted, but another folder is there now, or an older Assent could not tell: "+
					"trust it again if it is yours.",
				workspace.Folder(key),
			)
		}
	}
	return ""
}

// Trust keeps that the user trusts a workspace: only a person's own act may lead here. It takes the place of what was
// said about other folders at its path. Of a key that is not Lasting it holds as long as this process runs.
func (s *State) Trust(key string) error {
	if strings.TrimSpace(key) == "" {
		return stateError("There is no workspace to trust.")
	}
	if !workspace.Lasting(key) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.session[key] = true
		return nil
	}
	return UpdateMap(s, trustFile, func(t map[string]time.Time) error {
		forgetOthers(t, key)
		if _, ok := t[key]; !ok {
			t[key] = Now()
		}
		return nil
	})
}

// Untrust takes trust back, also that of other folders at this path.
func (s *State) Untrust(key string) error {
	s.mu.Lock()
	delete(s.session, key)
	s.mu.Unlock()
	return UpdateMap(s, trustFile, func(t map[string]time.Time) error {
		delete(t, key)
		forgetOthers(t, key)
		return nil
	})
}

func forgetOthers(t trusted, key string) {
	maps.DeleteFunc(t, func(kept string, _ time.Time) bool { return workspace.OtherFolder(kept, key) })
}
