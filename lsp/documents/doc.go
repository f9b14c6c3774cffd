// Package documents holds the open documents of an editor: immutable texts, versions, position encodings, and the one
// writer of each document. It knows no wire types; lsp converts.
package documents
