// Package tooldef reads the definitions of tools that MCP servers list: names, texts and schemas, within bounds.
package tooldef

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/arguments"
)

// The bounds of what a server says about its tools.
const (
	MaxTools       = 1000     // of one server
	maxDefinition  = 64 << 10 // bytes of one of them
	maxDescription = 4 << 10
	MaxTitle       = 120 // characters
	MaxName        = 64
)

// Definition is one tool as its server describes it, ready to be used.
type Definition struct {
	Name        string // as the server calls it
	Own         string // the same in characters that every format of calls can write
	Title       visible.Foreign
	Description string // for models
	Destructive bool   // the server says so
	Parameters  arguments.Parameters
	Output      *jsonschema.Resolved // nil: it says nothing of its structured results
	Text        []byte               // all of it, in one spelling
	Hash        string               // of text
}

var NotInNames = lazyregexp.New(`[^a-zA-Z0-9_-]`)

// Read reads the definition of a tool. The error is the end of a sentence that begins with its name.
func Read(t *sdk.Tool) (Definition, error) {
	title := t.Title
	d := Definition{Name: t.Name, Description: strings.TrimSpace(t.Description)}
	switch {
	case t.Name == "":
		return d, errors.New("has no name")
	case visible.Line(t.Name) != t.Name || len(t.Name) > 128:
		return d, errors.New("has characters in its name that cannot be seen, or more than 128 bytes")
	}
	if d.Own = NotInNames().ReplaceAllString(t.Name, "_"); len(d.Own) > MaxName {
		d.Own = Shortened(d.Own)
	}
	if a := t.Annotations; a != nil {
		d.Destructive = a.DestructiveHint != nil && *a.DestructiveHint
		title = cmp.Or(title, a.Title)
	}
	d.Title = visible.ForeignText(title)
	if len(d.Description) > maxDescription {
		d.Description = strings.ToValidUTF8(d.Description[:maxDescription], "") + " [The description goes on.]"
	}
	d.Description = visible.Text(d.Description)
	if d.Description == "" {
		d.Description = d.Title.Line(MaxTitle)
	}
	var err error
	if d.Text, err = canonical(t); err != nil {
		return d, err
	}
	sum := sha256.Sum256(d.Text)
	d.Hash = hex.EncodeToString(sum[:])
	schema, err := schemaOf(t.InputSchema)
	if err == nil {
		d.Parameters, err = arguments.ReadParameters(schema)
	}
	if err != nil {
		return d, fmt.Errorf("cannot be used, because of the schema of its arguments: %w", err)
	}
	d.Output, err = outputOf(t.OutputSchema)
	return d, err
}

// Shortened is a long name, told apart from others that begin alike.
func Shortened(name string) string {
	sum := sha256.Sum256([]byte(name))
	return name[:MaxName-9] + "_" + hex.EncodeToString(sum[:4])
}

// canonical is all of a definition in one spelling: keys sorted, one to a line.
func canonical(t *sdk.Tool) ([]byte, error) {
	// Of what is empty there is nothing, so that a definition that was kept before its icons counted is still the same.
	said := struct {
		Name        string               `json:"name"`
		Title       string               `json:"title,omitempty"`
		Description string               `json:"description,omitempty"`
		Input       any                  `json:"inputSchema"`
		Output      any                  `json:"outputSchema,omitempty"`
		Annotations *sdk.ToolAnnotations `json:"annotations,omitempty"`
		Icons       []sdk.Icon           `json:"icons,omitempty"`
		Meta        map[string]any       `json:"_meta,omitempty"`
	}{t.Name, t.Title, t.Description, t.InputSchema, t.OutputSchema, t.Annotations, t.Icons, t.Meta}
	for _, part := range []any{t.InputSchema, t.OutputSchema, map[string]any(t.Meta)} {
		if Depth(part) > maxNested {
			return nil, fmt.Errorf("has a definition that is nested more than %d deep", maxNested)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(said); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	if b.Len() > maxDefinition {
		return nil, fmt.Errorf("has a definition of more than %d KB", maxDefinition>>10)
	}
	return b.Bytes(), nil
}

// schemaOf is the schema of the arguments of a tool as one that refers to nothing.
func schemaOf(schema any) (json.RawMessage, error) {
	root, ok := schema.(map[string]any)
	if !ok {
		return nil, errors.New("it is no object")
	}
	whole, err := withoutReferences(root)
	if err != nil {
		return nil, err
	}
	return json.Marshal(whole)
}

func outputOf(schema any) (*jsonschema.Resolved, error) {
	if schema == nil {
		return nil, nil
	}
	text, err := schemaOf(schema)
	var s jsonschema.Schema
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	var resolved *jsonschema.Resolved
	if err == nil {
		resolved, err = s.Resolve(nil)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be used, because of the schema of its results: %w", err)
	}
	return resolved, nil
}
