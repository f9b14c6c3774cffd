package address_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/web/address"
)

func TestPlaces(t *testing.T) {
	for text, want := range map[string]string{
		"example.org": "example.org", "Example.ORG.:8443": "example.org:8443", "b\u00fccher.example": "xn--bcher-kva.example",
		"192.168.1.5:80": "192.168.1.5:80", "[2001:DB8::1]:443": "[2001:db8::1]:443", "2001:db8::1": "[2001:db8::1]", "[::1]": "[::1]",
		"::ffff:10.0.0.1": "10.0.0.1",
	} {
		if p, err := address.ParsePlace(text); err != nil || p.String() != want {
			t.Errorf("%s: %s %v", text, p, err)
		}
	}
	for _, text := range []string{
		"", "*", "*.example.org", "https://example.org", "example.org/a", "a@example.org", "example.org:", "example.org:0", "example.org:99999", "example.org:0443",
		"127.1", "0x7f000001", "2130706433", "fe80::1%lo", "a b", "a\x00b", "a\u202eb", "example.org:443:1", ":443",
	} {
		if p, err := address.ParsePlace(text); err == nil || !strings.Contains(err.Error(), "is no host such as") {
			t.Errorf("%q is %s, %v", text, p, err)
		}
	}
}
