package egress_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools/egress"
	"github.com/assent-ls/assent/tools/userstate"
)

func open(t *testing.T) (egress.Log, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	s, err := userstate.OpenState(dir)
	if err != nil {
		t.Fatal(err)
	}
	return egress.New(s), dir
}

func contact(who, host, address string) network.Contact {
	return network.Contact{User: network.User{Who: who, Why: "test"}, Network: "tcp", Host: host, Address: address}
}

func TestPlaces(t *testing.T) {
	log, dir := open(t)
	if places, _, broken, err := log.Places(); places != nil || broken != 0 || err != nil {
		t.Errorf("%v, %d, %v", places, broken, err)
	}
	for range 3 {
		log.Add(contact("model server", "127.0.0.1:11434", ""))
	}
	log.Add(contact("MCP server a\u202eb", "b.example:443", "192.0.2.1:443"))
	log.Add(contact("MCP server a\u202eb", "b.example:443", "192.0.2.2:443"))
	f, err := os.OpenFile(filepath.Join(dir, "egress.jsonl"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("half a li\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	places, since, broken, err := log.Places()
	if err != nil || broken != 1 || since.IsZero() || len(places) != 2 {
		t.Fatalf("%+v, %v, %d, %v", places, since, broken, err)
	}
	told := ""
	for _, p := range places {
		told += fmt.Sprintf("%s|%s|%s|%d\n", p.Who, p.Host, p.Address, p.Times)
	}
	if !strings.Contains(told, "MCP server a<U+202E>b|b.example:443|192.0.2.2:443|2\n") || !strings.Contains(told, "model server|127.0.0.1:11434||3\n") {
		t.Error(told)
	}
}

// The log keeps the newest and does not grow.
func TestTheLogIsBounded(t *testing.T) {
	log, dir := open(t)
	const many = 6000
	for i := range many {
		log.Add(contact("web tool", fmt.Sprintf("%s%d.example:443", strings.Repeat("a", 100), i), ""))
	}
	total := int64(0)
	files, _ := filepath.Glob(filepath.Join(dir, "egress*")) // the pattern is good
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	places, _, _, err := log.Places()
	newest := fmt.Sprintf("%d.example:443", many-1)
	if err != nil || total > 600<<10 || len(places) >= many || !strings.HasSuffix(places[0].Host, newest) && !strings.Contains(fmt.Sprint(places), newest) {
		t.Errorf("%v: %d bytes, %d places", err, total, len(places))
	}
}
