package servers

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/internal/visible"
)

const (
	maxServers = 64
	maxSlots   = 64
	maxContext = 10_000_000 // tokens
)

// Problem is something in the file that its author should know.
type Problem struct {
	jsonc.Error
	Warning bool // the server is used all the same
}

var serverName = lazyregexp.New(`^[a-z][a-z0-9_.-]{0,39}$`)

// Parse reads a file of model servers, in the order in which they are looked up. What is wrong with one of them does
// not hide the others.
func Parse(data []byte) (list []Declaration, problems []Problem) {
	root, err := jsonc.ParseObject(data, `{"servers": []}`)
	if problem, ok := errors.AsType[*jsonc.Error](err); ok {
		return nil, []Problem{{Error: *problem}}
	}
	for _, m := range root.Members {
		switch {
		case m.Key != "servers":
			problems = append(
				problems, at(m.Range, "there is no key %q here; list the servers below \"servers\"", visible.Line(m.Key)),
			)
			continue
		case m.Value.Kind != jsonc.Array:
			problems = append(problems, at(m.Range, "servers must be a list of servers, in the order in which a model is "+
				"looked up"))
		}
		for i, v := range m.Value.Elements {
			d, found := declared(v)
			called := fmt.Sprintf("number %d", i+1)
			if d.Name != "" {
				called = fmt.Sprintf("%q", visible.Line(d.Name))
			}
			if other := slices.IndexFunc(list, func(o Declaration) bool { return o.Name == d.Name }); other >= 0 &&
				!hasError(found) {
				found = append(found, at(v.Range, "another server has this name: give each its own"))
			}
			if !hasError(found) && len(list) == maxServers {
				return list, append(
					problems, at(v.Range, "it declares more than %d servers: the others are left out", maxServers),
				)
			}
			for j := range found {
				out := ""
				if !found[j].Warning {
					out = " is left out"
				}
				found[j].Reason = "the server " + called + out + ": " + found[j].Reason
			}
			problems = append(problems, found...)
			if !hasError(found) {
				list = append(list, d)
			}
		}
	}
	return list, problems
}

func hasError(found []Problem) bool {
	return slices.ContainsFunc(found, func(p Problem) bool { return !p.Warning })
}

// at is a problem with a part of the file.
func at(r jsonc.Range, format string, args ...any) Problem {
	return Problem{Error: *r.Wrong(format, args...)}
}

// declared reads one server.
func declared(v jsonc.Value) (d Declaration, problems []Problem) {
	if v.Kind != jsonc.Object {
		return d, []Problem{at(v.Range, `it must be an object such as {"name": "box", "url": "http://127.0.0.1:8080"}`)}
	}
	given := map[string]jsonc.Member{}
	for _, m := range v.Members {
		given[m.Key] = m
		if m.Key == "name" {
			d.Name = m.Value.Text()
		}
		if !slices.Contains(keyNames(), m.Key) {
			problems = append(problems, at(m.Range, "there is no key %q%s", visible.Line(m.Key), meant(m.Key)))
		}
	}
	if len(problems) > 0 {
		return d, problems
	}
	about := func(key, format string, args ...any) []Problem { // the member, or the server if it has none
		part := v.Range
		if m, ok := given[key]; ok {
			part = m.Range
		}
		return []Problem{at(part, format, args...)}
	}
	if err := json.Unmarshal(v.Raw, &d); err != nil {
		mistyped, ok := errors.AsType[*json.UnmarshalTypeError](err)
		if !ok {
			return d, []Problem{at(v.Range, "%v", err)}
		}
		key, _, _ := strings.Cut(mistyped.Field, ".")
		return d, about(key, "%s must not be a JSON %s", key, mistyped.Value)
	}
	if key, err := d.check(); err != nil {
		return d, about(key, "%v", err)
	}
	return d, d.warn(given)
}

// meant names the key that a misspelt one is like.
func meant(key string) string {
	best, least := "", 4
	key = strings.ToLower(key[:min(len(key), 40)])
	for _, name := range keyNames() {
		if n := levenshtein.ComputeDistance(key, strings.ToLower(name)); n < least {
			best, least = name, n
		}
	}
	if best == "" {
		return "; the keys are " + strings.Join(keyNames(), ", ")
	}
	return fmt.Sprintf(": did you mean %q?", best)
}

// UnmarshalJSON takes a word, or a list of folders.
func (s *Send) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &s.Word) == nil || json.Unmarshal(data, &s.Folders) == nil {
		return nil
	}
	return &json.UnmarshalTypeError{Field: "send", Value: "value but a word or a list of folders"}
}

