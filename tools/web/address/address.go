// Package address says how the host of an address is spelt, and which addresses are of the public internet.
package address

import (
	"errors"
	"net/netip"
	"strings"

	"golang.org/x/net/idna"
)

// Host is a host in the one spelling that rules are compared with: small letters, no full stop at the end, other
// alphabets in Punycode, no brackets, no port. The error is a sentence without its end.
func Host(name string) (string, error) {
	name = strings.TrimSuffix(name, ".")
	if addr, err := netip.ParseAddr(name); err == nil {
		if addr.Zone() != "" {
			return "", errors.New("the address must name no network interface")
		}
		return addr.Unmap().String(), nil
	}
	host, err := idna.Lookup.ToASCII(name)
	if err != nil || host == "" || strings.ContainsAny(host, ":%[]/@") || endsInNumber(host) {
		return "", errors.New("the host of the address cannot be read")
	}
	return host, nil
}

// endsInNumber reports whether some program would take a name for an IPv4 address in an odd spelling: 127.1,
// 0x7f000001, 2130706433.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// refused are networks that are not the public internet, or that stand for addresses which may not be, besides those
// that netip knows by name.
var refused = networks(
	"0.0.0.0/8",        // this network
	"100.64.0.0/10",    // behind the provider's NAT
	"168.63.129.16/32", // Azure's own services, as its machines see them
	"192.0.0.0/24",     // protocols
	"192.0.2.0/24",     // documentation
	"192.88.99.0/24",   // 6to4 relays
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"240.0.0.0/4",      // reserved, and broadcast
	"::/96",            // IPv4 in IPv6, as it was first written
	"64:ff9b::/96",     // IPv4 behind a translator
	"64:ff9b:1::/48",   // the same, local
	"100::/64",         // discarded
	"2001::/23",        // protocols, Teredo among them
	"2001:db8::/32",    // documentation
	"2002::/16",        // IPv4 in 6to4
	"3fff::/20",        // documentation
	"5f00::/16",        // segment routing
	"fec0::/10",        // site-local
)

func networks(all ...string) (list []netip.Prefix) {
	for _, network := range all {
		list = append(list, netip.MustParsePrefix(network))
	}
	return list
}

// Public reports whether an address is one of the public internet.
func Public(addr netip.Addr) bool {
	addr = addr.Unmap()
	if !addr.IsValid() || addr.Zone() != "" || !addr.IsGlobalUnicast() || addr.IsPrivate() || addr.IsLoopback() ||
		addr.IsLinkLocalUnicast() {
		return false
	}
	for _, p := range refused {
		if p.Contains(addr) {
			return false
		}
	}
	return true
}
