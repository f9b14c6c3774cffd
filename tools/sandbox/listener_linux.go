//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// A command with a network has an interface to itself alone, as any other, and a proxy that listens there. The first
// process of the sandbox makes that listener and sends it to this process over a Unix socket of the private folder,
// which is in no view: a socket stays in the network where it was made.

const (
	proxyPort  = 3128 // the network of the command is its own: nobody else can have it
	socketName = "proxy"
)

// at is the path of a socket in a folder, by the number of the folder: the paths of sockets are short.
func at(folder int) string {
	return filepath.Join("/proc/self/fd", strconv.Itoa(folder), socketName)
}

// expect waits for the listener of a command in its private folder, and has it served. stop ends both.
func expect(private string, serve func(net.Listener)) (stop func(), err error) {
	folder, err := unix.Open(private, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: at(folder), Net: "unix"})
	if err != nil {
		return nil, errors.Join(err, unix.Close(folder))
	}
	served := make(chan struct{})
	sent := make(chan net.Listener, 1)
	go func() {
		defer close(served)
		defer close(sent)
		conn, err := l.AcceptUnix()
		if err != nil {
			return
		}
		defer conn.Close() //nolint:errcheck // it is over
		if from, err := receive(conn); err == nil {
			sent <- from
			serve(from)
		}
	}()
	return func() {
		_ = l.Close() // and with it the socket's name
		if from := <-sent; from != nil {
			_ = from.Close()
		}
		<-served
		_ = unix.Close(folder)
	}, nil
}

// receive gets the one listener that is sent.
func receive(conn *net.UnixConn) (net.Listener, error) {
	control := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := conn.ReadMsgUnix(make([]byte, 1), control)
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil || len(messages) != 1 {
		return nil, errByHand
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, errByHand
	}
	f := os.NewFile(uintptr(fds[0]), "proxy")
	defer f.Close() //nolint:errcheck // the listener has its own
	return net.FileListener(f)
}

// sendListener makes the listener of the proxy in the network of this process and sends it.
func (o order) sendListener() error {
	listener, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(listener) //nolint:errcheck // only used here
	folder, err := unix.Open(o.Private, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(folder) //nolint:errcheck // only used here
	to, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(to) //nolint:errcheck // only used here
	if err := unix.Bind(listener, &unix.SockaddrInet4{Port: proxyPort, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	if err := unix.Listen(listener, unix.SOMAXCONN); err != nil {
		return err
	}
	if err := unix.Connect(to, &unix.SockaddrUnix{Name: at(folder)}); err != nil {
		return err
	}
	return unix.Sendmsg(to, []byte{0}, unix.UnixRights(listener), nil, 0)
}

// proxy is the address of the command's proxy; empty: it has none.
func (o order) proxy() string {
	if !o.Network {
		return ""
	}
	return "http://127.0.0.1:" + strconv.Itoa(proxyPort)
}

// network switches on what a command has of a network.
func (o order) network() error {
	if err := loopback(); err != nil {
		return fmt.Errorf("the loopback interface: %w", err)
	}
	if !o.Network {
		return nil
	}
	if err := o.sendListener(); err != nil {
		return fmt.Errorf("the proxy of the network: %w", err)
	}
	return nil
}
