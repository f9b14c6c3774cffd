// Package inspect shows a person the request that a chat would be sent with: what is in it, where each part comes from,
// and about how many tokens it takes.
package inspect

import (
	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/prompts"
)

// Request is what Send would ask the model now.
type Request struct {
	agent.Inspection

	Chat     string           // the path of the chat
	Document *transcript.Chat // the part of it that is sent
	Unsent   string           // why Send would send nothing now, in a sentence; empty: it would send this
	Notes    []string         // what the user should know besides, a sentence each
	Flags    []string         // of this launch, such as "--mode plan"
	Prompt   prompts.Prompt   // the system prompt with its layers
	Body     []byte           // what goes over the wire, byte for byte

	All  []Asked // all that Send would ask now, in order, the request for the reply among it
	Sent []Asked // what the last run of the chat in this process asked

	Rendered   string // the prompt as the server writes it for the model
	Unrendered string // why Rendered is empty, in a sentence
}

// Asked is a request to the model server, with what goes over the wire.
type Asked struct {
	event.Asked

	Body []byte
}
