package sandbox

import (
	"slices"
	"strings"
)

// signs are what programs say when the sandbox stops them, in lower case, and what it was. The first that fits counts.
var signs = []struct {
	what  string
	texts []string
}{
	{"it wrote to a place that it may only read, such as a protected file", []string{"read-only file system"}},
	{"it used the network", []string{
		"network is unreachable", "enetunreach", "could not resolve host", "temporary failure in name resolution",
		"name or service not known", "no such host", "unable to resolve host", "unable to look up", "getaddrinfo",
		"eai_again", "enotfound", "server misbehaving", "connect: connection refused",
		"failed to establish a new connection", "module lookup disabled by goproxy=off", "enotcached",
		"--offline was specified", "you may want to run without the --offline flag", "without the offline flag",
		"unable to access 'http",
	}},
	{"it changed a file or folder of another user or group", foreignSigns},
	{wroteLarge, []string{"file too large", "file size limit exceeded"}},
	{"it started too many processes", []string{"the sandbox ended the command: it had more than"}},
	{"it renamed a folder that was there before in one step: mv copies it", []string{"cross-device link", "exdev"}},
	{"it started too many processes", []string{"resource temporarily unavailable"}},
	{"it wrote more into /tmp or the home folder than there is room for", []string{"no space left on device"}},
	{"it asked the system for something that is not allowed there", []string{"operation not permitted"}},
	{"it used a file that is not open to it there", []string{"permission denied"}},
}

const wroteLarge = "it wrote a file of more than 2 GiB"

// foreignSigns are what programs say where a file belongs to somebody whom the namespace of the command does not know.
var foreignSigns = []string{"value too large for defined data type", "eoverflow"}

// NeedsForeign reports whether a command failed since it changed a file of another user or group, see
// [Sandbox.Foreign].
func NeedsForeign(output string) bool { return hasAny(output, foreignSigns) }

// hasAny reports whether an output has one of some texts, in whatever case.
func hasAny(output string, texts []string) bool {
	output = strings.ToLower(output)
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(output, text) })
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
		return sentenceBlocked(wroteLarge)
	}
	for _, sign := range signs {
		if hasAny(output, sign.texts) {
			return sentenceBlocked(sign.what)
		}
	}
	return ""
}

func sentenceBlocked(what string) string { return "The sandbox may have stopped it: " + what + "." }
