package ollama

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assent-ls/assent/agent/model/transport"
	"github.com/assent-ls/assent/internal/network"
)

// The server is asked without a proxy, whatever the environment says, unless the user set one; one on this machine
// always.
// Promise 9. Invariant 16.
func TestTheModelServerIsReachedDirectly(t *testing.T) {
	answer := func(count *atomic.Int32) *httptest.Server {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			count.Add(1)
			_, _ = io.WriteString(w, `{"version":"1"}`)
		}))
		t.Cleanup(server.Close)
		return server
	}
	var direct, proxied atomic.Int32
	server, proxy := answer(&direct), answer(&proxied)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	t.Setenv("NO_PROXY", "")
	t.Setenv("no_proxy", "")
	port := server.URL[strings.LastIndexByte(server.URL, ':'):]
	elsewhere := "http://0.0.0.0" + port // it is this machine, but not by a loopback address
	for _, test := range []struct {
		base, proxy string
		through     bool
		way         string
	}{
		{elsewhere, "", false, "directly"},
		{elsewhere, "environment", true, "through the proxy " + proxy.URL},
		{elsewhere, strings.Replace(proxy.URL, "//", "//me:secret@", 1), true, strings.Replace("through the proxy "+proxy.URL, "//", "//me:xxxxx@", 1)},
		{server.URL, "", false, "directly"},
		{server.URL, "environment", false, "directly"},
		{server.URL, proxy.URL, false, "directly"},
		{"http://LOCALHOST" + port, "environment", false, "directly"},
		{"http://localhost." + port, proxy.URL, false, "directly"},
		{"http://[::ffff:127.0.0.1]" + port, "environment", false, "directly"},
	} {
		direct.Store(0)
		proxied.Store(0)
		base, err := ParseHost(test.base)
		if test.base == elsewhere { // ParseHost makes it loopback
			base, err = url.Parse(test.base)
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := open(network.New(false, nil), base, test.proxy)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Version(t.Context()); err != nil {
			t.Errorf("%s by %q: %v", test.base, test.proxy, err)
		}
		if through := proxied.Load() == 1 && direct.Load() == 0; through != test.through || b.Way() != test.way {
			t.Errorf("%s by %q: %d requests went directly, %d through the proxy; it is said to be reached %s",
				test.base, test.proxy, direct.Load(), proxied.Load(), b.Way())
		}
	}
	b := New(&url.URL{Scheme: "http", Host: "0.0.0.0" + port}, transport.New(network.New(false, nil), nil))
	if _, err := b.Version(t.Context()); err != nil || b.Way() != "directly" {
		t.Errorf("by default: %v, %s", err, b.Way())
	}
	for _, bad := range []string{"proxy.lan:3128", "ftp://proxy.lan", "http://", "http://a b", "%", "http://me:secret@[::"} {
		if _, err := Open(network.New(false, nil), "gpu.lan", bad); err == nil || !strings.Contains(err.Error(), "ollamaProxy") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
