package schema

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// MaxSaid is how many words a model is given to choose an identifier from.
const MaxSaid = 120

// Lookup gives the schema of the arguments of a tool that is not Assent's own: what its name says to be an identifier
// is one of the words that were said, since a small model makes up what it does not know. bare leaves out all that may
// be left out. nil: the tool's own is narrow enough.
func Lookup(parameters json.RawMessage, said []string, bare bool) json.RawMessage {
	own, err := readObject(parameters)
	if err != nil {
		return nil
	}
	narrowed := false
	for _, p := range own.properties {
		if bare && !slices.Contains(own.required, p.Key) {
			own, narrowed = own.without(p.Key), true
			continue
		}
		var property struct {
			Type any
			Enum []any
		}
		if !identifier().MatchString(p.Key) || json.Unmarshal(p.Value, &property) != nil || len(property.Enum) > 0 {
			continue
		}
		var choice json.RawMessage
		switch property.Type {
		case "string":
			choice = paths(said[:min(len(said), MaxSaid)])
		case "integer":
			choice = numbers(said)
		}
		if choice != nil {
			own, narrowed = own.with(p.Key, choice), true
		}
	}
	if !narrowed {
		return nil
	}
	return own.json()
}

// identifier tells the names of arguments that name one thing among others.
var identifier = lazyregexp.New(`^(id|key|iid|uuid|ref|slug|number)$|(_id|Id|ID|_key|Key|_number|Number)$`)

// numbers are those of the words that are whole numbers; nil: there are none.
func numbers(said []string) json.RawMessage {
	var list []int64
	for _, word := range said {
		if n, err := strconv.ParseInt(word, 10, 64); err == nil && len(list) < MaxSaid {
			list = append(list, n)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return enum(list)
}
