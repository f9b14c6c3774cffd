package lsptest

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"

	"go.lsp.dev/protocol"
)

// operation is what a workspace edit does to a file. The library has no room for it among the edits of documents.
type operation struct {
	Kind   string               `json:"kind"`
	URI    protocol.DocumentURI `json:"uri"`
	OldURI protocol.DocumentURI `json:"oldUri"`
	NewURI protocol.DocumentURI `json:"newUri"`
}

// workspaceEdit reads the parameters of workspace/applyEdit.
func workspaceEdit(raw json.RawMessage) (edit protocol.WorkspaceEdit, operations []operation, err error) {
	var params struct {
		Edit struct {
			Changes         map[protocol.DocumentURI][]protocol.TextEdit `json:"changes"`
			DocumentChanges []json.RawMessage                            `json:"documentChanges"`
		} `json:"edit"`
	}
	if err := json.Unmarshal(raw, &params); err != nil {
		return edit, nil, err
	}
	edit.Changes = params.Edit.Changes
	for _, change := range params.Edit.DocumentChanges {
		var o operation
		var d protocol.TextDocumentEdit
		if err := json.Unmarshal(change, &o); err == nil && o.Kind != "" {
			operations = append(operations, o)
		} else if err := json.Unmarshal(change, &d); err != nil {
			return edit, nil, err
		} else {
			edit.DocumentChanges = append(edit.DocumentChanges, d)
		}
	}
	return edit, operations, nil
}

// operate deletes and moves files, with their buffers.
func (e *Editor) operate(operations []operation) error {
	if e.opts.Edits == Silent || e.opts.Edits == Lies {
		return nil
	}
	for _, o := range operations {
		uri := o.URI
		if o.Kind == "rename" {
			uri = o.OldURI
		}
		name, err := pathOf(uri)
		if err != nil {
			return err
		}
		if o.Kind == "delete" {
			err = os.Remove(name)
		} else {
			err = e.rename(name, o.NewURI)
		}
		if err != nil {
			return err
		}
		if err := e.forget(uri, o.NewURI); err != nil {
			return err
		}
	}
	return nil
}

func (e *Editor) rename(name string, to protocol.DocumentURI) error {
	target, err := pathOf(to)
	if err != nil {
		return err
	}
	return os.Rename(name, target)
}

// forget closes a document whose file is gone, and opens it as what it is now.
func (e *Editor) forget(uri, now protocol.DocumentURI) error {
	if err := e.flush(); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	b := e.buffers[uri]
	if b == nil {
		return nil
	}
	e.drop(uri)
	err := e.rpc.Notify(e.ctx, "textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
	if err != nil || now == "" {
		return err
	}
	b.version = 1
	e.buffers[now] = b
	return e.rpc.Notify(e.ctx, "textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": now, "languageId": "plaintext", "version": 1, "text": b.text,
	}})
}

func pathOf(uri protocol.DocumentURI) (string, error) {
	u, err := url.Parse(string(uri))
	if err != nil {
		return "", err
	}
	return filepath.FromSlash(u.Path), nil
}
