package diagnosis

import (
	"net/netip"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Scrubber takes out of a report what is nobody's business: quoted words, names, addresses, paths and secrets.
type Scrubber struct {
	words []word // the longest first
}

type word struct{ text, instead string }

const leastWord = 3 // letters of what is taken out wherever it is: less would be found everywhere

// NewScrubber knows the names of this user and machine, and the values of the environment. more are further words to
// take out, with what is to be there instead.
func NewScrubber(more map[string]string) *Scrubber {
	s := &Scrubber{}
	s.add(Here().Home, "HOME")
	if u, err := user.Current(); err == nil {
		s.add(u.HomeDir, "HOME")
		s.add(u.Username, "USER")
		s.add(u.Name, "USER")
	}
	s.add(os.Getenv("USER"), "USER")
	if host, err := os.Hostname(); err == nil {
		s.add(host, "MACHINE")
		short, _, _ := strings.Cut(host, ".")
		s.add(short, "MACHINE")
	}
	if folder, err := os.Getwd(); err == nil {
		s.add(folder, "FOLDER")
		s.add(filepath.Base(folder), "FOLDER")
	}
	for _, pair := range os.Environ() {
		if name, value, _ := strings.Cut(pair, "="); secretName.MatchString(name) {
			s.add(value, "SECRET")
		}
	}
	for text, instead := range more {
		s.add(text, instead)
	}
	slices.SortStableFunc(s.words, func(a, b word) int { return len(b.text) - len(a.text) })
	return s
}

// secretName is the name of a variable that may hold a secret.
var secretName = regexp.MustCompile(`(?i)key|token|secret|pass|auth|cred|session|cookie|canary`)

func (s *Scrubber) add(text, instead string) {
	text = strings.TrimRight(text, "/")
	// A user called root, and a folder called assent, are in ordinary sentences, and tell nothing.
	if len(text) >= leastWord && !slices.Contains([]string{"root", "assent", "user", "home", "localhost"}, text) {
		s.words = append(s.words, word{text, instead})
	}
}

var (
	quoted  = regexp.MustCompile(`"[^"]*"|“[^”]*”|‘[^’]*’`)
	urls    = regexp.MustCompile(`\b(https?|wss?|socks5h?)://[^\s,;)]+`)
	hosts   = regexp.MustCompile(`\[[0-9a-fA-F:.%]+\]:\d+|\b\d+(?:\.\d+){3}(?::\d+)?\b|\b[A-Za-z][\w-]*:\d{2,5}\b`)
	domains = regexp.MustCompile(`\b(?:[\w-]+\.)+[A-Za-z]{2,}\b(?::\d+\b)?`)
	names   = regexp.MustCompile(`\.(?:json|jsonl|md|toml|txt)$`)
	files   = regexp.MustCompile(`(^|[\s(=,])((?:~|[A-Za-z]:)?[/\\][^\s,;:)"]+)`)
	ofTheOS = regexp.MustCompile(`^/(?:usr|bin|sbin|lib|proc|sys|dev|etc)/|^/proc$`)
)

// Line takes such things out of one line.
func (s *Scrubber) Line(text string) string {
	text = quoted.ReplaceAllString(text, `"…"`)
	text = urls.ReplaceAllStringFunc(text, func(u string) string {
		scheme, rest, _ := strings.Cut(u, "://")
		return scheme + "://" + address(strings.TrimRight(rest, "/."))
	})
	text = domains.ReplaceAllStringFunc(text, func(found string) string {
		if names.MatchString(found) {
			return found
		}
		return "ADDRESS"
	})
	text = hosts.ReplaceAllStringFunc(text, address)
	text = files.ReplaceAllStringFunc(text, func(found string) string {
		m := files.FindStringSubmatch(found)
		if ofTheOS.MatchString(m[2]) {
			return found
		}
		return m[1] + "PATH"
	})
	for _, w := range s.words {
		text = replaceFold(text, w.text, w.instead)
	}
	return text
}

// Clean reports whether nothing is left in a text that was to be taken out of it.
func (s *Scrubber) Clean(text string) bool {
	return !slices.ContainsFunc(s.words, func(w word) bool {
		return strings.Contains(strings.ToLower(text), strings.ToLower(w.text))
	})
}

// address takes the name out of an address: a report says that it is this machine, with its port, or elsewhere.
func address(at string) string {
	host, port := at, ""
	i := strings.LastIndex(at, ":")
	if i >= 0 && !strings.HasSuffix(at, "]") && strings.Trim(at[i+1:], "0123456789") == "" {
		host, port = at[:i], at[i:]
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err == nil && ip.Unmap().IsLoopback() || host == "localhost" {
		return host + port
	}
	return "ADDRESS"
}

// replaceFold replaces a word in whatever case.
func replaceFold(text, old, instead string) string {
	var out strings.Builder
	for {
		i := strings.Index(strings.ToLower(text), strings.ToLower(old))
		if i < 0 || len(strings.ToLower(text)) != len(text) { // else the places differ
			out.WriteString(text)
			return out.String()
		}
		out.WriteString(text[:i] + instead)
		text = text[i+len(old):]
	}
}
