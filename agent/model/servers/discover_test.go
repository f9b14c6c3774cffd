package servers_test

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
	"github.com/assent-ls/assent/agent/model/servers"
	"github.com/assent-ls/assent/internal/network"
)

// approvals remember in memory.
type approvals struct{ given []servers.Approval }

func (a *approvals) Approved() []servers.Approval { return a.given }

func (a *approvals) Approve(one servers.Approval) error {
	a.given = append(a.given, one)
	return nil
}

// TestAFoundServer gets nothing but what asks what it is, until the user approved it. That is remembered.
func TestAFoundServer(t *testing.T) {
	there := quirkserver.New(quirkserver.LlamaCpp)
	address, err := url.Parse(there.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	remembered := &approvals{}
	file := filepath.Join(t.TempDir(), "servers.json")
	options := servers.Options{Network: network.New(false, nil), File: file, Approved: remembered, Ports: []string{address.Port(), "1"}}
	s := servers.New(options)
	if list, err := s.Models(t.Context()); err != nil && len(list) > 0 || len(there.Requests("")) > 0 {
		t.Errorf("%v, %v: a list asked the port", list, err)
	}
	if _, err := s.Listed(t.Context()); err == nil && len(there.Requests("")) > 0 {
		t.Error("a completion asked the port")
	}
	found := s.Discover(t.Context())
	if len(found) != 1 || !strings.HasPrefix(found[0].Name, "llamacpp/") || found[0].Found == nil || found[0].Found.Address != "127.0.0.1:"+address.Port() {
		t.Fatalf("%+v", found)
	}
	if process := found[0].Found.Process; process != "" && !strings.Contains(process, "of yours)") {
		t.Errorf("whose process: %s", process)
	}
	info, err := s.Describe(t.Context(), found[0].Name)
	if err != nil || info.Found == nil {
		t.Fatalf("%+v, %v", info, err)
	}
	chat := func(s *servers.Set) error {
		return s.Chat(t.Context(), model.Request{Model: info.Name, Messages: []model.Message{{Role: model.RoleUser, Text: "private"}}}, func(model.Chunk) error { return nil })
	}
	if err := chat(s); err == nil || !strings.Contains(err.Error(), "nobody declared or approved") {
		t.Error(err)
	}
	for _, r := range there.Requests("") {
		if r.Method != "GET" || len(r.Body) > 0 || r.Header.Get("Authorization") != "" {
			t.Errorf("before the approval: %s %s %s", r.Method, r.Path, r.Body)
		}
	}
	if err := s.Approve(info); err != nil || len(remembered.given) != 1 {
		t.Fatal(err, remembered)
	}
	again := servers.New(options) // another process
	for _, s := range []*servers.Set{s, again} {
		if err := chat(s); err != nil {
			t.Error(err)
		}
		if list, err := s.Models(t.Context()); err != nil || len(list) != 1 || list[0].Name != info.Name || list[0].Found != nil {
			t.Errorf("%+v, %v", list, err)
		}
	}
	if len(there.Chats()) != 2 {
		t.Errorf("%d chats", len(there.Chats()))
	}

	// what another process takes away or gives counts from the next request on
	given := remembered.given
	remembered.given = nil
	for _, s := range []*servers.Set{s, again} {
		if err := chat(s); err == nil || !strings.Contains(err.Error(), "nobody declared or approved") || len(there.Chats()) != 2 {
			t.Errorf("after the approval was removed: %v", err)
		}
		if info, err := s.Describe(t.Context(), info.Name); err != nil || info.Found == nil {
			t.Errorf("it is not asked about again: %+v, %v", info, err)
		}
	}
	remembered.given = given
	if err := chat(s); err != nil || len(there.Chats()) != 3 {
		t.Errorf("after another process approved it: %v", err)
	}

	// the process of another user
	other := &approvals{given: []servers.Approval{{Address: info.Found.Address, UID: remembered.given[0].UID + 1, Kind: servers.LlamaCpp}}}
	options.Approved = other
	if err := chat(servers.New(options)); err == nil || len(there.Chats()) != 3 {
		t.Errorf("sent to another user's process: %v", err)
	}

	// one that is declared is not found
	if err := os.WriteFile(file, []byte(`{"servers": [{"name": "box", "url": "http://localhost:`+address.Port()+`"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	declared := servers.New(servers.Options{Network: network.New(false, nil), File: file, Approved: remembered, Ports: options.Ports})
	list, err := declared.Models(t.Context())
	if found := declared.Discover(t.Context()); len(found) > 0 || err != nil || !slices.Equal(names(list), []string{"box/" + strings.TrimPrefix(info.Name, "llamacpp/")}) {
		t.Errorf("%v, %v, %v", found, list, err)
	}
}

// TestWhatIsNoModelServerIsNotFound: a port may be anybody's.
func TestWhatIsNoModelServerIsNotFound(t *testing.T) {
	for _, kind := range []string{quirkserver.Gateway, quirkserver.Ollama} {
		there := quirkserver.New(kind)
		address, err := url.Parse(there.Start(t))
		if err != nil {
			t.Fatal(err)
		}
		s := servers.New(servers.Options{Network: network.New(false, nil), Approved: &approvals{}, Ports: []string{address.Port()}})
		if found := s.Discover(t.Context()); len(found) > 0 {
			t.Errorf("%s: %+v", kind, found)
		}
	}
}

// TestListening reads who listens from a folder like /proc.
func TestListening(t *testing.T) {
	proc := t.TempDir()
	table := `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 111 1
   1: 0100007F:1F90 0100007F:1000 01 00000000:00000000 00:00000000 00000000  1002        0 222 1
   2: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  4711        0 333 1
   3: 0A00000A:26CB 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1003        0 444 1
   broken
`
	for name, text := range map[string]string{"net/tcp": table, "net/tcp6": ""} {
		path := filepath.Join(proc, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fds := filepath.Join(proc, "99", "fd")
	if err := os.MkdirAll(fds, 0o700); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{filepath.Join(fds, "3"): "socket:[333]", filepath.Join(proc, "99", "exe"): "/opt/llama-server (deleted)"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	if uid, said := servers.Listening(proc, "127.0.0.1:8080"); uid != 4711 || said != "llama-server (process 99 of the user 4711)" {
		t.Errorf("%d, %s", uid, said)
	}
	for _, address := range []string{"127.0.0.1:9931", "127.0.0.1:8081", "8080", "127.0.0.1:x"} { // 9931: of another address
		if uid, said := servers.Listening(proc, address); uid != -1 || said != "" {
			t.Errorf("%s: %d, %s", address, uid, said)
		}
	}
}
