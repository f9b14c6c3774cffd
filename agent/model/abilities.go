package model

import "context"

// Abilities are what a server was seen to do with a model, by trying. They may be kept from one process to the next,
// and count as long as Server, Model and Build are the same.
type Abilities struct {
	Server     string     `json:"server"` // the kind of server
	Model      string     `json:"model"`
	Build      string     `json:"build,omitempty"` // of the server, as far as it tells
	Schema     SchemaWay  `json:"schema"`
	Calls      NativeCall `json:"calls"`
	CallReason string     `json:"call_reason,omitempty"` // what was seen in the place of a whole call
}

// SchemaWay says how a server is told to hold a reply to a schema.
type SchemaWay string

// The ways, as far as a server obeys them.
const (
	ByResponseFormat    SchemaWay = "response_format"
	ByStructuredOutputs SchemaWay = "structured_outputs"
	ByGrammar           SchemaWay = "grammar" // in GBNF, which the schema is written as
	NoSchema            SchemaWay = "none"
)

// NativeCall says what becomes of a native call on its way through a server's stream.
type NativeCall string

// What becomes of a call.
const (
	WholeCalls NativeCall = "whole" // it arrives with its arguments
	LossyCalls NativeCall = "lossy" // it arrives without them, or changed
	NoCalls    NativeCall = "none"  // none arrives: the model or the server makes none
)

// Prober is a Backend whose servers may accept what they then do not do, so that it has to be tried.
type Prober interface {
	// Probe tries what the server does with a model by at most four short requests, and keeps it for those that follow.
	Probe(ctx context.Context, name string) (Abilities, error)
	// Abilities are what Probe or Recall told of a model; false: neither did, or the server is another one since.
	Abilities(name string) (Abilities, bool)
	// Recall takes what an earlier process saw.
	Recall(a Abilities)
}
