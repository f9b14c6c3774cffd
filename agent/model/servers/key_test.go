package servers_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/servers"
	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools/diskfile/diskfiletest"
)

// inspected is an Ollama that keeps the headers of what it was asked.
type inspected struct {
	mu      sync.Mutex
	headers http.Header
	key     string // that it wants; empty: none
}

func (i *inspected) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.headers = r.Header.Clone()
	if got := r.Header.Get("Authorization"); i.key != "" && got != "Bearer "+i.key {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error": "the key %s is wrong"}`, "it got")
		return
	}
	switch r.URL.Path {
	case "/api/version":
		fmt.Fprint(w, `{"version":"0.34.0"}`)
	case "/api/tags":
		fmt.Fprint(w, `{"models":[{"name":"m:1b","model":"m:1b"}]}`)
	default:
		fmt.Fprint(w, `{"models":[]}`)
	}
}

func (i *inspected) last() http.Header {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.headers
}

// listed makes a Set of a file that declares one server, and lists its models.
func listed(t *testing.T, entry string) ([]model.Info, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "servers.json")
	if err := os.WriteFile(path, []byte(`{"servers": [`+entry+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := servers.New(servers.Options{File: path, Network: network.New(false, nil)})
	if problems := s.Problems(); len(problems) > 0 && !problems[0].Warning {
		t.Fatal(problems)
	}
	return s.Models(t.Context())
}

func write(t *testing.T, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

const secret = "sk-never-shown-4711"

// TestKeys come from a variable, a file or a program, and are in no error.
func TestKeys(t *testing.T) {
	wants := &inspected{key: secret}
	server := httptest.NewServer(wants)
	t.Cleanup(server.Close)
	t.Setenv("SERVER_KEY", secret)
	t.Setenv("SERVER_TEAM", "blue")
	file := write(t, "key", secret+"\n", 0o600)
	prints := write(t, "prints", "#!/bin/sh\necho "+secret+"\necho and more\n", 0o700)
	fails := write(t, "fails", "#!/bin/sh\necho "+secret+"; echo "+secret+" >&2; exit 3\n", 0o700)
	empty := write(t, "empty", "#!/bin/sh\n", 0o700)
	for _, test := range []struct{ key, want string }{
		{`"key": "${env:SERVER_KEY}", "headers": {"X-Team": "${env:SERVER_TEAM}"}`, ""},
		{`"key": "${file:` + file + `}"`, ""},
		{`"keyCommand": ["` + prints + `"]`, ""},
		{`"key": "` + secret + `"`, ""}, // in clear text: a warning says what to do
		{`"key": "${env:NO_SUCH_KEY}"`, "The environment variable NO_SUCH_KEY, which the key of the server box refers to, is not set."},
		{`"key": "${file:/no/such/key}"`, "The file /no/such/key, which the key of the server box refers to, cannot be read."},
		{`"headers": {"X-Team": "${env:NO_SUCH_TEAM}"}`, "The environment variable NO_SUCH_TEAM, which the header X-Team of the server box refers to, is not set."},
		{`"keyCommand": ["` + fails + `"]`, "The key of the server box is not known: " + fails + " failed with status 3: run it in a terminal to see why."},
		{`"keyCommand": ["` + empty + `"]`, "The key of the server box is not known: " + empty + " prints nothing that can be a key on its first line."},
		{`"keyCommand": ["no-such-program-here"]`, "The key of the server box is not known: no-such-program-here is no program on PATH: correct keyCommand."},
	} {
		list, err := listed(t, `{"name": "box", "url": "`+server.URL+`", "kind": "ollama", `+test.key+`}`)
		switch {
		case test.want == "" && (err != nil || len(list) != 1):
			t.Errorf("%s: %v, %v", test.key, list, err)
		case test.want != "" && (err == nil || err.Error() != test.want):
			t.Errorf("%s:\n got %v\nwant %s", test.key, err, test.want)
		case err != nil && strings.Contains(fmt.Sprintf("%v %+v", err, err), secret):
			t.Errorf("%s: the key is in the error %v", test.key, err)
		}
		if strings.Contains(test.key, "SERVER_TEAM") && wants.last().Get("X-Team") != "blue" {
			t.Errorf("headers %v", wants.last())
		}
	}
}

// TestAKeyProgramRunsOnce for many requests, and its key is in no list of processes: it is no argument.
func TestAKeyProgramRunsOnce(t *testing.T) {
	wants := &inspected{key: secret}
	server := httptest.NewServer(wants)
	t.Cleanup(server.Close)
	runs := filepath.Join(t.TempDir(), "runs")
	prints := write(t, "prints", "#!/bin/sh\necho run >> "+runs+"\necho "+secret+"\n", 0o700)
	path := write(t, "servers.json", `{"servers": [{"name": "box", "url": "`+server.URL+`", "keyCommand": ["`+prints+`"]}]}`, 0o600)
	s := servers.New(servers.Options{File: path, Network: network.New(false, nil)})
	if list, err := s.Listed(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("before it was asked: %v, %v", list, err)
	}
	if _, err := os.Stat(runs); !os.IsNotExist(err) {
		t.Error("a completion ran the program")
	}
	for range 3 {
		if list, err := s.Models(t.Context()); err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
	}
	if data, err := os.ReadFile(runs); err != nil || string(data) != "run\n" {
		t.Errorf("%q, %v", data, err)
	}
	if list, err := s.Listed(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("after it was asked: %v, %v", list, err)
	}
}

func TestASocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "s") //nolint:usetesting // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(&inspected{})
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	list, err := listed(t, `{"name": "pipe", "socket": "`+path+`"}`)
	if err != nil || len(list) != 1 || list[0].Name != "pipe/m:1b" || list[0].Elsewhere() != "" {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := listed(t, `{"name": "pipe", "socket": "`+path+`2"}`); err == nil || !strings.Contains(err.Error(), "No server answers at ") {
		t.Error(err)
	}
}

// secured is an Ollama behind TLS, with the file of the certificate that vouches for it.
func secured(t *testing.T, clients *x509.CertPool) (url, ca string) {
	t.Helper()
	server := httptest.NewUnstartedServer(&inspected{})
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	if clients != nil {
		server.TLS.ClientAuth, server.TLS.ClientCAs = tls.RequireAndVerifyClientCert, clients
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return server.URL, write(t, "ca.pem", string(text), 0o600)
}

func TestCertificates(t *testing.T) {
	own, key := pair(t, "client")
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(own))
	certificate, certificateKey := write(t, "own.pem", own, 0o600), write(t, "own.key", key, 0o600)
	url, ca := secured(t, nil)
	closed, closedCA := secured(t, pool)
	plain := httptest.NewServer(&inspected{})
	t.Cleanup(plain.Close)
	other, _ := pair(t, "other")
	otherCA := write(t, "other.pem", other, 0o600)
	noPEM := write(t, "no.pem", "nothing", 0o600)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(url, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, url, keys, want string }{
		{"trusted", url, `, "ca": "` + ca + `"`, ""},
		{"with a certificate", closed, `, "ca": "` + closedCA + `", "certificate": "` + certificate + `", "certificateKey": "` + certificateKey + `"`, ""},
		{"not trusted", url, "", "nobody vouches for its certificate; name the file of its authority with ca."},
		{"another authority", url, `, "ca": "` + otherCA + `"`, "its certificate was not given by the authority in " + otherCA},
		{"another host", "https://localhost:" + port, `, "ca": "` + ca + `"`, "its certificate is not for the host localhost"},
		{"no certificate of ours", closed, `, "ca": "` + closedCA + `"`, "if it wants a certificate, name it with certificate and certificateKey"},
		{"no TLS", strings.Replace(plain.URL, "http:", "https:", 1), "", "it does not speak TLS; write http:// if that is meant."},
		{"no such file", url, `, "ca": "/no/such.pem"`, "The server box cannot be asked: the file /no/such.pem, which ca names, cannot be read or is empty."},
		{"no PEM", url, `, "ca": "` + noPEM + `"`, "which ca names, holds no certificate in PEM."},
		{"not its key", closed, `, "ca": "` + closedCA + `", "certificate": "` + certificate + `", "certificateKey": "` + ca + `"`, "are no certificate with its key in PEM."},
	} {
		list, err := listed(t, `{"name": "box", "url": "`+test.url+`"`+test.keys+`}`)
		if test.want == "" && (err != nil || len(list) != 1) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s:\n got %v, %v\nwant %s", test.name, list, err, test.want)
		}
	}
}

