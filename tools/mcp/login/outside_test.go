package login_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/mcp/login"
)

func get(t *testing.T, c *http.Client, address string) error {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := c.Do(r)
	if err == nil {
		err = answer.Body.Close()
	}
	return err
}

// What a server on the public internet names leads nobody into this machine or its network, and nothing is asked in
// plain.
// Promise 9. Invariant 16.
func TestAServerElsewhereLeadsNowhereInside(t *testing.T) {
	asked := 0
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer inside.Close()
	for _, address := range []string{inside.URL, "https://10.0.0.1/x", "https://169.254.169.254/latest/meta-data/", "https://[::1]:1/", strings.Replace(inside.URL, "127.0.0.1", "localhost", 1)} {
		err := get(t, login.Outside("https://tickets.example.org/mcp", false), address)
		if err == nil || !strings.Contains(err.Error(), "may send nobody") {
			t.Errorf("%s: %v", address, err)
		}
	}
	if err := get(t, login.Outside("http://localhost/mcp", true), inside.URL); err != nil || asked != 1 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	if err := get(t, login.Outside("http://localhost/mcp", true), "http://192.0.2.1/"); err == nil || !strings.Contains(err.Error(), "a login needs https") {
		t.Error(err)
	}
}

// Nor is a browser sent there, which no dialer of ours checks.
// Promise 9.
func TestABrowserIsSentNowhereInside(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "localhost", "localhost.", "192.168.1.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:192.168.1.1"} {
		if err := login.Public(t.Context(), host); err == nil || !strings.Contains(err.Error(), "nobody is sent to "+host) {
			t.Errorf("%s: %v", host, err)
		}
	}
	if err := login.Public(t.Context(), "1.1.1.1"); err != nil {
		t.Error(err)
	}
}

// A second answer is none, also after the first was taken.
func TestOneAnswerOfTheBrowser(t *testing.T) {
	address, wait, closed, err := login.Callback(t.Context(), "state")
	if err != nil {
		t.Fatal(err)
	}
	defer closed()
	for i, want := range []int{http.StatusOK, http.StatusBadRequest} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"?code=x&state=state", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil || answer.StatusCode != want || answer.Body.Close() != nil {
			t.Fatal(answer, err)
		}
		if i == 0 {
			wait()
		}
	}
}
