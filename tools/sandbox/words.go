package sandbox

// The first argument of Help says which part of the sandbox this process is. The second is its order, in a file or, for
// the self-test, as it is.
const (
	// the first process in new namespaces: it makes the view of the file system, then confines and starts the command.
	wordFirst = "first"
	wordProbe = "probe" // the self-test, run as a command
)

// EmptyFolder is a folder in every sandbox where there is nothing.
const EmptyFolder = "/run/empty"

// program is where this program is in the sandbox.
const program = "/run/assent"

const sentenceOff = "Commands are not confined: the setting \"sandbox\" is \"off\", so each one is asked about."

// Variables for tests and for a person who searches for a fault: they take a part of the sandbox away, and never add
// one.
const (
	hideBubblewrap = "ASSENT_SANDBOX_NO_BUBBLEWRAP"
	hideNamespaces = "ASSENT_SANDBOX_NO_NAMESPACES"
)
