//go:build amd64 || arm64

package probe

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Prepare makes, in a folder, what the probe shall not reach. heard fails if something reached the sockets after all;
// it closes them.
func Prepare(scratch string) (m Mission, heard func() error, err error) {
	m = Mission{
		Root: filepath.Join(scratch, "work"), Outside: filepath.Join(scratch, "outside"),
		Abstract: "@" + filepath.Base(scratch), Parent: os.Getpid(),
	}
	if m.Network, err = os.Readlink("/proc/self/ns/net"); err != nil {
		return m, nil, err
	}
	for _, dir := range []string{filepath.Join(m.Root, ".git/hooks"), filepath.Join(m.Root, "in"), m.Outside} {
		err = errors.Join(err, os.MkdirAll(dir, 0o700))
	}
	for path, text := range map[string]string{
		filepath.Join(m.Root, "kept"): canary, filepath.Join(m.Root, ".env"): canary,
		filepath.Join(m.Root, "in/.env"): canary, filepath.Join(m.Root, ".npmrc"): canary,
		filepath.Join(m.Root, ".git/HEAD"):   "ref: refs/heads/main\n",
		filepath.Join(m.Root, ".git/config"): "[remote \"o\"]\n\turl = https://me:" + canary + "@example.org\n",
		filepath.Join(m.Outside, "secret"):   canary,
	} {
		err = errors.Join(err, os.WriteFile(path, []byte(text), 0o600))
	}
	if err != nil {
		return m, nil, err
	}
	var sockets []net.PacketConn
	heard = func() (err error) {
		for _, s := range sockets {
			_ = s.SetReadDeadline(time.Now()) // what was sent is there: the sender has ended
			if n, _, readErr := s.ReadFrom(make([]byte, 1)); readErr == nil || n > 0 {
				err = errors.Join(err, fmt.Errorf("the self-test failed: the socket %s was reached", s.LocalAddr()))
			}
			_ = s.Close()
		}
		return err
	}
	for _, address := range []string{m.Root, m.Outside, m.Abstract} {
		s, err := listenIn(address)
		if err != nil {
			return m, nil, errors.Join(err, heard())
		}
		sockets = append(sockets, s)
	}
	return m, heard, nil
}

// listenIn opens a socket in a folder, or an abstract one. The kernel takes only short paths for sockets, so the folder
// is named by its number.
func listenIn(address string) (net.PacketConn, error) {
	if filepath.IsAbs(address) {
		dir, err := os.Open(address)
		if err != nil {
			return nil, err
		}
		defer dir.Close() //nolint:errcheck // only a place
		address = fmt.Sprintf("/proc/self/fd/%d/socket", dir.Fd())
	}
	return net.ListenPacket("unixgram", address) //nolint:noctx // it waits for nothing
}

// Untouched fails if the probe changed what lies on the disk, whatever it said, or if what it wrote in the view is not
// in the upper layer to be checked.
func (m Mission) Untouched(upper string) error {
	var err error
	for _, path := range []string{
		filepath.Join(m.Outside, "made"), filepath.Join(m.Root, ".git/hooks/post-checkout"),
		filepath.Join(m.Root, "made"), filepath.Join(m.Root, "moved"), filepath.Join(m.Root, "a"),
	} {
		if _, statErr := os.Lstat(path); statErr == nil {
			err = errors.Join(err, fmt.Errorf("the self-test failed: it made %s", path))
		}
	}
	for _, name := range []string{"kept", ".env", "in/.env"} {
		if text, readErr := os.ReadFile(filepath.Join(m.Root, name)); readErr != nil || string(text) != canary {
			err = errors.Join(err, fmt.Errorf("the self-test failed: it changed %s", name))
		}
	}
	if text, readErr := os.ReadFile(filepath.Join(upper, "moved")); readErr != nil || string(text) != canary {
		err = errors.Join(err, errors.New("the self-test failed: what it wrote is not in its private folder"))
	}
	return err
}
