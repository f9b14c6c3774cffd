//go:build linux || darwin || freebsd || netbsd

package tree

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const accessList = "system.posix_acl_access"

// boundToContent are attributes that a change of the content takes away, as the kernel does.
var boundToContent = []string{"security.capability", "security.ima", "security.evm"}

// keepAttributes gives f the extended attributes of like, its access list among them. What only the system may set is
// left to it. Anything else that cannot be kept is an error.
func keepAttributes(f, like *os.File) error {
	names, err := attributes(like)
	if err != nil {
		return fmt.Errorf("its extended attributes cannot be read: %w", err)
	}
	given, err := attributes(f)
	if err != nil {
		return fmt.Errorf("its extended attributes cannot be kept: %w", err)
	}
	if slices.Contains(given, accessList) && !slices.Contains(names, accessList) { // by the folder's default
		if err := unix.Fremovexattr(int(f.Fd()), accessList); err != nil {
			return fmt.Errorf("its access rights cannot be kept: %w", err)
		}
	}
	for _, name := range names {
		if slices.Contains(boundToContent, name) {
			continue
		}
		err := copyAttribute(f, like, name)
		if system := strings.HasPrefix(
			name, "security.",
		) || strings.HasPrefix(name, "trusted."); err != nil && !system {
			return fmt.Errorf("its extended attribute %q cannot be kept: %w", name, err)
		}
	}
	return nil
}

// attributes lists the names of the extended attributes; none on a file system without them.
func attributes(f *os.File) ([]string, error) {
	size, err := unix.Flistxattr(int(f.Fd()), nil)
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EOPNOTSUPP) || size == 0 && err == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list := make([]byte, size)
	if size, err = unix.Flistxattr(int(f.Fd()), list); err != nil {
		return nil, err
	}
	var names []string
	for name := range bytes.SplitSeq(bytes.TrimRight(list[:size], "\x00"), []byte{0}) {
		names = append(names, string(name))
	}
	return names, nil
}

func copyAttribute(to, from *os.File, name string) error {
	size, err := unix.Fgetxattr(int(from.Fd()), name, nil)
	if err != nil {
		return err
	}
	value := make([]byte, size)
	if size > 0 {
		if size, err = unix.Fgetxattr(int(from.Fd()), name, value); err != nil {
			return err
		}
	}
	return unix.Fsetxattr(int(to.Fd()), name, value[:size], 0)
}
