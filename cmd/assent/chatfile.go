package main

import (
	"io"
	"os"
	"strings"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats"
)

// chatFile is a chat on disk that a run appends to.
type chatFile struct {
	path   string
	before string // what stands above the place where the reply goes
	chat   *transcript.Chat
	file   *os.File
	err    error // the first failure of a write; the run goes on
}

// openChat reads a chat and opens it for appending below its last turn that is not empty.
func openChat(path string) (*chatFile, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	text := string(raw)
	chat := transcript.Parse(text)
	if last := chat.LastYou(); last > 0 && last == len(chat.Turns)-1 && chat.Turns[last].Empty() {
		text = text[:chat.Turns[last].Span.Start]
		chat = transcript.Parse(text)
	}
	end := len(strings.TrimRight(text, " \t\r\n"))
	if err := file.Truncate(int64(end)); err != nil {
		_ = file.Close()
		return nil, err
	}
	if _, err := file.Seek(int64(end), io.SeekStart); err != nil {
		_ = file.Close()
		return nil, err
	}
	return &chatFile{path: path, before: text[:end], chat: chat, file: file}, nil
}

// name writes the model that was chosen into the file's head. It is called before anything was appended.
func (f *chatFile) name(model string) {
	at, line, ok := chats.ModelLine(f.before, f.chat, model)
	if !ok || f.err != nil {
		return
	}
	text := f.before[:at] + line + f.before[at:]
	if _, f.err = f.file.WriteAt([]byte(text), 0); f.err == nil {
		_, f.err = f.file.Seek(int64(len(text)), io.SeekStart)
	}
}

func (f *chatFile) append(piece string) {
	if piece == "" || f.err != nil {
		return
	}
	_, f.err = f.file.WriteString(piece)
}

func (f *chatFile) close() { _ = f.file.Close() }
