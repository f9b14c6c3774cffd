package chatfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools/diskfile"
)

// reply is what a run writes into a chat on disk, while a person may save it at any time. It is used by one goroutine.
type reply struct {
	path     string
	spare    func() (string, error)
	recorder *agent.Recorder
	started  bool // the run was not refused

	file    *diskfile.File // nil: nothing more is kept
	above   []byte         // what stands down to the place where the reply goes on
	from    int            // where the reply begins in above
	written int            // how much of above was put into the file
	inFile  bool           // the file needs no more than what follows written; else somebody saved it
	below   string         // what stands below the reply; empty, or it begins with a line end
	err     error          // why the reply is not, or not only, in the file
}

// maxTries is how often a write is tried again because somebody saves the file at the same time.
const maxTries = 10

// Write implements session.Reply. A run that is refused before it is started changes nothing.
func (r *reply) Write(e agent.Event) error {
	if started, ok := e.(agent.Started); ok {
		r.started = true
		if started.Why != "" {
			r.name(started.Model)
		}
	}
	if !r.started {
		return nil
	}
	r.append(r.recorder.Piece(e))
	switch e := e.(type) {
	case agent.Finished:
		r.end()
	case agent.Progress:
		if e.Stage == agent.Executing {
			r.sync() // the call that is about to run is on disk
		}
	}
	return r.err
}

// Close implements session.Reply.
func (r *reply) Close() error {
	if r.file != nil {
		_ = r.file.Close() // all that counts was synced
	}
	return r.err
}

// before is what stands above the reply.
func (r *reply) before() string { return string(r.above[:r.from]) }

// name writes the model that was chosen into the head of the file, if that can be. Nothing was appended before.
func (r *reply) name(model string) {
	if !r.follow() {
		return
	}
	at, line, ok := session.ModelLine(r.before(), transcript.Parse(r.before()), model)
	if !ok {
		return
	}
	above := []byte(r.before()[:at] + line + r.before()[at:])
	if r.file.Replace(append(above, r.below...)) == nil { // else the chat goes on without the line
		r.above, r.from, r.written, r.inFile = above, len(above), len(above), true
	}
}

// append writes the next piece of the reply. Once that failed, which err says, what follows goes to another file if it can;
// the run should stop.
func (r *reply) append(piece string) {
	if piece != "" {
		r.above = append(r.above, piece...)
		r.save()
	}
}

// save makes the file hold what it shall.
func (r *reply) save() {
	for range maxTries {
		if !r.follow() || r.saved() {
			return
		}
		err := r.write()
		if err == nil {
			r.written, r.inFile = len(r.above), true
			return
		}
		if !errors.Is(err, diskfile.ErrChanged) {
			r.setAside(fmt.Sprintf("%s cannot be written (%v): it holds what came before", r.path, reason(err)))
		}
	}
	r.setAside(r.path + " is being written by another program")
}

// saved reports whether there is nothing to write.
func (r *reply) saved() bool { return r.inFile && r.written == len(r.above) }

func (r *reply) write() error {
	held := r.file.Text()
	if r.below == "" && bytes.HasPrefix(r.above, held) {
		return r.file.Append(r.above[len(held):])
	}
	whole := append(bytes.Clone(r.above), r.below...)
	if bytes.Equal(held, whole) {
		return nil
	}
	return r.file.Replace(whole)
}

// follow takes over what somebody else saved. It reports whether there is a file to go on in.
func (r *reply) follow() bool {
	if r.file == nil {
		return false
	}
	changed, err := r.file.Check()
	if err != nil {
		r.setAside(fmt.Sprintf("%s is not there any more (%v)", r.path, reason(err)))
		return r.file != nil
	}
	if !changed {
		return true
	}
	at, ok := place(string(r.above[:r.from]), string(r.above[r.from:r.written]), r.below, string(r.file.Text()))
	if !ok {
		r.setAside(r.path + " was changed by somebody else where the reply stands: it is left as they saved it")
		return r.file != nil
	}
	rest := r.above[r.written:]
	r.above = []byte(at.above)
	r.from, r.written, r.below, r.inFile = at.reply, len(at.above), at.below, false
	r.above = append(r.above, rest...)
	return true
}

// end begins the user's next turn, unless the user has begun one.
func (r *reply) end() {
	if transcript.Parse(r.below).LastYou() < 0 {
		r.append(r.recorder.You())
	}
	r.sync()
}

// sync returns when the file holds the reply, and would do so after a loss of power.
func (r *reply) sync() {
	r.save()
	if r.file == nil {
		return
	}
	if err := r.file.Sync(); err != nil {
		r.setAside(fmt.Sprintf("%s cannot be written (%v)", r.path, reason(err)))
	}
}

// setAside gives the file up and puts the whole conversation into a new one, beside it or else in the user's own folder.
func (r *reply) setAside(why string) {
	_ = r.file.Close() // whatever it says: nothing counts on it any more
	r.file = nil
	if r.err != nil {
		why = r.err.Error() + "; then " + why // the file beside it failed, too
	}
	var err error
	if r.file, err = recovered(filepath.Dir(r.path), r.path, r.above); err != nil {
		var folder string
		if folder, err = r.spare(); err == nil {
			r.file, err = recovered(folder, r.path, r.above)
		}
	}
	r.below, r.written, r.inFile = "", len(r.above), true
	if err != nil {
		r.err = fmt.Errorf("%s, and what followed could not be kept elsewhere (%w)", why, reason(err))
		return
	}
	r.path = r.file.Path()
	r.err = fmt.Errorf("%s. The whole conversation is in %s", why, r.path)
}

// recovered begins a new file in a folder, named after the chat.
func recovered(folder, chat string, text []byte) (file *diskfile.File, err error) {
	name := strings.TrimSuffix(filepath.Base(chat), ".chat.md")
	for n := 1; n < 1000; n++ {
		file, err = diskfile.Create(filepath.Join(folder, fmt.Sprintf("%s.recovered-%d.chat.md", name, n)), text)
		if !errors.Is(err, os.ErrExist) {
			break
		}
	}
	return file, err
}

// reason is an error without the name of the file.
func reason(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}
