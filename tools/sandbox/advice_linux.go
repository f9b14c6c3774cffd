//go:build amd64 || arm64

package sandbox

import (
	"os"
	"strconv"
	"strings"

	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/sandbox/confine"
)

// advice says the one thing to change where no sandbox can be had; empty: none is known.
func (s *Sandbox) advice() string {
	setting := func(name, value string) bool {
		text, err := os.ReadFile("/proc/sys/" + name)
		return err == nil && strings.TrimSpace(string(text)) == value
	}
	root := os.Getuid() == 0
	switch mounted := s.mounted(); {
	case os.Getenv(hideNamespaces) != "" || os.Getenv(confine.HideLandlock) != "":
		return ""
	case confine.Landlock() == 0:
		return "Add landlock to the list lsm= that the kernel is started with, if it is built with it."
	case setting("user/max_user_namespaces", "0"):
		return "User namespaces are off: `sysctl user.max_user_namespaces=15000`, as root, allows them."
	case !root && setting("kernel/unprivileged_userns_clone", "0"):
		return "User namespaces are for root alone: `sysctl kernel.unprivileged_userns_clone=1`, as root, allows them."
	case !root && setting("kernel/apparmor_restrict_unprivileged_userns", "1"):
		return "AppArmor lets only some programs make namespaces: install bubblewrap, which is one of them."
	case mounted != "":
		return strconv.Quote(mounted) + " is mounted in the workspace: unmount it, or open a folder without it."
	case filtered():
		return "This process runs under a filter of system calls, as containers have it, " +
			"which may forbid namespaces: Docker and Podman take the option --security-opt seccomp=unconfined."
	}
	return ""
}

// mounted is a place in the workspace where something is mounted; empty: there is none.
func (s *Sandbox) mounted() string {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		at := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(fields[4])
		if at != s.options.Root && changes.Within(s.options.Root, at) {
			return at
		}
	}
	return ""
}

// filtered reports whether this process runs under a filter of system calls.
func filtered() bool {
	status, err := os.ReadFile("/proc/self/status")
	return err == nil && strings.Contains(string(status), "\nSeccomp:\t2")
}
