package transport

import "testing"

// Promise 9.
func TestOnThisMachine(t *testing.T) {
	for _, host := range []string{
		"localhost", "LOCALHOST", "LocalHost", "localhost.", "LOCALHOST.", "127.0.0.1", "127.0.0.2", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1", "::1%lo",
		"::ffff:127.0.0.1", "::ffff:127.9.9.9",
	} {
		if !OnThisMachine(host) {
			t.Errorf("%s is taken for another machine", host)
		}
	}
	for _, host := range []string{
		"", "localhost.lan", "localhost..", "notlocalhost", "0.0.0.0", "128.0.0.1", "126.255.255.255", "::2", "::ffff:128.0.0.1", "gpu.lan", "127.0.0.1.lan", "1.0.0.127",
	} {
		if OnThisMachine(host) {
			t.Errorf("%s is taken for this machine", host)
		}
	}
}
