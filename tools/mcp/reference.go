package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/mcp/login"
)

// maxSecret is the longest value of a file that is referred to, in bytes.
const maxSecret = 64 << 10

// minHidden is the shortest value that is taken out of what is shown: a shorter one is in texts by chance.
const minHidden = 4

var reference = lazyregexp.New(`\$\{[^}]*\}`)

// resolver puts what references stand for in their place, and keeps what must never be shown.
type resolver struct {
	folder  string // of the workspace
	secrets []string
	more    func() []string // secrets that come later; nil: there are none
}

// text resolves the references in a text; what names it in errors. Secrets may only be where values are.
func (r *resolver) text(what, text string, secrets bool) (string, error) {
	var problem error
	out := reference().ReplaceAllStringFunc(text, func(ref string) string {
		kind, name, _ := strings.Cut(ref[2:len(ref)-1], ":")
		var value string
		var err error
		switch {
		case ref == "${workspaceFolder}" && r.folder == "":
			err = fmt.Errorf("%s names the workspace, and there is none", what)
		case ref == "${workspaceFolder}":
			return r.folder
		case kind == "env" && secrets:
			value, err = variable(what, name)
		case kind == "file" && secrets:
			value, err = file(what, name)
		default:
			err = fmt.Errorf("%s has the reference %s, which is not known there", what, ref)
		}
		if err != nil {
			problem = err
			return ""
		}
		r.secrets = append(r.secrets, value)
		return value
	})
	return out, problem
}

func variable(what, name string) (string, error) {
	value, ok := os.LookupEnv(name)
	if !ok {
		return "", fmt.Errorf("the environment variable %s, which %s refers to, is not set", name, what)
	}
	return value, nil
}

// TokenFile is the name of the file of the token that `assent mcp serve` asks for, in the user's state folder.
const TokenFile = "mcp-token"

func file(what, path string) (string, error) {
	name, err := diskfile.FromHome(path)
	if err != nil {
		return "", fmt.Errorf("the file %s, which %s refers to, cannot be found: %w", path, what, err)
	}
	if !filepath.IsAbs(name) {
		return "", fmt.Errorf("the file %s, which %s refers to, must be named from / or ~/ on", path, what)
	}
	ownSecrets := []string{login.File, TokenFile} // in the user's state folder: they let who has them in
	if real, err := filepath.EvalSymlinks(name); err == nil && slices.Contains(ownSecrets, filepath.Base(real)) {
		return "", fmt.Errorf(
			"the file %s, which %s refers to, holds logins of Assent's own, which no server gets", path, what,
		)
	}
	data, err := diskfile.ReadSmall(name, maxSecret)
	switch {
	case errors.Is(err, diskfile.ErrTooLarge):
		return "", fmt.Errorf(
			"the file %s, which %s refers to, cannot be read, or is longer than %d KB", path, what, maxSecret>>10,
		)
	case err != nil || data == nil: // there is none
		return "", fmt.Errorf("the file %s, which %s refers to, cannot be read", path, what)
	}
	return strings.TrimRight(string(data), "\r\n"), nil
}

// values resolves the values of an object.
func (r *resolver) values(what string, values map[string]string) (map[string]string, error) {
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value, err := r.text(what+" "+name, values[name], true)
		if err != nil {
			return nil, err
		}
		out[name] = value
	}
	return out, nil
}

// Secret is a text with what its references to variables and files stand for; what names it in errors, which are
// sentences without their end. secrets are the values that must not be shown.
func Secret(what, text string) (value string, secrets []string, err error) {
	var r resolver
	value, err = r.text(what, text, true)
	return value, r.secrets, err
}

// hiddenWord is where a secret was.
const hiddenWord = "[secret]"

// hide takes secrets out of a text that is shown or kept.
func (r *resolver) hide(text string) string {
	secrets := r.secrets
	if r.more != nil {
		secrets = slices.Concat(secrets, r.more())
	}
	var hidden []string
	for _, secret := range secrets {
		for _, line := range append([]string{secret}, strings.Split(secret, "\n")...) {
			if len(line) >= minHidden {
				hidden = append(append(hidden, line), inJSON(line)...)
			}
		}
	}
	// The longest first: a shorter one may be part of it.
	slices.SortFunc(hidden, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range hidden {
		text = strings.ReplaceAll(text, secret, hiddenWord)
	}
	return text
}

// inJSON is a text as JSON may spell it, without quotes.
func inJSON(text string) []string {
	var spellings []string
	for _, html := range []bool{false, true} {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(html)
		if e.Encode(text) == nil {
			spellings = append(spellings, b.String()[1:b.Len()-2]) // the quotes and the end of the line
		}
	}
	return spellings
}
