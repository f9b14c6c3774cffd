package documents

import (
	"fmt"
	"net/url"
	"path"
	"runtime"
	"strings"
)

const fileScheme = "file://"

// Key returns one name for all spellings of a document's URI: editors differ in what they percent-encode and in the
// case of Windows drive letters. URIs of other schemes are their own keys.
func Key(uri string) string {
	host, file, ok := splitFile(uri)
	if !ok {
		return uri
	}
	return fileScheme + host + file
}

// PathOf returns the file of a URI as an absolute path of this system. It fails for URIs that name no file here.
func PathOf(uri string) (string, error) { return pathOf(uri, runtime.GOOS == "windows") }

func pathOf(uri string, windows bool) (string, error) {
	host, file, ok := splitFile(uri)
	switch {
	case !ok || file == "" || strings.ContainsRune(file, 0):
		return "", fmt.Errorf("%q names no file: it does not begin with file:///", uri)
	case windows && host != "":
		return `\\` + host + strings.ReplaceAll(file, "/", `\`), nil
	case windows && len(file) == len("/C:"):
		return file[1:] + `\`, nil // without it, it is the current folder of the drive
	case windows:
		return strings.ReplaceAll(strings.TrimPrefix(file, "/"), "/", `\`), nil
	case host != "":
		return "", fmt.Errorf("%q names a file of another machine", uri)
	}
	return file, nil
}

// URIOf returns the URI of an absolute path.
func URIOf(file string) string { return uriOf(file, runtime.GOOS == "windows") }

func uriOf(file string, windows bool) string {
	if windows {
		file = strings.ReplaceAll(file, `\`, "/")
	}
	if rest, ok := strings.CutPrefix(file, "//"); ok && windows {
		host, share, _ := strings.Cut(rest, "/")
		return (&url.URL{Scheme: "file", Host: host, Path: "/" + share}).String()
	}
	if !strings.HasPrefix(file, "/") {
		file = "/" + file
	}
	return fileScheme + (&url.URL{Path: file}).EscapedPath()
}

// splitFile returns the host and the cleaned, decoded path of a file URI.
func splitFile(uri string) (host, file string, ok bool) {
	if len(uri) < len(fileScheme) || !strings.EqualFold(uri[:len(fileScheme)], fileScheme) {
		return "", "", false
	}
	rest := uri[len(fileScheme):]
	slash := strings.IndexByte(rest, '/')
	if slash < 0 {
		return "", "", false
	}
	host, file = strings.ToLower(rest[:slash]), rest[slash:]
	if host == "localhost" {
		host = ""
	}
	// A sequence that is no percent-encoding came from a client that does not encode: it stands for itself.
	if decoded, err := url.PathUnescape(file); err == nil {
		file = decoded
	}
	file = path.Clean(file)
	if len(file) >= 3 && file[2] == ':' && 'a' <= file[1] && file[1] <= 'z' {
		file = "/" + strings.ToUpper(file[1:2]) + file[2:]
	}
	return host, file, true
}
