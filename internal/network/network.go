// Package network is the one way by which this program connects to anything, and starts programs that could. A program
// makes one Network and hands it down: what it does not allow, nobody in the program can reach.
package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// User is who connects, as people are told of it. It holds no secret.
type User struct {
	Who string // such as "model server", "web tool", "MCP server"
	Why string // what is asked there, in a few words
}

// Contact is an address that is about to be connected to.
type Contact struct {
	User

	Network string // "tcp" or "unix"
	Host    string // the name that was asked for, with its port; the path of a socket
	Address string // the address and port that the name means; empty: it is Host
}

// Network connects. It may be used concurrently. A nil one is offline and reaches nothing at all, so that what was
// never handed a Network has no way out.
type Network struct {
	offline bool
	note    func(Contact)
}

// New makes a Network. One that is offline reaches nothing but this machine: loopback addresses, Unix sockets, and
// names that the hosts file gives loopback addresses alone. note is told of each address before it is connected to,
// from any goroutine; nil: nobody is.
func New(offline bool, note func(Contact)) *Network {
	if note == nil {
		note = func(Contact) {}
	}
	return &Network{offline, note}
}

// Offline reports whether nothing but this machine can be reached.
func (n *Network) Offline() bool { return n == nil || n.offline }

// ErrOffline says that something would have left this machine.
var ErrOffline = errors.New("Assent is offline (--offline, or offline in your settings)") //nolint:staticcheck // a name

// refused is the error for a place that is not on this machine.
func refused(place string) error {
	return fmt.Errorf("%s is not on this machine, and %w", place, ErrOffline)
}

// Dialer connects for one user. Its zero value reaches nothing.
type Dialer struct {
	network *Network
	by      User
	limit   time.Duration

	// Control looks at each address right before it is connected to, as that of [net.Dialer]; nil: nobody does.
	Control func(network, address string, conn syscall.RawConn) error
}

// Dialer makes a Dialer, which waits so long for a connection.
func (n *Network) Dialer(by User, limit time.Duration) Dialer {
	return Dialer{network: n, by: by, limit: limit}
}

// DialContext connects as that of [net.Dialer] does: "tcp" to a host and port, "unix" to the path of a socket. Offline
// the error wraps ErrOffline.
func (d Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if d.network == nil {
		return nil, refused(address)
	}
	dialer := net.Dialer{Timeout: d.limit, Control: func(network, to string, conn syscall.RawConn) error {
		if d.network.offline && network != "unix" && !isHere(to) {
			return refused(address)
		}
		if d.Control != nil {
			if err := d.Control(network, to, conn); err != nil {
				return err
			}
		}
		contact := Contact{User: d.by, Network: "tcp", Host: address, Address: to}
		if network == "unix" {
			contact.Network, contact.Address = "unix", ""
		}
		if contact.Address == contact.Host {
			contact.Address = ""
		}
		d.network.note(contact)
		return nil
	}}
	if !d.network.offline || network == "unix" {
		return dialer.DialContext(ctx, network, address)
	}
	addresses, err := here(address)
	if err != nil {
		return nil, err
	}
	var conn net.Conn
	for _, to := range addresses {
		if conn, err = dialer.DialContext(ctx, network, to.String()); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// isHere reports whether an address with a port is one of this machine alone.
func isHere(address string) bool {
	to, err := netip.ParseAddrPort(address)
	return err == nil && to.Addr().Unmap().IsLoopback()
}

// Proxy is what a [http.Transport] takes as its Proxy; a nil proxy is none. Offline there is none either: what one on
// this machine does with a request cannot be known.
func (n *Network) Proxy(proxy *url.URL) func(*http.Request) (*url.URL, error) {
	switch {
	case proxy == nil:
		return nil
	case n.Offline():
		return func(r *http.Request) (*url.URL, error) {
			return nil, fmt.Errorf("%s would be asked through a proxy, and %w", r.URL.Host, ErrOffline)
		}
	}
	return http.ProxyURL(proxy)
}

// Listener checks an address at which this program is to be reached: offline it must be one of this machine alone. The
// error is a sentence without its end.
func (n *Network) Listener(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil || !n.Offline() || host == "" {
		return err
	}
	if addr, err := netip.ParseAddr(host); err == nil && addr.Unmap().IsLoopback() || isLocalhost(host) {
		return nil
	}
	return refused(address)
}
