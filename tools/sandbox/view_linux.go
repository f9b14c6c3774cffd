//go:build amd64 || arm64

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// system is what of the machine a command can read. Links among them, such as /bin, stay links.
var system = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/gnu/store", "/run/current-system",
}

// systemSecrets are parts of it that only root can read: hidden where Assent runs as root.
var systemSecrets = []string{
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssl/private", "/etc/ssh", "/etc/krb5.keytab",
	"/etc/NetworkManager/system-connections", "/etc/wireguard", "/etc/ipsec.secrets", "/etc/docker", "/etc/kubernetes",
}

// maxMounts is how many protected files and folders can be mounted one by one.
const maxMounts = 2000

// view collects the arguments of bubblewrap that make a file system.
type view struct {
	args  []string
	found []identity
}

func (v *view) add(args ...string) { v.args = append(v.args, args...) }

// wrap makes the command line of a command in the sandbox.
func (s *Sandbox) wrap(k kind, argv, env []string, dir string) (Wrapped, error) {
	if len(argv) == 0 || !filepath.IsAbs(argv[0]) {
		return Wrapped{}, errors.New("a program in the sandbox is named by an absolute path")
	}
	folders, err := s.folders()
	if err != nil {
		return Wrapped{}, err
	}
	names, err := s.walked.names(s.options.Root)
	if err != nil {
		return Wrapped{}, err
	}
	var v view
	v.add("--unshare-all", "--die-with-parent", "--as-pid-1")
	v.addSystem(folders)
	v.addHome(env, s.options.Root, folders)
	own := []string{"/tmp", "/dev/shm", "/dev/pts", folders.cache}
	if h := home(); h != "" {
		own = append(own, h)
	}
	v.add("--bind", folders.cache, folders.cache, "--bind", s.options.Root, s.options.Root)
	masked, err := v.protect(s.options, names, folders)
	if err != nil {
		return Wrapped{}, err
	}
	v.add("--remount-ro", "/")
	told, err := json.Marshal(order{Root: s.options.Root, Own: own, Dir: dir, Found: v.found})
	if err != nil {
		return Wrapped{}, err
	}
	if len(told) > maxOrder {
		return Wrapped{}, fmt.Errorf("too many protected files for a sandbox: %d", len(v.found))
	}
	if argv[0] == "/proc/self/exe" { // in the sandbox this program has a name of its own
		argv = append([]string{program}, argv[1:]...)
	}
	line := slices.Concat(k.program, v.args, []string{"--", program}, s.options.Helper, []string{wordInside, string(told), "--"}, argv)
	return Wrapped{Argv: line, Env: environment(env, folders.cache), Masked: masked, Close: func() {}}, nil
}

// maxOrder is below what the kernel takes as one argument.
const maxOrder = 120 << 10

// addSystem adds what every command sees.
func (v *view) addSystem(f folders) {
	v.add("--proc", "/proc", "--dev", "/dev")
	v.add("--size", strconv.Itoa(maxTemporary), "--tmpfs", "/tmp")
	v.add("--dir", "/run", "--dir", "/var/lib", "--symlink", "/run", "/var/run", "--symlink", "/tmp", "/var/tmp")
	for _, path := range system {
		target, err := os.Readlink(path)
		switch {
		case err == nil && filepath.Dir(path) == "/":
			v.add("--symlink", target, path)
		case err == nil || exists(path):
			if real, err := filepath.EvalSymlinks(path); err == nil {
				v.add("--ro-bind", real, path)
			}
		}
	}
	if os.Getuid() == 0 { // nobody else can read them
		for _, path := range systemSecrets {
			v.hide(path, f)
		}
	}
	v.add("--ro-bind", f.executable, program)
}

// hide puts something empty over a file or folder that is there and can be read.
func (v *view) hide(path string, f folders) {
	info, err := os.Lstat(path)
	if err != nil || unix.Access(path, unix.R_OK) != nil {
		return
	}
	if info.Mode()&os.ModeSymlink != 0 {
		return
	}
	empty := f.emptyFile
	if info.IsDir() {
		empty = f.emptyDir
	}
	v.add("--ro-bind", empty, path)
}

// protect makes what is protected in the workspace read-only, and hides secrets and what rules deny. It returns what is hidden.
func (v *view) protect(o Options, names []name, f folders) (masked []string, err error) {
	hidden := map[string]bool{}
	if o.Hidden != nil {
		for _, path := range o.Hidden() {
			if !filepath.IsAbs(path) {
				path = filepath.Join(o.Root, path)
			}
			rel, dir, err := resolved(o.Root, path)
			if err != nil {
				return nil, err
			}
			if rel != "" && !hidden[rel] {
				hidden[rel] = true
				names = append(names, name{rel: rel, dir: dir, hide: true})
			}
		}
	}
	if len(names) > maxMounts {
		return nil, fmt.Errorf("too many protected files for a sandbox: %d, the first is %s", len(names), names[0].rel)
	}
	// What lies in another one comes after it; what lies in a hidden folder is gone with it.
	slices.SortFunc(names, func(a, b name) int { return strings.Compare(a.rel+"/", b.rel+"/") })
	gone := ""
	for _, n := range names {
		path := filepath.Join(o.Root, n.rel)
		if gone != "" && within(gone, path) {
			continue
		}
		is := path
		if n.hide {
			is = f.emptyFile
			if n.dir {
				is, gone = f.emptyDir, path
			}
			masked = append(masked, n.rel)
		}
		var stat unix.Stat_t
		if err := unix.Lstat(is, &stat); isGone(err) {
			continue
		} else if err != nil {
			return nil, unexamined(n.rel, err)
		}
		v.add("--ro-bind", is, path)
		v.found = append(v.found, identity{Path: path, Dev: stat.Dev, Ino: stat.Ino})
	}
	return masked, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// within says whether a path is a folder or lies in it.
func within(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
