package diagnosis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/internal/settings"
)

// Misspelt is an unknown key of a settings file, and the setting that was probably meant.
type Misspelt struct{ Key, Meant string }

// String is a few words for people.
func (m Misspelt) String() string { return fmt.Sprintf("%s is probably %s", m.Key, m.Meant) }

// MisspeltKeys lists the keys of the user's settings file that are nearly those of settings, are not there by their
// right names, too, and whose values those settings can have.
func MisspeltKeys(text []byte) (list []Misspelt) {
	root, err := jsonc.Parse(text)
	if err != nil || root.Kind != jsonc.Object {
		return nil
	}
	there := func(name string) bool {
		return slices.ContainsFunc(root.Members, func(m jsonc.Member) bool { return m.Key == name }) ||
			slices.ContainsFunc(list, func(m Misspelt) bool { return m.Meant == name })
	}
	all := settings.Fields()
	for _, m := range root.Members {
		if slices.ContainsFunc(all, func(f settings.Field) bool { return f.Name == m.Key }) {
			continue
		}
		name := settings.Near(m.Key)
		at := slices.IndexFunc(all, func(f settings.Field) bool { return f.Name == name })
		if at < 0 || there(name) || !isSure(m.Key, name) {
			continue
		}
		if _, err := all[at].Decode(m.Value.Raw); err == nil {
			list = append(list, Misspelt{m.Key, name})
		}
	}
	return list
}

// A file is changed only where a name is nearly the right one; elsewhere a person is told which may be meant.
const (
	wrongLetters = 2 // that a key may have
	sureLetters  = 5 // of the shortest key with wrong ones
)

// isSure reports whether a key is the name of a setting but for its case, or for few letters of many.
func isSure(key, name string) bool {
	key, name = strings.ToLower(key), strings.ToLower(name)
	return key == name ||
		len(key) >= sureLetters && levenshtein.ComputeDistance(key, name) <= wrongLetters
}

// MendKeys writes the right names into the text of a settings file. All else stays as it is.
func MendKeys(text []byte, list []Misspelt) ([]byte, error) {
	root, err := jsonc.Parse(text)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(text)
	for _, m := range slices.Backward(root.Members) {
		at := slices.IndexFunc(list, func(l Misspelt) bool { return l.Key == m.Key })
		if at < 0 {
			continue
		}
		out = slices.Concat(out[:m.Offset], []byte(strconv.Quote(list[at].Meant)), out[m.Offset+m.Length:])
	}
	return out, nil
}
