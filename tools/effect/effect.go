// Package effect is the one list of what a tool may do to the world. Tools say theirs, and all other code asks for the
// properties of an effect: it never compares two effects, so that a new one is a row of the table below.
package effect

import (
	"encoding/json"
	"slices"
)

// Effect says what a tool does. The zero value, and every word without a row in the table, says nothing: such a tool is
// always asked about, and is taken to do the worst.
type Effect string

// The effects.
const (
	Computes Effect = "computes" // gives a value; no I/O
	Reads    Effect = "reads"    // reads inside the workspace
	Edits    Effect = "edits"    // changes, makes or moves files of the workspace
	Deletes  Effect = "deletes"  // deletes files of the workspace
	Runs     Effect = "runs"     // starts a program
	Fetches  Effect = "fetches"  // gets something from the network
	Queries  Effect = "queries"  // puts a query to a program or a service outside of Assent
	Calls    Effect = "calls"    // calls a tool of somebody else, which may do anything
	Recalls  Effect = "recalls"  // reads what was said in other chats
	Asks     Effect = "asks"     // asks the person; the answer is the result
	Combines Effect = "combines" // runs a program that can do nothing but call other tools
)

type properties struct {
	reason   string // why a person is asked: one sentence
	free     bool
	confined bool
	changes  bool
	parallel bool
	pure     bool
	answers  bool
	fulfills bool
	byPerson bool
	outside  bool // see Outside
	reviewed bool
	programs bool
}

// unknown are the properties of an effect that has no row.
var unknown = properties{reason: "It is not known what this tool does.", changes: true, outside: true}

var table = map[Effect]properties{
	Computes: {reason: "It changes nothing.", free: true, confined: true, parallel: true, pure: true},
	Reads:    {reason: "It changes nothing.", free: true, confined: true, parallel: true},
	Edits:    {reason: "It changes a file.", confined: true, changes: true, fulfills: true, reviewed: true},
	Deletes:  {reason: "It deletes files.", confined: true, changes: true, fulfills: true},
	Runs:     {reason: "It starts a program.", changes: true, answers: true, programs: true},
	Fetches:  {reason: "It gets something from the network.", parallel: true, outside: true},
	Queries:  {reason: "It asks a program or a service outside of Assent.", parallel: true, outside: true},
	Calls:    {reason: "It calls a tool that is not Assent's own.", changes: true, outside: true},
	Recalls:  {reason: "It reads what was said in other chats.", parallel: true, outside: true},
	Asks:     {reason: "It asks you.", free: true, confined: true, byPerson: true},
	Combines: {reason: "Each call that it makes is judged by itself.", free: true, changes: true},
}

func (e Effect) properties() properties {
	if row, known := table[e]; known {
		return row
	}
	return unknown
}

// Known reports whether it is known what the tool does.
func (e Effect) Known() bool { _, known := table[e]; return known }

// Words are all effects by name, sorted.
func Words() []string {
	var words []string
	for e := range table {
		words = append(words, string(e))
	}
	slices.Sort(words)
	return words
}

// Reason says in a sentence why a person is asked about such a call, or why not.
func (e Effect) Reason() string { return e.properties().reason }

// Free reports whether such a call may run without approval.
func (e Effect) Free() bool { return e.properties().free }

// Confined reports whether such a call touches nothing outside the workspace.
func (e Effect) Confined() bool { return e.properties().confined }

// Changes reports whether such a call may leave something changed. That it is begun is kept before it runs, and when it
// is stopped the model is told that it may have had effects.
func (e Effect) Changes() bool { return e.properties().changes }

// Parallel reports whether such calls may run side by side.
func (e Effect) Parallel() bool { return e.properties().parallel }

// Pure reports whether the same call says nothing new when it is made again.
func (e Effect) Pure() bool { return e.properties().pure }

// FailureAnswers reports whether what a failed call says may be what the user wants to know.
func (e Effect) FailureAnswers() bool { return e.properties().answers }

// Fulfills reports whether such a call is often the last thing that a request asks for.
func (e Effect) Fulfills() bool { return e.properties().fulfills }

// ByPerson reports whether such a call does nothing but ask the person, whose answer is its result.
func (e Effect) ByPerson() bool { return e.properties().byPerson }

// Reviewable reports whether a person can review what such a call changed piece by piece, and take it back.
func (e Effect) Reviewable() bool { return e.properties().reviewed }

// RunsPrograms reports whether such a call starts programs: rules judge it by its command line.
func (e Effect) RunsPrograms() bool { return e.properties().programs }

// Outside reports whether such a call gives what others wrote, who may want the model to do something: its result is
// fenced as data.
func (e Effect) Outside() bool { return e.properties().outside }

// numbers are how lists of grants on disk once named these effects.
var numbers = map[int]Effect{0: Computes, 1: Reads, 2: Edits, 3: Runs}

// UnmarshalJSON reads a number or a word. One that is not known is no effect, and grants nothing.
func (e *Effect) UnmarshalJSON(data []byte) error {
	*e = ""
	if data[0] == '"' {
		return json.Unmarshal(data, (*string)(e))
	}
	n := -1 // also where null stands
	err := json.Unmarshal(data, &n)
	*e = numbers[n]
	return err
}
