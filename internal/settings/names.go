package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Names is a list of names without order, each once: written in JSON as an array, on the command line as "a,b". It is a
// text so that values of settings can be compared.
type Names string

// All lists the names, sorted.
func (n Names) All() []string {
	if n == "" {
		return nil
	}
	return strings.Split(string(n), ",")
}

// with returns the names of both lists.
func (n Names) with(other Names) Names { return NamesOf(append(n.All(), other.All()...)) }

// within divides a list into the names that another one has, too, and the others.
func (n Names) within(other Names) (kept, others Names) {
	var in, out []string
	for _, name := range n.All() {
		if slices.Contains(other.All(), name) {
			in = append(in, name)
		} else {
			out = append(out, name)
		}
	}
	return NamesOf(in), NamesOf(out)
}

// NamesOf is the list of some names.
func NamesOf(names []string) Names {
	return Names(strings.Join(slices.Compact(slices.Sorted(slices.Values(names))), ","))
}

// MarshalJSON writes an array.
func (n Names) MarshalJSON() ([]byte, error) { return json.Marshal(append([]string{}, n.All()...)) }

// UnmarshalJSON reads an array.
func (n *Names) UnmarshalJSON(data []byte) error {
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return errors.New(`a list of names is an array such as ["a", "b"]`)
	}
	for _, name := range names {
		if err := checkName(name); err != nil {
			return err
		}
	}
	*n = NamesOf(names)
	return nil
}

// Renames gives things other names: written in JSON as an object, on the command line as "old=new,old=new". It is a
// text, as Names is.
type Renames string

// All lists the new names by the old ones.
func (r Renames) All() map[string]string {
	all := map[string]string{}
	for _, pair := range Names(r).All() {
		from, to, _ := strings.Cut(pair, "=")
		all[from] = to
	}
	return all
}

// MarshalJSON writes an object.
func (r Renames) MarshalJSON() ([]byte, error) { return json.Marshal(r.All()) }

// UnmarshalJSON reads an object.
func (r *Renames) UnmarshalJSON(data []byte) error {
	var renames map[string]string
	if err := json.Unmarshal(data, &renames); err != nil {
		return errors.New(`new names are an object such as {"old": "new"}`)
	}
	var pairs []string
	taken := map[string]string{}
	for _, from := range slices.Sorted(maps.Keys(renames)) {
		to := renames[from]
		if err := errors.Join(checkName(from), checkName(to)); err != nil {
			return err
		}
		if other, twice := taken[to]; twice {
			return fmt.Errorf("%q and %q cannot both become %q", other, from, to)
		}
		taken[to] = from
		pairs = append(pairs, from+"="+to)
	}
	*r = Renames(NamesOf(pairs))
	return nil
}

const maxName = 100 // bytes

func checkName(name string) error {
	odd := func(r rune) bool { return r == ',' || r == '=' || unicode.IsSpace(r) || !unicode.IsPrint(r) }
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, odd) {
		return fmt.Errorf("%q is no name", name)
	}
	return nil
}

// listJSON is a value of one of these kinds as it is on a command line, in JSON.
func (f Field) listJSON(text string) (string, error) {
	names := strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
	if f.Kind == List {
		raw, err := json.Marshal(append([]string{}, names...))
		return string(raw), err
	}
	renames := map[string]string{}
	for _, pair := range names {
		from, to, ok := strings.Cut(pair, "=")
		if _, twice := renames[from]; twice || !ok {
			return "", fmt.Errorf("%q is not old=new, once for each old name", pair)
		}
		renames[from] = to
	}
	raw, err := json.Marshal(renames)
	return string(raw), err
}
