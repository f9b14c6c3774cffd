package model

import (
	"context"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// cloud is where models with a cloud's name run, unless the server says otherwise.
const cloud = "ollama.com"

// Elsewhere names the machine that a model runs on, if that is not the model server's own; else it is empty. What the
// server says counts first, since any name may stand for a model elsewhere; if it says nothing, a cloud's name counts.
func (i Info) Elsewhere() string {
	if i.RemoteHost == "" && inCloud(i.Name) {
		return cloud
	}
	if u, err := url.Parse(i.RemoteHost); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	return i.RemoteHost
}

// inCloud reads a name as Ollama does: what is behind the last colon may end in "cloud" ("gpt-oss:120b-cloud").
func inCloud(name string) bool {
	colon := strings.LastIndexByte(name, ':')
	tag := strings.ToLower(strings.TrimSpace(name[colon+1:]))
	return colon >= 0 && (tag == "cloud" || strings.HasSuffix(tag, "-cloud") && !strings.Contains(tag, "/"))
}

// SameName reports whether two names mean one model: letter case, whitespace around it and a missing tag mean nothing.
func SameName(a, b string) bool { return canonicalName(a) == canonicalName(b) }

// Sending says what a user lets go to a server that is not this machine, besides what they say yes to. The zero value
// limits nothing and gives nothing.
type Sending struct {
	Unasked bool     // chats go there without a question
	Folders []string // only chats in these folders go there at all; nil: all
}

// Allows reports whether a chat may go there: a path, of its workspace or else its own. Both are absolute.
func (s Sending) Allows(path string) bool {
	return s.Folders == nil || slices.ContainsFunc(s.Folders, func(folder string) bool {
		rel, err := filepath.Rel(folder, path)
		return err == nil && path != "" && filepath.IsLocal(rel)
	})
}

// Listener is a server on this machine that nobody declared and nobody approved yet.
type Listener struct {
	Address string // "127.0.0.1:8080"
	Process string // who listens there, for people: "llama-server (process 4711 of yours)"; empty: not known
}

// Discoverer is a [Backend] that finds servers on this machine which nobody declared.
type Discoverer interface {
	// Discover asks the ports where servers usually are which server is there, and nothing else, and lists the models
	// of those that it found; each has Found, unless the user approved its server before.
	Discover(ctx context.Context) []Info
	// Approve remembers that the user wants the server of a model that has Found.
	Approve(info Info) error
}

// Placed is a [Backend] of several servers.
type Placed interface {
	// Place is one text for all models of the server that answers for a name, and how many requests it answers at once.
	// It asks nobody.
	Place(name string) (place string, slots int)
}

// Limiter is a [Backend] whose user may say at any time what may be sent to its servers.
type Limiter interface {
	// Sending is what the user lets go now to the server of a model. It asks nobody.
	Sending(name string) (Sending, error)
}

// Listed is a [Backend] that remembers what its servers listed.
type Listed interface {
	// Listed lists the models of all servers for a completion, without doing what a user would notice: a server whose
	// key a program prints is not asked, and what it listed last is taken.
	Listed(ctx context.Context) ([]Info, error)
}
