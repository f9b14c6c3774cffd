package wire

import (
	"encoding/json"
	"errors"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
)

// The types here are those of LSP 3.17 and 3.18 that go.lsp.dev/protocol lacks, or reads so strictly that a client's
// odd value in a field that nothing uses would end the connection.

// InitializeParams opens a connection.
type InitializeParams struct {
	ProcessID             *int                       `json:"processId"`
	ClientInfo            protocol.ClientInfo        `json:"clientInfo"`
	RootURI               protocol.DocumentURI       `json:"rootUri"`
	WorkspaceFolders      []protocol.WorkspaceFolder `json:"workspaceFolders"`
	InitializationOptions json.RawMessage            `json:"initializationOptions"`
	Capabilities          ClientCapabilities         `json:"capabilities"`
}

// Folders lists the folders that the client has open: its workspace folders, else its root.
func (p InitializeParams) Folders() []protocol.WorkspaceFolder {
	switch {
	case len(p.WorkspaceFolders) > 0:
		return p.WorkspaceFolders
	case p.RootURI != "":
		return []protocol.WorkspaceFolder{{URI: string(p.RootURI), Name: string(p.RootURI)}}
	default:
		return nil
	}
}

// ClientCapabilities is the part that Assent asks for.
type ClientCapabilities struct {
	General struct {
		PositionEncodings []documents.Encoding `json:"positionEncodings"`
	} `json:"general"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress"`
		ShowDocument     struct {
			Support bool `json:"support"`
		} `json:"showDocument"`
	} `json:"window"`
	Workspace struct {
		ApplyEdit     bool `json:"applyEdit"`
		Configuration bool `json:"configuration"`
		WorkspaceEdit struct {
			DocumentChanges    bool     `json:"documentChanges"`
			ResourceOperations []string `json:"resourceOperations"`
		} `json:"workspaceEdit"`
		DidChangeConfiguration struct {
			DynamicRegistration bool `json:"dynamicRegistration"`
		} `json:"didChangeConfiguration"`
		CodeLens struct {
			RefreshSupport bool `json:"refreshSupport"`
		} `json:"codeLens"`
		InlayHint struct {
			RefreshSupport bool `json:"refreshSupport"`
		} `json:"inlayHint"`
	} `json:"workspace"`
	TextDocument struct {
		PublishDiagnostics struct {
			VersionSupport bool `json:"versionSupport"`
		} `json:"publishDiagnostics"`
		FoldingRange struct {
			FoldingRange struct {
				CollapsedText bool `json:"collapsedText"`
			} `json:"foldingRange"`
		} `json:"foldingRange"`
		Rename struct {
			DynamicRegistration bool `json:"dynamicRegistration"`
			PrepareSupport      bool `json:"prepareSupport"`
		} `json:"rename"`
		CodeLens       dynamicRegistration        `json:"codeLens"`
		Inline         json.RawMessage            `json:"inlineCompletion"` // absent: the client shows none
		SemanticTokens SemanticTokensCapabilities `json:"semanticTokens"`
	} `json:"textDocument"`
	Experimental json.RawMessage `json:"experimental"`
}

// UnmarshalJSON takes what fits: a value of another type, as some clients write for an empty object, counts as absent.
func (c *ClientCapabilities) UnmarshalJSON(data []byte) error {
	type plain ClientCapabilities
	err := json.Unmarshal(data, (*plain)(c))
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); odd {
		return nil
	}
	return err
}

type dynamicRegistration struct {
	DynamicRegistration bool `json:"dynamicRegistration"`
}

// SemanticTokensCapabilities is what a client shows of semantic tokens.
type SemanticTokensCapabilities struct {
	DynamicRegistration bool `json:"dynamicRegistration"`
	Requests            struct {
		Full json.RawMessage `json:"full"` // a boolean or an object; absent: none
	} `json:"requests"`
	TokenTypes []string `json:"tokenTypes"`
}

// Full reports whether the client asks for the tokens of a whole document.
func (c SemanticTokensCapabilities) Full() bool {
	return len(c.Requests.Full) > 0 && string(c.Requests.Full) != "false" && string(c.Requests.Full) != "null"
}

