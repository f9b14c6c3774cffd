package command

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of a line. What is longer is not understood: whoever reads it in a list of rules would not see its end.
const (
	maxLine      = 8 << 10
	maxParts     = 32
	maxRedirects = 8 // of a part
)

// Parse understands a line of words without expansions, joined by &&, ||, | and ;, with redirections to and from files.
// Its words are those that bash would pass on. For everything else the error is ErrNotUnderstood and says why.
func Parse(text string) (Line, error) {
	if len(text) > maxLine {
		return Line{}, no("it is longer than %d bytes", maxLine)
	}
	source := strings.Trim(text, " \n")
	for _, b := range []byte(source) {
		if b < ' ' || b > '~' {
			return Line{}, no("it has several lines, or characters that are no plain ASCII")
		}
	}
	file, err := syntax.NewParser(syntax.KeepComments(true)).Parse(strings.NewReader(source), "")
	if err != nil {
		return Line{}, no("it is no complete command line")
	}
	if len(file.Last) > 0 {
		return Line{}, no("it has a comment")
	}
	r := reader{line: Line{Text: text}}
	for i, s := range file.Stmts {
		joint := Then
		if i == 0 {
			joint = First
		}
		if err := r.statement(s, joint); err != nil {
			return Line{}, err
		}
	}
	return r.end()
}

func no(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrNotUnderstood, fmt.Sprintf(format, args...))
}

// reader collects the parts of a line.
type reader struct{ line Line }

// statement reads one statement that follows what was read by a joint. Since there are no groups, parts are in the
// order in which a shell takes them.
func (r *reader) statement(s *syntax.Stmt, joint Joint) error {
	switch {
	case len(s.Comments) > 0:
		return no("it has a comment")
	case s.Background || s.Coprocess || s.Disown:
		return no("it starts something in the background")
	case s.Negated:
		return no("it negates a status with !")
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return r.call(c, s.Redirs, joint)
	case *syntax.BinaryCmd:
		return r.binary(c, s.Redirs, joint)
	case nil:
		return no("it redirects without a program")
	}
	return no("it is more than programs and their arguments")
}

func (r *reader) binary(c *syntax.BinaryCmd, redirects []*syntax.Redirect, joint Joint) error {
	var second Joint
	switch c.Op {
	case syntax.AndStmt:
		second = And
	case syntax.OrStmt:
		second = Or
	case syntax.Pipe, syntax.PipeAll:
		second = Pipe
	default:
		return no("it joins programs with %s", c.Op)
	}
	if len(redirects) > 0 {
		return no("it redirects several programs at once")
	}
	if err := r.statement(c.X, joint); err != nil {
		return err
	}
	if c.Op == syntax.PipeAll {
		last := &r.line.Parts[len(r.line.Parts)-1]
		last.Redirects = append(last.Redirects, Redirect{From: 2, Op: ">&", To: 1})
	}
	return r.statement(c.Y, second)
}

func (r *reader) call(c *syntax.CallExpr, redirects []*syntax.Redirect, joint Joint) error {
	switch {
	case len(c.Assigns) > 0:
		return no("it sets a variable")
	case len(r.line.Parts) == maxParts:
		return no("it has more than %d programs", maxParts)
	case len(redirects) > maxRedirects:
		return no("it has more than %d redirections", maxRedirects)
	}
	part := Part{Joint: joint}
	for _, w := range c.Args {
		value, err := word(w)
		if err != nil {
			return err
		}
		part.Argv = append(part.Argv, value)
	}
	for _, redirect := range redirects {
		read, err := redirection(redirect)
		if err != nil {
			return err
		}
		part.Redirects = append(part.Redirects, read...)
	}
	r.line.Parts = append(r.line.Parts, part)
	return nil
}

// end takes `cd DIR &&` off the beginning of the line, and checks the programs.
func (r *reader) end() (Line, error) {
	l := r.line
	if len(l.Parts) > 1 && l.Parts[0].Argv[0] == "cd" && l.Parts[1].Joint == And {
		dir, err := folder(l.Parts[0])
		if err != nil {
			return Line{}, err
		}
		l.Dir, l.Parts = dir, slices.Clone(l.Parts[1:])
		l.Parts[0].Joint = First
	}
	if len(l.Parts) == 0 {
		return Line{}, no("it is empty")
	}
	for _, part := range l.Parts {
		if err := program(part.Argv); err != nil {
			return Line{}, err
		}
	}
	return l, nil
}

// climbs reports whether a path has "..": from a link a shell, the kernel and path.Join find different places by it.
func climbs(name string) bool { return slices.Contains(strings.Split(name, "/"), "..") }

// folder is where `cd` goes.
func folder(cd Part) (string, error) {
	if len(cd.Argv) != 2 || len(cd.Redirects) > 0 {
		return "", no("its cd is more than cd and a folder")
	}
	dir := cd.Argv[1]
	if dir == "" || strings.HasPrefix(dir, "-") || climbs(dir) {
		return "", no("it goes to the folder %q", dir)
	}
	return path.Clean(dir), nil
}

// redirection reads one redirection. Descriptors are those that every program has.
func redirection(r *syntax.Redirect) ([]Redirect, error) {
	target, err := word(r.Word)
	if err != nil || r.Hdoc != nil {
		return nil, no("it redirects more than files")
	}
	from, out := -1, 1
	if r.N != nil {
		n, err := strconv.Atoi(r.N.Value)
		if err != nil || n < 0 || n > 2 || len(r.N.Value) > 1 {
			return nil, no("it redirects the descriptor %s", r.N.Value)
		}
		from, out = n, n
	}
	switch r.Op {
	case syntax.RdrIn:
		return toFile(max(from, 0), "<", target)
	case syntax.RdrOut, syntax.AppOut:
		return toFile(out, r.Op.String(), target)
	case syntax.DplOut:
		if target != "1" && target != "2" {
			return nil, no("it redirects to the descriptor %q", target)
		}
		return []Redirect{{From: out, Op: ">&", To: int(target[0] - '0')}}, nil
	case syntax.RdrAll, syntax.AppAll:
		if from < 0 {
			read, err := toFile(1, strings.TrimPrefix(r.Op.String(), "&"), target)
			return append(read, Redirect{From: 2, Op: ">&", To: 1}), err
		}
	default: // what is left is not understood
	}
	return nil, no("it has the redirection %s", r.Op)
}

func toFile(from int, op, target string) ([]Redirect, error) {
	switch {
	case target == "" || climbs(target) || strings.Trim(target, "0123456789") == "":
		// bash may take a number for a descriptor
		return nil, no("it redirects to the file %q", target)
	case target != Null &&
		(strings.HasPrefix(path.Clean(target), "/dev/") || strings.HasPrefix(path.Clean(target), "/proc/")):
		return nil, no("it redirects to the device %q", target)
	}
	return []Redirect{{From: from, Op: op, Path: target}}, nil
}
