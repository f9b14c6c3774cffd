// Package command understands command lines. What it understands it can say exactly: which programs would run, with
// which arguments, and which files the line itself reads and writes. All else is not understood, and is never judged by
// rule.
package command

import (
	"errors"
	"path"
	"slices"
)

// Joint says how a part of a line follows the part before it.
type Joint string

// The joints.
const (
	First Joint = ""
	And   Joint = "&&"
	Or    Joint = "||"
	Then  Joint = ";"
	Pipe  Joint = "|"
)

// Redirect is one redirection of a part.
type Redirect struct {
	From int    `json:"from"`           // the file descriptor
	Op   string `json:"op"`             // "<", ">", ">>", or ">&"
	Path string `json:"path,omitempty"` // as it is written, after quotes; empty for ">&"
	To   int    `json:"to,omitempty"`   // of ">&"
}

// Part is one program of a line.
type Part struct {
	Joint     Joint      `json:"joint,omitempty"`
	Argv      []string   `json:"argv"` // never empty; as the program gets them
	Redirects []Redirect `json:"redirects,omitempty"`
	// Chosen says that files of the workspace may choose what runs under the name of the program: see runner.Chosen.
	Chosen bool `json:"chosen,omitempty"`
	// In is the folder where the program runs, absolute; empty: where the line runs.
	In string `json:"in,omitempty"`
}

// Harmless reports whether a part only reads and prints: see [Harmless].
func (p Part) Harmless() bool { return !p.Chosen && Harmless(p.Argv) }

// AsksVersion reports whether a harmless part only asks a program for its version, which no file of a workspace has a
// part in.
func (p Part) AsksVersion() bool {
	alone := len(p.Argv) == 2 && (p.Argv[1] == "--version" || slices.Equal(p.Argv, []string{"go", "version"}))
	return p.Harmless() && (alone || programs[p.Argv[0]].never)
}

// AskingVersionsIn is the line with the programs that are only asked for their versions run in another folder.
func (l Line) AskingVersionsIn(folder string) Line {
	l.Parts = slices.Clone(l.Parts)
	for i, p := range l.Parts {
		if p.AsksVersion() {
			l.Parts[i].In = folder
		}
	}
	return l
}

// Line is a command line that is understood: it does what its parts say, and nothing else.
type Line struct {
	Text string `json:"text"` // as it was written
	// of `cd DIR &&` at its beginning, where all parts run; empty: where the line runs
	Dir   string `json:"dir,omitempty"`
	Parts []Part `json:"parts"`
}

// Written lists the files that the line itself writes by its redirections, as they are found from where the line runs.
func (l Line) Written() []string {
	return l.redirected(func(r Redirect) bool { return r.Op == ">" || r.Op == ">>" })
}

// Read lists the files that the line itself reads by its redirections, as they are found from where the line runs.
func (l Line) Read() []string { return l.redirected(func(r Redirect) bool { return r.Op == "<" }) }

func (l Line) redirected(is func(Redirect) bool) []string {
	var out []string
	for _, part := range l.Parts {
		for _, r := range part.Redirects {
			switch {
			case !is(r) || r.Path == Null:
			case path.IsAbs(r.Path):
				out = append(out, r.Path)
			default:
				out = append(out, path.Join(l.Dir, r.Path))
			}
		}
	}
	return out
}

// Null is the one device that redirections may name: it takes everything, holds nothing, and is no file of the
// workspace.
const Null = "/dev/null"

// ErrNotUnderstood says that a line may do more than can be told from its words.
var ErrNotUnderstood = errors.New("not understood")