// check says what is wrong, and with which key.
func (d *Declaration) check() (key string, err error) {
	if !serverName().MatchString(d.Name) {
		return "name", errors.New(
			"name must begin with a small letter and have up to 40 small letters, digits, dots, _ and -",
		)
	}
	if d.Kind == "" {
		d.Kind = Auto
	}
	if key, err := d.checkTexts(); err != nil {
		return key, err
	}
	switch {
	case d.URL == "" && d.Socket == "":
		return "", errors.New("url is missing: where the server answers, such as http://127.0.0.1:8080")
	case d.URL != "" && d.Socket != "":
		return "socket", errors.New("url and socket exclude each other")
	case !slices.Contains(kinds, d.Kind):
		return "kind", fmt.Errorf("kind must be %s", strings.Join(kindNames(), ", "))
	case d.Key != "" && len(d.KeyCommand) > 0:
		return "keyCommand", errors.New("key and keyCommand exclude each other")
	case d.KeyCommand != nil && (len(d.KeyCommand) == 0 || d.KeyCommand[0] == ""):
		return "keyCommand", errors.New(
			`keyCommand must be a program and its arguments, such as ["pass", "show", "box"]`,
		)
	case (d.Certificate == "") != (d.CertificateKey == ""):
		return "certificate", errors.New("certificate and certificateKey need each other")
	case (d.CA != "" || d.Certificate != "") && !strings.HasPrefix(d.URL, "https://"):
		return "ca", errors.New("a certificate means something for a url that begins with https:// alone")
	case d.Context < 0 || d.Context > maxContext:
		return "context", fmt.Errorf("context must be 0 to %d tokens", maxContext)
	case d.Slots < 0 || d.Slots > maxSlots:
		return "slots", fmt.Errorf("slots must be 0 to %d", maxSlots)
	case d.Send.Word != "" && d.Send.Word != SendAsk && d.Send.Word != SendAnything:
		return "send", errors.New(`send must be "ask", "anything", or a list of folders whose chats may be sent`)
	case d.Send.Word == "" && d.Send.Folders != nil && len(d.Send.Folders) == 0:
		return "send", errors.New("send lists no folder: nothing could ever be sent")
	}
	for name := range d.Headers {
		if http.CanonicalHeaderKey(name) == "Authorization" {
			return "headers", errors.New("headers must not have Authorization: that is what key is for")
		}
	}
	return d.checkURL()
}

// checkTexts looks at what all texts and paths have in common.
func (d *Declaration) checkTexts() (key string, err error) {
	for _, p := range []struct{ key, path string }{
		{"socket", d.Socket}, {"ca", d.CA}, {"certificate", d.Certificate}, {"certificateKey", d.CertificateKey},
	} {
		if p.path != "" && !isPath(p.path) {
			return p.key, fmt.Errorf("%s must be a path from / or ~/ on", p.key)
		}
	}
	for _, folder := range d.Send.Folders {
		if !isPath(folder) {
			return "send", fmt.Errorf("%q must be a path from / or ~/ on", visible.Line(folder))
		}
	}
	texts := slices.Concat(
		[]string{d.URL, d.Socket, d.CA, d.Certificate, d.CertificateKey, d.Key}, d.Send.Folders, d.KeyCommand,
	)
	for name, value := range d.Headers {
		texts = append(texts, name, value)
	}
	if slices.ContainsFunc(texts, func(text string) bool { return visible.Line(text) != text }) {
		return "", errors.New("it holds characters that cannot be seen")
	}
	return "", nil
}

func isPath(path string) bool { return filepath.IsAbs(path) || strings.HasPrefix(path, "~/") }

func (d *Declaration) checkURL() (key string, err error) {
	if d.URL == "" {
		return "", nil
	}
	u, err := url.Parse(d.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "url", errors.New("url must be http://HOST:PORT or https://HOST, with the path of the protocol if it " +
			"has one")
	case u.User != nil: // which is not repeated
		return "url", errors.New("url must have no user and no password: write the key into key, by reference")
	case u.RawQuery != "" || u.Fragment != "":
		return "url", errors.New("url must have no query")
	}
	return "", nil
}

// warn says what is not as it should be, though the server is used.
func (d Declaration) warn(given map[string]jsonc.Member) (problems []Problem) {
	warning := func(key, format string, args ...any) {
		p := at(given[key].Range, format, args...)
		p.Warning = true
		problems = append(problems, p)
	}
	if d.Key != "" && !strings.Contains(d.Key, "${") {
		warning(
			"key", "the key is in clear text: put it into a file of your own and write ${file:~/PATH}, or "+
				"${env:NAME}, or use keyCommand",
		)
	}
	if d.unencrypted() && (d.Key != "" || len(d.KeyCommand) > 0) {
		warning("url", "the key and your chats can be read on the way to %s: use https://", d.host())
	}
	if d.isLocal() && (d.Send.Word != "" || d.Send.Folders != nil) {
		warning("send", "send means nothing for a server on this machine")
	}
	return problems
}