// Assent is what the client takes of our own methods; nothing if it does not say so in a way that can be read.
func (c ClientCapabilities) Assent() ext.Client {
	var said struct {
		Assent ext.Client `json:"assent"`
	}
	if err := json.Unmarshal(c.Experimental, &said); err != nil {
		return ext.Client{}
	}
	return said.Assent
}

// InitializeResult answers initialize.
type InitializeResult struct {
	Capabilities ServerCapabilities   `json:"capabilities"`
	ServerInfo   *protocol.ServerInfo `json:"serverInfo,omitempty"`
}

// ServerCapabilities adds what LSP 3.17 has.
type ServerCapabilities struct {
	protocol.ServerCapabilities
	PositionEncoding  documents.Encoding `json:"positionEncoding,omitempty"`
	InlayHintProvider bool               `json:"inlayHintProvider,omitempty"`
	InlineCompletion  bool               `json:"inlineCompletionProvider,omitempty"`
}

// FoldingRange is that of LSP 3.17.
type FoldingRange struct {
	protocol.FoldingRange
	CollapsedText string `json:"collapsedText,omitempty"`
}

// ChooseEncoding takes the first offered encoding that is known: the client's favourite. A client that offers none
// counts UTF-16.
func ChooseEncoding(offered []documents.Encoding) documents.Encoding {
	for _, e := range offered {
		switch e {
		case documents.UTF8, documents.UTF16, documents.UTF32:
			return e
		}
	}
	return documents.UTF16
}

// DidChangeParams is the change of a document. In the library's type a change of the whole text cannot be told from one
// at the start.
type DidChangeParams struct {
	TextDocument   protocol.VersionedTextDocumentIdentifier `json:"textDocument"`
	ContentChanges []ContentChange                          `json:"contentChanges"`
}

// ContentChange replaces Range, or the whole text if there is none.
type ContentChange struct {
	Range *protocol.Range `json:"range,omitempty"`
	Text  string          `json:"text"`
}

// CodeActionParams are those of LSP 3.17: the library lacks triggerKind.
type CodeActionParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Range        protocol.Range                  `json:"range"`
	Context      struct {
		Only        []protocol.CodeActionKind `json:"only"`
		TriggerKind int                       `json:"triggerKind"`
		Diagnostics json.RawMessage           `json:"diagnostics"`
	} `json:"context"`
}

// DidChangeConfigurationParams keeps the settings as they came.
type DidChangeConfigurationParams struct {
	Settings json.RawMessage `json:"settings"`
}

// InlayHintParams are those of LSP 3.17, which the library lacks.
type InlayHintParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Range        protocol.Range                  `json:"range"`
}

// InlayHint is one of LSP 3.17.
type InlayHint struct {
	Position    protocol.Position `json:"position"`
	Label       string            `json:"label"`
	PaddingLeft bool              `json:"paddingLeft,omitempty"`
}

// InlineCompletionParams are those of LSP 3.18.
type InlineCompletionParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Position     protocol.Position               `json:"position"`
	Context      struct {
		TriggerKind int `json:"triggerKind"`
	} `json:"context"`
}

// InlineCompletionList is a list of LSP 3.18.
type InlineCompletionList struct {
	Items []InlineCompletionItem `json:"items"`
}

// InlineCompletionItem is one of LSP 3.18.
type InlineCompletionItem struct {
	InsertText string         `json:"insertText"`
	Range      protocol.Range `json:"range"`
}

// PrepareRenamePlaceholder is the answer to prepareRename that names a text to begin with, which the library lacks.
type PrepareRenamePlaceholder struct {
	Range       protocol.Range `json:"range"`
	Placeholder string         `json:"placeholder"`
}

// SemanticTokensRegistrationOptions are those of LSP 3.17, which the library lacks.
type SemanticTokensRegistrationOptions struct {
	DocumentSelector []map[string]string `json:"documentSelector,omitempty"`
	Legend           struct {
		TokenTypes     []protocol.SemanticTokenTypes     `json:"tokenTypes"`
		TokenModifiers []protocol.SemanticTokenModifiers `json:"tokenModifiers"`
	} `json:"legend"`
	Full bool `json:"full"`
}
