package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools/diskfile"
)

// chatFile is a chat on disk that a run appends to, while a person may save it at any time. It is used by one goroutine.
type chatFile struct {
	path  string
	chat  *transcript.Chat
	spare func() (string, error) // makes a folder of the user's for what cannot be kept beside the chat

	file    *diskfile.File // nil: nothing more is kept
	above   []byte         // what stands down to the place where the reply goes on
	reply   int            // where the reply begins in above
	written int            // how much of above was put into the file
	inFile  bool           // the file needs no more than what follows written; else somebody saved it
	below   string         // what stands below the reply; empty, or it begins with a line end
	err     error          // why the reply is not, or not only, in the file
}

// maxTries is how often a write begins anew because somebody saves the file at the same time.
const maxTries = 10

// openChat reads a chat, to be written below its last turn that is not empty. Nothing is written yet.
func openChat(path string, spare func() (string, error)) (*chatFile, error) {
	file, err := diskfile.Open(path)
	if errors.Is(err, diskfile.ErrNotRegular) {
		return nil, fmt.Errorf("%s cannot be opened: %w", path, err)
	} else if err != nil {
		return nil, err
	}
	text := string(file.Text())
	chat := transcript.Parse(text)
	if last := chat.LastYou(); last > 0 && last == len(chat.Turns)-1 && chat.Turns[last].Empty() {
		text = text[:chat.Turns[last].Span.Start]
		chat = transcript.Parse(text)
	}
	text = strings.TrimRight(text, " \t\r\n")
	return &chatFile{path: path, spare: spare, chat: chat, file: file, above: []byte(text), reply: len(text), written: len(text), inFile: true}, nil
}

// before is what stands above the reply.
func (f *chatFile) before() string { return string(f.above[:f.reply]) }

// name writes the model that was chosen into the head of the file, if that can be. It is called before anything was appended.
func (f *chatFile) name(model string) {
	if !f.follow() {
		return
	}
	at, line, ok := session.ModelLine(f.before(), transcript.Parse(f.before()), model)
	if !ok {
		return
	}
	above := []byte(f.before()[:at] + line + f.before()[at:])
	if f.file.Replace(append(above, f.below...)) == nil { // else the chat goes on without the line
		f.above, f.reply, f.written, f.inFile = above, len(above), len(above), true
	}
}

// append writes the next piece of the reply. Once that failed, which err says, what follows goes to another file if it can;
// the run should stop.
func (f *chatFile) append(piece string) {
	if piece != "" {
		f.above = append(f.above, piece...)
		f.save()
	}
}

// save makes the file hold what it shall.
func (f *chatFile) save() {
	for range maxTries {
		if !f.follow() || f.saved() {
			return
		}
		err := f.write()
		if err == nil {
			f.written, f.inFile = len(f.above), true
			return
		}
		if !errors.Is(err, diskfile.ErrChanged) {
			f.setAside(fmt.Sprintf("%s cannot be written (%v): it holds what came before", f.path, reason(err)))
		}
	}
	f.setAside(f.path + " is being written by another program")
}

// saved reports whether there is nothing to write.
func (f *chatFile) saved() bool { return f.inFile && f.written == len(f.above) }

func (f *chatFile) write() error {
	held := f.file.Text()
	if f.below == "" && bytes.HasPrefix(f.above, held) {
		return f.file.Append(f.above[len(held):])
	}
	whole := append(bytes.Clone(f.above), f.below...)
	if bytes.Equal(held, whole) {
		return nil
	}
	return f.file.Replace(whole)
}

// follow takes over what somebody else saved. It reports whether there is a file to go on in.
func (f *chatFile) follow() bool {
	if f.file == nil {
		return false
	}
	changed, err := f.file.Check()
	if err != nil {
		f.setAside(fmt.Sprintf("%s is not there any more (%v)", f.path, reason(err)))
		return f.file != nil
	}
	if !changed {
		return true
	}
	at, ok := place(string(f.above[:f.reply]), string(f.above[f.reply:f.written]), f.below, string(f.file.Text()))
	if !ok {
		f.setAside(f.path + " was changed by somebody else where the reply stands: it is left as they saved it")
		return f.file != nil
	}
	rest := f.above[f.written:]
	f.above = []byte(at.above)
	f.reply, f.written, f.below, f.inFile = at.reply, len(at.above), at.below, false
	f.above = append(f.above, rest...)
	return true
}

// end writes what closes the reply and begins the user's next turn, unless the user has begun one.
func (f *chatFile) end(you string) {
	if transcript.Parse(f.below).LastYou() < 0 {
		f.append(you)
	}
	f.sync()
}

// sync returns when the file holds the reply, and would do so after a loss of power.
func (f *chatFile) sync() {
	f.save()
	if f.file == nil {
		return
	}
	if err := f.file.Sync(); err != nil {
		f.setAside(fmt.Sprintf("%s cannot be written (%v)", f.path, reason(err)))
	}
}

// setAside gives the file up and puts the whole conversation into a new one, beside it or else in the user's own folder.
func (f *chatFile) setAside(why string) {
	_ = f.file.Close() // whatever it says: nothing counts on it any more
	f.file = nil
	if f.err != nil {
		why = f.err.Error() + "; then " + why // the file beside it failed, too
	}
	var err error
	if f.file, err = recovered(filepath.Dir(f.path), f.path, f.above); err != nil {
		var folder string
		if folder, err = f.spare(); err == nil {
			f.file, err = recovered(folder, f.path, f.above)
		}
	}
	f.below, f.written, f.inFile = "", len(f.above), true
	if err != nil {
		f.err = fmt.Errorf("%s, and what followed could not be kept elsewhere (%w)", why, reason(err))
		return
	}
	f.path = f.file.Path()
	f.err = fmt.Errorf("%s. The whole conversation is in %s", why, f.path)
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

func (f *chatFile) close() {
	if f.file != nil {
		_ = f.file.Close()
	}
}
