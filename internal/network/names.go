package network

import (
	"context"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// hosts are the addresses that the hosts file gives a name. Nothing else is asked: a question to a server of names
// would leave this machine, even if the one that is asked first does not. The resolver of package net is not either:
// it asks the system for a way to each address.
func hosts(name string) []netip.Addr {
	file := "/etc/hosts"
	if runtime.GOOS == "windows" {
		file = filepath.Join(os.Getenv("SystemRoot"), "System32", "drivers", "etc", "hosts")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return listed(string(text), name)
}

// listed are the addresses that the text of a hosts file gives a name.
func listed(text, name string) (all []netip.Addr) {
	name = strings.TrimSuffix(name, ".")
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		is := func(word string) bool { return strings.EqualFold(word, name) }
		if len(words) < 2 || !slices.ContainsFunc(words[1:], is) {
			continue
		}
		ip, err := netip.ParseAddr(words[0])
		if err != nil {
			return nil // it means something that is not known here
		}
		all = append(all, ip)
	}
	return all
}

// here are the addresses of this machine that a host and port mean. It is an error if one of them is elsewhere.
func here(address string) ([]netip.AddrPort, error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(service, 10, 16)
	if err != nil {
		return nil, &net.AddrError{Err: "the port is no number", Addr: address}
	}
	return only(address, meant(host), uint16(port))
}

// only are the addresses that an address means, if they are all on this machine.
func only(address string, found []netip.Addr, port uint16) (all []netip.AddrPort, err error) {
	for _, ip := range found {
		if ip = ip.Unmap(); ip.IsUnspecified() { // which the system takes for this machine
			ip = netip.MustParseAddr("127.0.0.1")
		}
		if !ip.IsLoopback() {
			return nil, refused(address)
		}
		all = append(all, netip.AddrPortFrom(ip, port))
	}
	if len(all) == 0 {
		return nil, refused(address)
	}
	return all, nil
}

// meant are the addresses that a host means, as far as this machine knows them by itself.
func meant(host string) []netip.Addr {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip}
	}
	if found := hosts(host); len(found) > 0 || !isLocalhost(host) {
		return found
	}
	return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.IPv6Loopback()}
}

// isLocalhost reports whether a name always means this machine (RFC 6761).
func isLocalhost(host string) bool {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}

// Lookup finds the addresses of a name. Offline only the hosts file is asked.
func (n *Network) Lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if !n.Offline() {
		return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}
	if found := meant(host); len(found) > 0 {
		return found, nil
	}
	return nil, refused(host)
}
