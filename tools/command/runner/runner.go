// Package runner runs a command line that was understood, from its parts: pipes, && and || and ;, and redirections are
// made here, and no shell reads the text. It is the whole of a process of its own, which the keeper of the command
// starts.
package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/assent-ls/assent/tools/command"
)

// Argument is how a line is handed to the process that runs it.
func Argument(l command.Line) (string, error) {
	text, err := json.Marshal(l)
	return string(text), err
}

// Main runs the line that Argument made, in the folder and environment of this process, and returns the status that a
// shell would end with. It may not return: the process of a line with one program becomes that program.
func Main(argument string) (status int, err error) {
	var l command.Line
	if err := json.Unmarshal([]byte(argument), &l); err != nil || len(l.Parts) == 0 {
		return 0, errors.New("command lines are run by Assent itself, never by hand")
	}
	root, err := os.Getwd()
	if err != nil {
		return 0, err
	}
	if err := os.Chdir(filepath.FromSlash(l.Dir)); l.Dir != "" && err != nil {
		complain(given()[2], fmt.Errorf("cd: %w", err))
		return 1, nil
	}
	if dir, err := os.Getwd(); err == nil {
		_ = os.Setenv("PWD", dir) // as a shell does
	}
	if len(l.Parts) == 1 {
		return become(root, l.Parts[0]), nil
	}
	// Programs get the signal that stops them, and a moment to clean up: until then this process is there.
	p := newPrograms()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	go func() {
		for s := range stop {
			if number, ok := s.(syscall.Signal); ok {
				p.stop(number)
			}
		}
	}()
	return p.line(root, l.Parts), nil
}

const statusStopped = 128 + int(syscall.SIGTERM)

var errStopped = errors.New("the line was stopped")

// line runs parts in the order and under the conditions of their joints, and returns the status of the last that ran.
func (p *programs) line(root string, parts []command.Part) (status int) {
	for len(parts) > 0 {
		n := 1
		for n < len(parts) && parts[n].Joint == command.Pipe {
			n++
		}
		joint := parts[0].Joint
		if joint == command.And && status != 0 || joint == command.Or && status == 0 {
			parts = parts[n:]
			continue
		}
		status = p.pipeline(root, parts[:n])
		if p.stopped() {
			return statusStopped
		}
		parts = parts[n:]
	}
	return status
}

// pipeline runs programs side by side, each with the output of the one before it as its input. The status is that of
// the last.
func (p *programs) pipeline(root string, parts []command.Part) (status int) {
	var started []*os.Process
	in := given()[0]
	for i, part := range parts {
		own, next := given(), given()[0]
		own[0] = in
		if i+1 < len(parts) {
			read, write, err := os.Pipe()
			if err != nil {
				complain(own[2], err)
				status = 1
				break
			}
			own[1], next = write, read
		}
		var process *os.Process
		if process, status = p.begin(root, part, own); process != nil {
			started = append(started, process)
		}
		for i, f := range own {
			if f != given()[i] {
				_ = f.Close() // the program has it
			}
		}
		in = next
	}
	for i, process := range started {
		if ended := p.wait(process); i+1 == len(started) && status == 0 {
			status = ended
		}
	}
	return status
}
