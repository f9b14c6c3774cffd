package transport

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/assent-ls/assent/agent/model"
)

const (
	nearModels = 3   // how many installed models a sentence names
	maxName    = 200 // bytes of a name that are compared
)

// Quote writes the words of a server as a person can read them: bounded, on one line, with nothing invisible.
func Quote(text string) string {
	const most = 300 // characters, and three times as many bytes once they are quoted
	runes := []rune(strings.TrimSpace(text))
	cut := len(runes) > most
	runes = runes[:min(len(runes), most)]
	for {
		text = string(runes)
		if cut {
			text += "…"
		}
		if quoted := strconv.Quote(text); len(quoted) <= 3*most {
			return quoted
		}
		runes, cut = runes[:len(runes)*3/4], true
	}
}

// Short is the innermost reason, without what the layers of HTTP put around it.
func Short(err error) string {
	if request, ok := errors.AsType[*url.Error](err); ok {
		err = request.Err
	}
	if operation, ok := errors.AsType[*net.OpError](err); ok {
		err = operation.Err
	}
	return err.Error()
}

// IsJSON reports whether an error is that an answer was no JSON, or none of the expected shape.
func IsJSON(err error) bool {
	var (
		syntax   *json.SyntaxError
		mismatch *json.UnmarshalTypeError
	)
	return errors.As(err, &syntax) || errors.As(err, &mismatch)
}

// TooLong is that a conversation does not fit the context of a model; needed and limit are tokens, if the server told.
// or is what helps besides a shorter one.
func TooLong(name string, needed, limit int, or string) *model.Error {
	what := fmt.Sprintf("The conversation does not fit the context of %s", name)
	if needed > 0 && limit > 0 {
		what = fmt.Sprintf("The conversation takes %d tokens, and the context of %s holds %d", needed, name, limit)
	}
	return &model.Error{
		Kind: model.ContextTooLong, Needed: needed, Limit: limit,
		Sentence: what + ": start a new chat, shorten this one, or " + or + ".",
	}
}

// Mentions reports whether a text has one of some words, which are in lower case.
func Mentions(text string, words ...string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// Sentence makes one of an error that has no capital letter and no full stop.
func Sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// Nearest picks the names most like a name, at most three: those of the same base first, then by edit distance.
func Nearest(name string, installed []string) []string {
	name = strings.ToLower(name[:min(maxName, len(name))])
	base, _, _ := strings.Cut(name, ":")
	distance := func(other string) int {
		other = strings.ToLower(other[:min(maxName, len(other))])
		if strings.HasPrefix(other, base+":") {
			return 0
		}
		return 1 + levenshtein.ComputeDistance(name, other)
	}
	slices.SortStableFunc(installed, func(a, b string) int {
		return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(a, b))
	})
	return installed[:min(nearModels, len(installed))]
}
