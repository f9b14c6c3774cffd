package sql_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/sql"
	"github.com/assent-ls/assent/tools/sql/sqltest"
)

// writable is a database with an account that writes.
func writable(as func(string) map[string]any) map[string]any {
	declared := as(sqltest.Reader)
	declared["write"] = true
	if declared["kind"] != "sqlite" {
		declared["writeUser"], declared["writePassword"] = sqltest.Owner, "${env:DATABASE_PASSWORD}"
	}
	return declared
}

// lostWord is in the statement whose answer is lost.
const lostWord = "lostword"

// losesAnswers is the port of a proxy to a database server. It passes on the statement with the word, waits for the
// answer, and cuts the connection once ends returns, instead of passing that on.
func losesAnswers(t *testing.T, port int, ends func()) int {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			var dialer net.Dialer
			server, err := dialer.DialContext(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				_ = client.Close()
				return
			}
			go pass(client, server, ends)
		}
	}()
	return l.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // of a TCP listener
}

func pass(client, server net.Conn, ends func()) {
	runs := make(chan struct{}, 1)
	go func() {
		defer server.Close() //nolint:errcheck // it may be closed already
		word, b := false, make([]byte, 1<<16)
		for {
			n, err := client.Read(b)
			// PostgreSQL gets the words first and is then told to run them, by a message that begins with B; the byte 3
			// before the words runs them in MySQL.
			if word && b[0] == 'B' || bytes.Contains(b[:n], []byte("\x03INSERT INTO plain VALUES (77), ('"+lostWord)) {
				runs <- struct{}{}
			}
			word = word || bytes.Contains(b[:n], []byte(lostWord))
			if _, failed := server.Write(b[:n]); err != nil || failed != nil {
				return
			}
		}
	}()
	defer client.Close() //nolint:errcheck // it may be closed already
	b := make([]byte, 1<<16)
	for {
		n, err := server.Read(b)
		select {
		case <-runs:
			ends()
			return
		default:
		}
		if _, failed := client.Write(b[:n]); err != nil || failed != nil {
			return
		}
	}
}

// TestALostAnswerIsNotKnown: where the answer to a statement that ran is lost, it is not said that nothing was changed.
// The table of MySQL is one that knows no transactions.
func TestALostAnswerIsNotKnown(t *testing.T) {
	companies(t, func(t *testing.T, as func(string) map[string]any) {
		declared := writable(as)
		lossy := maps.Clone(declared)
		lossy["tls"] = "off"
		var ends func()
		lossy["port"] = losesAnswers(t, declared["port"].(int), func() { ends() }) //nolint:forcetypeassert // of our own map
		p := newPlace(t, realToolbox(t), map[string]any{"db": declared, "lossy": lossy})
		must(t, p.source.Test(t.Context(), "db"))
		create := "CREATE TABLE plain (a TEXT)"
		if declared["kind"] == "mysql" {
			create += " ENGINE=MyISAM"
		}
		must(t, sql.AsWriter(p.source, t.Context(), "db", create))
		if declared["kind"] == "postgres" {
			must(t, sql.AsWriter(p.source, t.Context(), "db", "GRANT SELECT ON plain TO reader"))
		}
		there := 0
		lose := func(how string, ctx context.Context, end func()) { //nolint:revive // the context is of the call
			ends = end
			d, prepared := p.prepare(sql.Change, map[string]any{"source": "lossy", "statement": "INSERT INTO plain VALUES (77), ('" + lostWord + "')"})
			answer := text(d.Execute(ctx, prepared.Approved(), nil))
			there += 2
			p.says(how, answer, "failed: ", "It is not known whether rows were changed: look at them.")
			if n := p.one("SELECT count(*) AS n FROM plain"); n != strconv.Itoa(there) || strings.Contains(answer, "Nothing was changed") {
				t.Errorf("%s: %s rows are there, after: %s", how, n, answer)
			}
		}
		lose("the connection is cut", t.Context(), func() {})
		ctx, stop := context.WithCancel(t.Context())
		lose("it is stopped", ctx, stop)
		sql.Hurry(p.source, "lossy", time.Second)
		lose("its time is over", t.Context(), func() { <-t.Context().Done() })
	}, "postgres", "mysql")
}
