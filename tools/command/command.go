// Package command understands command lines. What it understands it can say exactly: which programs would run, with which
// arguments, and which files the line itself reads and writes. All else is not understood, and is never judged by rule.
package command

import "errors"

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
}

// Line is a command line that is understood: it does what its parts say, and nothing else.
type Line struct {
	Text  string `json:"text"` // as it was written
	Parts []Part `json:"parts"`
}

// ErrNotUnderstood says that a line may do more than can be told from its words.
var ErrNotUnderstood = errors.New("not understood")