// TestARepeatedKey: a server that repeats the key when it refuses it puts it into no error.
func TestARepeatedKey(t *testing.T) {
	for _, status := range []int{http.StatusUnauthorized, http.StatusBadRequest, http.StatusInternalServerError} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"error": "no user has %s of %s"}`, r.Header.Get("Authorization"), r.Header.Get("X-Token"))
		}))
		t.Cleanup(server.Close)
		for _, kind := range []string{"ollama", "openai"} {
			_, err := listed(t, `{"name": "box", "url": "`+server.URL+`", "kind": "`+kind+`", "key": "`+secret+
				`", "headers": {"X-Token": "`+secret+`-too"}}`)
			if err == nil || strings.Contains(fmt.Sprintf("%v %+v %v", err, err, errors.Unwrap(err)), secret) {
				t.Errorf("%s, %d: %v", kind, status, err)
			}
		}
	}
}

// TestASlowKeyHoldsNobodyUp: who waits for a program that somebody else started can be stopped, and what needs no
// answer of the server is there meanwhile.
func TestASlowKeyHoldsNobodyUp(t *testing.T) {
	folder := t.TempDir()
	started, end := filepath.Join(folder, "started"), filepath.Join(folder, "end")
	for _, name := range []string{started, end} {
		if err := diskfiletest.Pipe(name); err != nil {
			t.Fatal(err)
		}
	}
	slow := write(t, "slow", "#!/bin/sh\necho > "+started+"\nread x < "+end+"\necho key\n", 0o700)
	path := write(t, "servers.json", `{"servers": [{"name": "box", "url": "`+nobody+`", "keyCommand": ["`+slow+`"]}]}`, 0o600)
	s := servers.New(servers.Options{File: path, Network: network.New(false, nil)})
	var first sync.WaitGroup
	first.Go(func() { _, _ = s.Models(t.Context()) })
	if _, err := os.ReadFile(started); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Models(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if list, err := s.Listed(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
	if _, slots := s.Place("box/m"); slots != 1 {
		t.Errorf("%d slots", slots)
	}
	if err := os.WriteFile(end, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	first.Wait()
}
