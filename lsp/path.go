package lsp

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"go.lsp.dev/protocol"
)

// filePath is the absolute path of a file URI; false for any other. (The library's Filename panics on those.)
func filePath(uri protocol.DocumentURI) (string, bool) {
	u, err := url.Parse(string(uri))
	if err != nil || u.Scheme != "file" || u.Path == "" || (u.Host != "" && u.Host != "localhost") {
		return "", false
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.Clean(filepath.FromSlash(path)), true
}

// fileURI is the URI of an absolute path.
func fileURI(path string) protocol.DocumentURI {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	return protocol.DocumentURI((&url.URL{Scheme: "file", Path: path}).String())
}
