//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/sandbox/layers"
	"github.com/assent-ls/assent/tools/sandbox/mask"
	"github.com/assent-ls/assent/tools/sandbox/toolchain"
	"github.com/assent-ls/assent/tools/workspace"
)

// system is what of the machine a command can read. Links among them, such as /bin, stay links.
var system = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/nix/store", "/gnu/store",
	"/run/current-system",
}

// systemSecrets are parts of it that only root can read: hidden where Assent runs as root.
var systemSecrets = []string{
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d",
	"/etc/ssl/private", "/etc/ssh", "/etc/krb5.keytab",
	"/etc/NetworkManager/system-connections", "/etc/wireguard", "/etc/ipsec.secrets", "/etc/docker", "/etc/kubernetes",
}

// wrap makes the private folder of a command and the command line that runs it in the sandbox.
func (s *Sandbox) wrap(k kind, c Command) (w Wrapped, err error) {
	argv := c.Argv
	if len(argv) == 0 || !filepath.IsAbs(argv[0]) {
		return Wrapped{}, errors.New("a program in the sandbox is named by an absolute path")
	}
	f, err := s.folders()
	if err != nil {
		return Wrapped{}, err
	}
	private, remove, err := newPrivate(f.private)
	if err != nil {
		return Wrapped{}, err
	}
	defer func() {
		if err != nil {
			remove()
		}
	}()
	asked, err := changes.Clock(private)
	if err != nil {
		return Wrapped{}, err
	}
	inMemory, err := s.layersInMemory(private)
	if err != nil {
		return Wrapped{}, err
	}
	covering := c.Reads || c.Network != nil
	notSeen, err := s.notSeen(covering)
	if err != nil {
		return Wrapped{}, err
	}
	if argv[0] == "/proc/self/exe" { // in the sandbox this program has a name of its own
		argv = append([]string{program}, argv[1:]...)
	}
	o := order{
		Root: s.options.Root, Private: private, Dir: c.Dir, Argv: argv, Layers: inMemory, Asked: asked,
		Memory: s.options.memory(),
		Own:    []string{"/tmp", "/dev/shm", "/dev/pts", f.cache},
		Mask: mask.Options{
			Hidden: notSeen.Hidden, Covered: notSeen.Covered, Cut: notSeen.Settings, Addresses: c.Network != nil,
		},
		Network: c.Network != nil,
	}
	if covering {
		o.Mask.NoText = workspace.AskedPatterns()
		if s.options.Patterns != nil {
			o.Mask.NoText = append(o.Mask.NoText, s.options.Patterns()...)
		}
	}
	o.addSystem(f)
	o.addHome(c.Env, f)
	chat, notes := o.addChat(c.Chat, f)
	unlock := func() {
		if chat != nil {
			chat.Close()
		}
	}
	defer func() {
		if err != nil {
			unlock()
		}
	}()
	if err := o.addDraft(c.Draft); err != nil {
		return Wrapped{}, err
	}
	if err := o.write(); err != nil {
		return Wrapped{}, err
	}
	self, how := f.executable, &syscall.SysProcAttr{}
	if len(k.program) == 0 {
		self = "/proc/self/exe"
		if how, err = namespaceAttributes(); err != nil {
			return Wrapped{}, err
		}
	}
	how.Setsid = true
	unserve := func() {}
	if c.Network != nil {
		if unserve, err = expect(private, c.Network); err != nil {
			return Wrapped{}, err
		}
	}
	exceeded, ungroup := k.group(o.Memory, how)
	return Wrapped{
		Argv: slices.Concat(
			k.program, []string{self}, s.options.Helper, []string{wordFirst, filepath.Join(private, orderName)},
		),
		Env: toolchain.Environment(c.Env, f.cache, o.proxy()), How: how,
		Layer: &changes.Layer{
			Root: s.options.Root, Upper: o.upper(), Hidden: notSeen.Hidden, Shown: o.shown,
			Kept: s.kept(f),
		},
		Chat: chat, Notes: notes,
		Covered:  slices.Concat(notSeen.Covered, notSeen.Settings),
		Watch:    func(ctx context.Context) string { return s.watch(ctx, notSeen, covering, o.upper(), exceeded) },
		Foreign:  s.Foreign,
		Exceeded: exceeded, Close: func() { unserve(); ungroup(); unlock(); remove() },
	}, nil
}

