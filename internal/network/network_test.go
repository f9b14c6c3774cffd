package network

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// listen takes connections at an address of this machine until the test ends.
func listen(t *testing.T, network, address string) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), network, address)
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

func dial(t *testing.T, n *Network, network, address string) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	conn, err := n.Dialer(User{Who: "test"}, time.Second).DialContext(ctx, network, address)
	if err == nil {
		_ = conn.Close()
	}
	return err
}

// Promise 9.
func TestOfflineReachesThisMachine(t *testing.T) {
	tcp := listen(t, "tcp", "127.0.0.1:0")
	_, port, _ := net.SplitHostPort(tcp)
	socket := listen(t, "unix", filepath.Join(t.TempDir(), "s"))
	for _, to := range []struct{ network, address string }{
		{"tcp", tcp},
		{"tcp", "localhost:" + port},
		{"tcp", "LOCALHOST.:" + port},
		{"tcp", "a.localhost:" + port},
		{"tcp", "[::ffff:127.0.0.1]:" + port},
		{"tcp", "0.0.0.0:" + port},
		{"unix", socket},
	} {
		var contacts []Contact
		n := New(true, func(c Contact) { contacts = append(contacts, c) })
		if err := dial(t, n, to.network, to.address); err != nil {
			t.Errorf("%s: %v", to.address, err)
		}
		if len(contacts) == 0 || contacts[0].Who != "test" || contacts[0].Network != to.network {
			t.Errorf("%s: told of %+v", to.address, contacts)
		}
		if err := dial(t, nil, to.network, to.address); !errors.Is(err, ErrOffline) {
			t.Errorf("a Network that nobody handed down reaches %s: %v", to.address, err)
		}
	}
}

// Nothing of this is even tried: a server of names is asked nothing either.
// Promise 9.
func TestOfflineReachesNothingElse(t *testing.T) {
	n := New(true, func(c Contact) { t.Errorf("it is contacted: %+v", c) })
	for _, to := range []string{
		"192.0.2.1:80", "[2001:db8::1]:80", "10.0.0.1:11434", "169.254.169.254:80", "[::ffff:192.0.2.1]:80", "[fe80::1%lo]:80", "[::2]:80",
		"example.com:443", "nothing.invalid:80", "localhost.example.com:80", "127.0.0.1.nip.io:80", "2130706433:80", ":80",
	} {
		err := dial(t, n, "tcp", to)
		if !errors.Is(err, ErrOffline) || !strings.Contains(err.Error(), "is not on this machine, and Assent is offline (--offline") {
			t.Errorf("%s: %v", to, err)
		}
		if _, err := n.Lookup(t.Context(), "nothing.invalid"); !errors.Is(err, ErrOffline) {
			t.Errorf("a name is looked up: %v", err)
		}
		if err := n.Listener(to); to != ":80" && !errors.Is(err, ErrOffline) {
			t.Errorf("%s can be listened at: %v", to, err)
		}
	}
	if err := New(false, nil).Listener("192.0.2.1:80"); err != nil {
		t.Error(err)
	}
}

// A name counts only if all that it means is here.
func TestANameMeansThisMachineAlone(t *testing.T) {
	here, there := netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("192.0.2.1")
	if got, err := only("a:80", []netip.Addr{here, netip.IPv6Loopback(), netip.IPv4Unspecified()}, 80); err != nil || len(got) != 3 || got[2].String() != "127.0.0.1:80" {
		t.Errorf("%v, %v", got, err)
	}
	for _, all := range [][]netip.Addr{nil, {there}, {here, there}, {there, here}} {
		if got, err := only("a:80", all, 80); !errors.Is(err, ErrOffline) {
			t.Errorf("%v: %v, %v", all, got, err)
		}
	}
}

func TestTheHostsFile(t *testing.T) {
	const text = "127.0.0.1 localhost Here.test\n# 192.0.2.1 here.test\n::1 here.test # 192.0.2.2 there.test\n192.0.2.3\tthere.test other.test\nnonsense odd.test\n127.0.0.1 odd.test\n"
	for name, want := range map[string]string{
		"here.test": "127.0.0.1 ::1", "HERE.TEST.": "127.0.0.1 ::1", "there.test": "192.0.2.3", "test": "", "odd.test": "", "": "",
	} {
		var got []string
		for _, ip := range listed(text, name) {
			got = append(got, ip.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Promise 9.
func TestOfflineTakesNoProxy(t *testing.T) {
	proxy := &url.URL{Scheme: "http", Host: listen(t, "tcp", "127.0.0.1:0")}
	r := &http.Request{URL: &url.URL{Scheme: "http", Host: "gpu.lan"}}
	for _, n := range []*Network{nil, New(true, nil)} {
		if to, err := n.Proxy(proxy)(r); !errors.Is(err, ErrOffline) {
			t.Errorf("%v, %v", to, err)
		}
		if n.Proxy(nil) != nil {
			t.Error("no proxy is one")
		}
	}
	if to, err := New(false, nil).Proxy(proxy)(r); err != nil || to != proxy {
		t.Errorf("%v, %v", to, err)
	}
}

// Each address is told of with the name that led there, and before anything is sent.
func TestContactsAreTold(t *testing.T) {
	address := listen(t, "tcp", "127.0.0.1:0")
	_, port, _ := net.SplitHostPort(address)
	var contacts []Contact
	n := New(false, func(c Contact) { contacts = append(contacts, c) })
	if err := dial(t, n, "tcp", "localhost:"+port); err != nil {
		t.Fatal(err)
	}
	last := contacts[len(contacts)-1]
	if last.Host != "localhost:"+port || !strings.HasSuffix(last.Address, ":"+port) {
		t.Errorf("%+v", contacts)
	}
	contacts = nil
	if err := dial(t, n, "tcp", address); err != nil || len(contacts) != 1 || contacts[0].Address != "" {
		t.Errorf("%v, %+v", err, contacts)
	}
	d := n.Dialer(User{}, time.Second)
	contacts = nil
	d.Control = func(string, string, syscall.RawConn) error {
		return errors.New("not there")
	}
	if _, err := d.DialContext(t.Context(), "tcp", address); err == nil || len(contacts) != 0 {
		t.Errorf("%v, %+v", err, contacts)
	}
}
