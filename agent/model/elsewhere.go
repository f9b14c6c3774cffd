package model

import (
	"net/url"
	"strings"
)

// cloud is where models with a cloud's name run, unless the server says otherwise.
const cloud = "ollama.com"

// Elsewhere names the machine that a model runs on, if that is not the model server's own; else it is empty. What the
// server says counts first, since any name may stand for a model elsewhere; if it says nothing, a cloud's name counts.
func (i Info) Elsewhere() string {
	if i.RemoteHost == "" && !inCloud(i.Name) {
		return ""
	}
	if u, err := url.Parse(i.RemoteHost); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	if i.RemoteHost != "" {
		return i.RemoteHost
	}
	return cloud
}

// inCloud reads a name as Ollama does: what is behind the last colon may end in "cloud" ("gpt-oss:120b-cloud").
func inCloud(name string) bool {
	_, tag, found := cutLast(name, ":")
	tag = strings.ToLower(strings.TrimSpace(tag))
	return found && (tag == "cloud" || strings.HasSuffix(tag, "-cloud") && !strings.Contains(tag, "/"))
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// SameName reports whether two names mean one model: letter case, whitespace around it and a missing tag mean nothing.
func SameName(a, b string) bool { return canonicalName(a) == canonicalName(b) }
