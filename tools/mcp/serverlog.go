package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/diskfile"
)

const (
	maxLog     = 256 << 10 // bytes that are kept of what a server says
	maxLogLine = 4 << 10
	logPause   = 500 * time.Millisecond // how often it is written to disk at most
)

// serverLog is the end of what a server said on its standard error and what became of it: bounded, without secrets,
// with hidden characters made visible, and on disk for other processes. It may be used concurrently.
type serverLog struct {
	path string // empty: memory alone

	mu      sync.Mutex
	hide    func(string) string // guarded by mu; nil: there is nothing to hide
	text    []byte              // guarded by mu: whole lines
	line    []byte              // guarded by mu: of the standard error, not whole yet
	pending *time.Timer         // guarded by mu: the next write to disk
	over    bool                // guarded by mu: the last write was made
}

// logPath is the file of a server's log.
func logPath(state, key, name string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(state, "servers", name+"-"+hex.EncodeToString(sum[:6])+".log")
}

// hides sets what takes secrets out of lines.
func (l *serverLog) hides(hide func(string) string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hide = hide
}

// say adds a line of our own, with the time.
func (l *serverLog) say(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(time.Now().Format("2006-01-02 15:04:05 ") + line)
}

// Write adds what the server wrote on its standard error.
func (l *serverLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; len(rest) > 0; {
		piece, after, whole := bytes.Cut(rest, []byte("\n"))
		rest = after
		if room := maxLogLine + maxSecret - len(l.line); len(piece) > room {
			piece = piece[:room] // the rest of a longer line is nobody's to read
		}
		l.line = append(l.line, piece...)
		if whole {
			l.add(string(bytes.TrimSuffix(l.line, []byte("\r"))))
			l.line = l.line[:0]
		}
	}
	return len(p), nil
}

// add keeps a line; mu is held.
func (l *serverLog) add(line string) {
	if l.hide != nil {
		line = l.hide(line)
	}
	if len(line) > maxLogLine { // only now: a secret that is cut would not be known
		line = strings.ToValidUTF8(line[:maxLogLine], "")
	}
	l.text = append(append(l.text, visible.Line(line)...), '\n')
	if over := len(l.text) - maxLog; over > 0 {
		at := over + bytes.IndexByte(l.text[over:], '\n') + 1
		l.text = append(l.text[:0], l.text[at:]...)
	}
	if l.pending == nil && l.path != "" && !l.over {
		l.pending = time.AfterFunc(logPause, l.save)
	}
}

// save writes the log to disk. A log that cannot be written is no reason to hold a server up.
func (l *serverLog) save() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending == nil {
		return
	}
	l.pending.Stop()
	l.pending = nil
	_ = diskfile.WriteRegular(l.path, l.text)
}

// end writes the log to disk for the last time: what comes later is not written.
func (l *serverLog) end() {
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	l.save()
}

// Log is the end of what a server in this workspace said, as the process that ran it last wrote it; empty: none did.
func (s *Source) Log(name string) (string, error) {
	s.mu.Lock()
	running := s.servers[name]
	s.mu.Unlock()
	if running != nil {
		running.log.save()
	}
	data, err := diskfile.ReadSmall(s.logPath(name), maxLog)
	return string(data), err
}