// addChat adds the layer of the command's chat, if it has one. Where the layers lie in memory there is none. notes say
// what of it the command does not see.
func (o *order) addChat(c Chat, f folders) (chat *layers.Chat, notes []string) {
	store := layers.Store{Folder: f.layers}
	if c.Name == "" || o.Layers > 0 || !c.Keeps && !store.Has(o.Root, c.Name) {
		return nil, nil
	}
	chat, err := store.Open(o.Root, c.Name, c.Ignored)
	if err != nil {
		if !store.Has(o.Root, c.Name) {
			return nil, nil
		}
		return nil, []string{fmt.Sprintf("What tried commands of this chat built is not there: %v.", err)}
	}
	o.Chat, o.Mask.Above = chat.Folder(), chat.Above()
	return chat, chat.Dropped()
}

// LeaveBuilt takes the layer of a chat for the workspace, see [layers.Chat.Leave].
func (s *Sandbox) LeaveBuilt(c Chat) (*layers.Chat, *changes.Layer, error) {
	f, err := s.folders()
	if err != nil {
		return nil, nil, err
	}
	hidden, err := s.notSeen(false)
	if err != nil {
		return nil, nil, err
	}
	chat, err := (layers.Store{Folder: f.layers}).Open(s.options.Root, c.Name, c.Ignored)
	if err != nil {
		return nil, nil, err
	}
	work, err := chat.Leave()
	if err != nil {
		chat.Close()
		return nil, nil, err
	}
	o := order{Root: s.options.Root}
	o.addSystem(f)
	o.addHome(os.Environ(), f)
	work.Hidden, work.Shown, work.Kept = hidden.Hidden, o.shown, s.kept(f)
	return chat, work, nil
}

func (s *Sandbox) kept(f folders) changes.Kept {
	return changes.Kept{Folder: f.kept, Bytes: s.options.KeepBytes, For: s.options.KeepFor}
}

// layersInMemory is how much memory the layers of a command get, 0 if they can lie in its private folder. On an
// overlay, as the files of a container are, they cannot.
func (s *Sandbox) layersInMemory(private string) (bytes uint64, err error) {
	if !onOverlay(private) {
		return 0, nil
	}
	if err := os.Remove(filepath.Join(private, upperName)); err != nil { // it is there again when all in it is
		return 0, err
	}
	return s.options.memory() / 2, nil
}

func onOverlay(folder string) bool {
	var is unix.Statfs_t
	return unix.Statfs(folder, &is) == nil && is.Type == unix.OVERLAYFS_SUPER_MAGIC
}

func (o *order) add(do, from, to string) { o.Steps = append(o.Steps, step{do, from, to}) }

// addSystem adds what every command sees of the machine.
func (o *order) addSystem(f folders) {
	o.add(doMemory, "", "/tmp")
	for _, dir := range []string{"/run", EmptyFolder, "/var/lib"} {
		o.add(doFolder, "", dir)
	}
	o.add(doLink, "/run", "/var/run")
	o.add(doLink, "/tmp", "/var/tmp")
	for _, path := range system {
		target, err := os.Readlink(path)
		switch {
		case err == nil && filepath.Dir(path) == "/":
			o.add(doLink, target, path)
		case err == nil || exists(path):
			if real, err := filepath.EvalSymlinks(path); err == nil {
				o.add(doShow, real, path)
				if path != "/etc" {
					o.shown = append(o.shown, real)
				}
			}
		}
	}
	if os.Getuid() == 0 { // nobody else can read them
		for _, path := range systemSecrets {
			o.hide(path, f)
		}
	}
	o.add(doShow, f.executable, program)
}

// hide puts something empty over a file or folder of the system that is there and can be read.
func (o *order) hide(path string, f folders) {
	info, err := os.Lstat(path)
	switch {
	case err != nil || info.Mode()&os.ModeSymlink != 0 || unix.Access(path, unix.R_OK) != nil:
	case info.IsDir():
		o.add(doShow, f.emptyDir, path)
	default:
		o.add(doShow, f.emptyFile, path)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
