package sandbox

import (
	"slices"
	"strings"
)

// signs are what programs say when the sandbox stops them, in lower case, and what it was.
var signs = []struct{ text, what string }{
	{"read-only file system", "it wrote to a place that it may only read, such as a protected file"},
	{"network is unreachable", network},
	{"enetunreach", network},
	{"could not resolve host", network},
	{"could not resolve hostname", network},
	{"temporary failure in name resolution", network},
	{"name or service not known", network},
	{"no such host", network},
	{"unable to resolve host", network},
	{"unable to look up", network},
	{"getaddrinfo", network},
	{"eai_again", network},
	{"enotfound", network},
	{"server misbehaving", network},
	{"connect: connection refused", network},
	{"failed to establish a new connection", network},
	{"module lookup disabled by goproxy=off", network},
	{"enotcached", network},
	{"--offline was specified", network},
	{"you may want to run without the --offline flag", network},
	{"without the offline flag", network},
	{"unable to access 'http", network},
	{foreignSigns[0], "it changed a file or folder of another user or group"},
	{foreignSigns[1], "it changed a file or folder of another user or group"},
	{"file too large", "it wrote a file of more than 2 GiB"},
	{"file size limit exceeded", "it wrote a file of more than 2 GiB"},
	{"the sandbox ended the command: it had more than", "it started too many processes"},
	{"cross-device link", moved},
	{"exdev", moved},
	{"resource temporarily unavailable", "it started too many processes"},
	{"no space left on device", "it wrote more into /tmp or the home folder than there is room for"},
	{"operation not permitted", "it asked the system for something that is not allowed there"},
	{"permission denied", "it used a file that is not open to it there"},
}

const (
	network = "it used the network"
	moved   = "it renamed a folder that was there before in one step: mv copies it"
)

// foreignSigns are what programs say where a file belongs to somebody whom the namespace of the command does not know.
var foreignSigns = []string{"value too large for defined data type", "eoverflow"}

// NeedsForeign reports whether a command failed since it changed a file of another user or group, see
// [Sandbox.Foreign].
func NeedsForeign(output string) bool {
	output = strings.ToLower(output)
	return slices.ContainsFunc(foreignSigns, func(sign string) bool { return strings.Contains(output, sign) })
}

// statusFileSize is how a command ends that a limit on the size of files killed: 128 and the signal.
const statusFileSize = 128 + 25

// Blocked says, in a sentence for people, why the sandbox may be the reason that a command failed. It is empty if
// nothing in its output points there, or if it did not fail.
func Blocked(output string, status int) string {
	if status == 0 {
		return ""
	}
	if status == statusFileSize {
		return sentenceBlocked("it wrote a file of more than 2 GiB")
	}
	lower := strings.ToLower(output)
	for _, sign := range signs {
		if strings.Contains(lower, sign.text) {
			return sentenceBlocked(sign.what)
		}
	}
	return ""
}

func sentenceBlocked(what string) string { return "The sandbox may have stopped it: " + what + "." }
