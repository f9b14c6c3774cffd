package policy

import "slices"

// Caller says who asks for a call. The zero value is nobody known.
type Caller string

// The callers.
const (
	Model   Caller = "model"   // the model of a run
	Remote  Caller = "remote"  // a client that is connected from outside
	Program Caller = "program" // a program that a call runs
	Person  Caller = "person"  // somebody who uses a tool by hand
)

// known says whether policy has rules for a caller. It has the same for all of them: none is asked about less than a
// model.
func (c Caller) known() bool {
	return slices.Contains([]Caller{Model, Remote, Program, Person}, c)
}
