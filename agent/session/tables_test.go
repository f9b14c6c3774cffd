package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/tools/policy"
)

// longTable has more lines than a result shows, and more bytes than one that is sent shortened.
func longTable(rows int) string {
	var text strings.Builder
	text.WriteString("number,name,runners\n")
	for i := range rows {
		fmt.Fprintf(&text, "R%d,race,%d\n", i, i)
	}
	return text.String()
}

// A part of a file is not read as all of it: neither are its lines counted, nor its values.
func TestAPartOfAFileIsNotRead(t *testing.T) {
	const answers = `{"do":"talk","answer":""}`
	for _, file := range []string{"races.csv", "races.txt"} {
		l := newLab(t, says(`{"do":"look","tool":"read_file","arguments":{"path":"`+file+`"}}`, answers, "Many.")...)
		l.write(file, longTable(900))
		requests, chat := guide(t, l, "How many runners were there in our last race?")
		if len(requests) != 3 {
			t.Fatalf("%d requests:\n%s", len(requests), chat)
		}
		if got := lastOf(requests[2]); !strings.Contains(got, "read_file {\"path\":\""+file+"\"}:\n") || strings.Contains(got, "lines):") || strings.Contains(got, "rows") {
			t.Errorf("it reads %.300s", got)
		}
	}
}

// So is a result that is sent shortened: what is in the place of the rest is no row.
func TestAShortenedTableIsNotRead(t *testing.T) {
	l := newLab(t, says(`{"do":"talk","answer":""}`, "Many.")...)
	l.env.Options = engine.Options{Format: "guided", Mode: func() policy.Mode { return policy.ModeEdits }}
	s := l.chat("ask.chat.md", "## You\n\nHow many runners were there in our last race?\n\n## Assistant\n\n```tool read_file c1\npath: races.csv\n```\n\n```result c1 ok\n"+longTable(150)+
		"```\n\n```context shortened results not-sent\nTo fit the context.\n- c1 read_file\n```\n")
	if err := s.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	requests := l.backend.Requests()
	got := lastOf(requests[len(requests)-1])
	if !strings.Contains(got, "bytes are left out here") || strings.Contains(got, "rows") {
		t.Errorf("it reads %.300s", got)
	}
}

// A table that the chat holds already is read as one, too.
func TestAnAttachedTableIsReadOnResume(t *testing.T) {
	l := newLab(t, says(`{"do":"talk","answer":""}`, "Three.")...)
	l.env.Options = engine.Options{Format: "guided", Mode: func() policy.Mode { return policy.ModeEdits }}
	s := l.chat("ask.chat.md", "## You\n\nHow many runners were there in our races?\n\n```context file races.csv\nname,runners\nOslo,1\nRiga,2\n```\n\n## Assistant\n\n"+
		"```tool list_directory c1\npath: .\n```\n\n```result c1 ok\nREADME.md\n```\n")
	if err := s.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	requests := l.backend.Requests()
	if got := lastOf(requests[len(requests)-1]); !strings.HasPrefix(got, "races.csv (2 rows):\n") || !strings.Contains(got, "sum 3") {
		t.Errorf("it reads %s", got)
	}
}
