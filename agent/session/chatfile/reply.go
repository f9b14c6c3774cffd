package chatfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools/diskfile"
)

// reply is what a run writes into a chat on disk, while a person may save it at any time. It is used by one goroutine.
type reply struct {
	path     string
	fallback func() (string, error)
	recorder *event.Recorder
	started  bool // whether the run got as far as Started

	file    *diskfile.File // nil: no file can be written any more
	above   []byte         // the whole text down to the end of the reply
	from    int            // where the reply begins in above
	written int            // how much of above the file holds
	inFile  bool           // whether the file holds above[:written] and below; false after somebody saved it
	below   string         // the text below the reply; empty, or it begins with a line end
	err     error          // why the reply is not, or not only, in the file
}

// maxTries limits how often a write is tried again because somebody saves the file at the same time.
const maxTries = 10

// Write implements session.Reply. A run that is refused before it is started changes nothing.
func (r *reply) Write(e event.Event) error {
	if started, ok := e.(event.Started); ok {
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
	case event.Finished:
		r.end()
	case event.Progress:
		if e.Stage == event.Executing {
			r.sync() // a call must be on disk before it runs
		}
	}
	return r.err
}

// Close implements session.Reply.
func (r *reply) Close() error {
	if r.file != nil {
		_ = r.file.Close() // the reply was synced
	}
	return r.err
}

// before is the text above the reply.
func (r *reply) before() string { return string(r.above[:r.from]) }

// name writes the chosen model into the front matter, if possible. It is called before anything was appended.
func (r *reply) name(model string) {
	if !r.adoptSave() {
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

// append writes the next piece of the reply. Once that fails, err is set and the rest goes to another file, if one can
// be written.
func (r *reply) append(piece string) {
	if piece != "" {
		r.above = append(r.above, piece...)
		r.save()
	}
}

// save writes what the file lacks.
func (r *reply) save() {
	for range maxTries {
		if !r.adoptSave() || r.saved() {
			return
		}
		err := r.write()
		if err == nil {
			r.written, r.inFile = len(r.above), true
			return
		}
		if !errors.Is(err, diskfile.ErrChanged) {
			r.moveElsewhere(fmt.Sprintf("%s cannot be written (%v): it holds what came before", r.path, reason(err)))
		}
	}
	r.moveElsewhere(r.path + " is being written by another program")
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

// adoptSave takes over what somebody else saved. It reports whether there is a file to write into.
func (r *reply) adoptSave() bool {
	if r.file == nil {
		return false
	}
	changed, err := r.file.Check()
	if err != nil {
		r.moveElsewhere(fmt.Sprintf("%s is not there any more (%v)", r.path, reason(err)))
		return r.file != nil
	}
	if !changed {
		return true
	}
	at, ok := place(r.before(), string(r.above[r.from:r.written]), r.below, string(r.file.Text()))
	if !ok {
		r.moveElsewhere(r.path + " was changed by somebody else where the reply is: it is left as they saved it")
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

// sync returns when the reply is on the disk itself.
func (r *reply) sync() {
	r.save()
	if r.file == nil {
		return
	}
	if err := r.file.Sync(); err != nil {
		r.moveElsewhere(fmt.Sprintf("%s cannot be written (%v)", r.path, reason(err)))
	}
}

// moveElsewhere writes the whole conversation into a new file, beside the chat or else in the user's own folder.
func (r *reply) moveElsewhere(why string) {
	_ = r.file.Close() // the file is not used any more
	r.file = nil
	if r.err != nil {
		why = r.err.Error() + "; then " + why // the file beside it failed, too
	}
	var err error
	if r.file, err = createRecovered(filepath.Dir(r.path), r.path, r.above); err != nil {
		var folder string
		if folder, err = r.fallback(); err == nil {
			r.file, err = createRecovered(folder, r.path, r.above)
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

// createRecovered creates a file in a folder, named after the chat.
func createRecovered(folder, chat string, text []byte) (file *diskfile.File, err error) {
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
