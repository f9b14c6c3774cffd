package model

// Kind classifies what went wrong at a model server, so that callers can react; the sentence is for people.
type Kind int

// The kinds of failure that callers treat differently.
const (
	Unreachable    Kind = iota + 1 // no server answers at the address
	NotInstalled                   // the server does not have the model
	ContextTooLong                 // the prompt does not fit the context; nothing was evaluated
	Incomplete                     // the stream broke off before the reply was whole
	Refused                        // the server answered with any other error
)

// Error is a failure of a model server as one sentence that says what to do. Needed and Limit are tokens, set with
// ContextTooLong when the server gives them.
type Error struct {
	Kind     Kind
	Sentence string
	Needed   int
	Limit    int
	Cause    error
}

func (e *Error) Error() string { return e.Sentence }

// Unwrap gives the cause, for errors.Is.
func (e *Error) Unwrap() error { return e.Cause }
