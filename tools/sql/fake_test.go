package sql_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// fakes are programs that the Toolbox could be, by the name of a link to the tests' own program. Each is a function
// that answers a statement with rows as JSON, or with an error.
var fakes = map[string]func(){
	"good":  func() { serve("Toolbox", "1.99.0", answer) },
	"old":   func() { serve("Toolbox", "0.32.0", answer) },
	"other": func() { serve("everything", "1.0.0", answer) },
	"refuses": func() {
		fmt.Fprintf(os.Stderr, "Error: unable to initialize configs: unable to initialize source \"database\": no entry with %s\n", os.Getenv("ASSENT_SQL_PASSWORD"))
		os.Exit(1)
	},
	"breaks":   func() { fmt.Fprintln(os.Stderr, "segmentation fault"); os.Exit(9) },
	"writable": func() { serve("Toolbox", "1.0.0", unless("DELETE ", nil, answer)) },
	"unclear":  func() { serve("Toolbox", "1.0.0", unless("DELETE ", fmt.Errorf("disk I/O error"), answer)) },
	"dies": func() {
		serve("Toolbox", "1.0.0", when("FROM t", func() ([]string, error) { os.Exit(7); return nil, nil }))
	},
	"hangs": func() { serve("Toolbox", "1.0.0", when("FROM t", func() ([]string, error) { select {} })) },
	"floods": func() {
		go func() {
			for {
				fmt.Fprintln(os.Stderr, strings.Repeat("x", 10_000))
			}
		}()
		serve("Toolbox", "1.0.0", when("FROM t", func() ([]string, error) { return []string{`{"a":"` + strings.Repeat("x", 17<<20) + `"}`}, nil }))
	},
	"long": func() {
		serve("Toolbox", "1.0.0", when("FROM t", func() ([]string, error) { return lines(60, strings.Repeat("long ", 100)), nil }))
	},
	"odd": func() { serve("Toolbox", "1.0.0", when("FROM t", func() ([]string, error) { return oddRows, nil })) },
	"garbage": func() {
		serve("Toolbox", "1.0.0", when("FROM t", func() ([]string, error) { return []string{"no row"}, nil }))
	},
	"latin1": func() {
		serve("Toolbox", "1.0.0", when("FROM t", func() ([]string, error) { return []string{`{"a":"caf` + latin1 + `"}`}, nil }))
	},
	"infinite": func() {
		serve("Toolbox", "1.0.0", when("FROM t", func() ([]string, error) { return []string{"fail to marshal: +Inf"}, nil }))
	},
	"many": func() {
		serve("Toolbox", "1.0.0", func(query string) ([]string, error) {
			if strings.HasPrefix(query, "SELECT a FROM t") {
				return manyRows(query), nil
			}
			return answer(query)
		})
	},
	"huge":  func() { serve("Toolbox", "1.0.0", tenThousand) },
	"firm":  func() { serve("Toolbox", "1.0.0", firm) },
	"lines": func() { serve("Toolbox", "1.0.0", linesInNames) },
}

// oddRows have two columns of one name, characters that nobody sees, bars, line ends, and what is no text.
var oddRows = []string{`{"a":"x\\|y\nz","a":"\u202e\u001b[31m","n":null,"e":"","b":true,"j":{"k": [1, 2]},"i":9007199254740993,"t":"NULL"}`}

func lines(n int, text string) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf(`{"a":%d,"b":%q}`, i, text))
	}
	return list
}

type answers func(query string) ([]string, error)

func when(part string, do func() ([]string, error)) answers {
	return func(query string) ([]string, error) {
		if strings.Contains(query, part) && strings.HasPrefix(query, "SELECT") {
			return do()
		}
		return answer(query)
	}
}

func unless(prefix string, err error, others answers) answers {
	return func(query string) ([]string, error) {
		if strings.HasPrefix(query, prefix) {
			return nil, err
		}
		return others(query)
	}
}

// answer is what a SQLite database with one table says.
func answer(query string) ([]string, error) {
	switch {
	case strings.HasPrefix(query, `SELECT '"' ||`):
		return []string{`{"name":"\"t\""}`}, nil
	case strings.HasPrefix(query, "DELETE"):
		return nil, fmt.Errorf("unable to execute query: attempt to write a readonly database (8)")
	case strings.HasPrefix(query, "EXPLAIN QUERY PLAN") && strings.Contains(query, "FROM t"):
		return []string{`{"id":1,"detail":"SCAN t"}`}, nil
	case strings.HasPrefix(query, "SELECT '' AS s"):
		return []string{`{"s":"","t":"t","k":"table","tc":"","c":"a","ct":"TEXT","pk":1,"cc":"","rt":null,"rc":null}`}, nil
	case strings.Contains(query, "FROM t"):
		return lines(3, query), nil
	}
	return nil, fmt.Errorf("unable to execute query: SQL logic error: no such table: %s (1)", query)
}

// tenThousand are tables, of three columns each.
func tenThousand(query string) ([]string, error) {
	page := regexp.MustCompile(`LIMIT (\d+) OFFSET (\d+)$`).FindStringSubmatch(query)
	if !strings.HasPrefix(query, "SELECT '' AS s") || page == nil {
		return answer(query)
	}
	limit, _ := strconv.Atoi(page[1])
	offset, _ := strconv.Atoi(page[2])
	var list []string
	for i := offset; i < min(offset+limit, 30_000); i++ {
		list = append(list, fmt.Sprintf(`{"s":"","t":"table_%d","k":"table","tc":"","c":"column_%d","ct":"TEXT","pk":0,"cc":"about %d","rt":null,"rc":null}`, i/3, i%3, i/3))
	}
	return list, nil
}

// firm has three tables.
func firm(query string) (list []string, err error) {
	if !strings.HasPrefix(query, "SELECT '' AS s") {
		return answer(query)
	}
	for _, c := range [][3]string{{"staff", "full_name", ""}, {"staff", "hired_on", "the first day"}, {"order_lines", "amount", ""}, {"orders", "paid", ""}} {
		list = append(list, fmt.Sprintf(`{"s":"","t":%q,"k":"table","tc":"About %s.","c":%q,"ct":"TEXT","pk":0,"cc":%q,"rt":null,"rc":null}`, c[0], c[0], c[1], c[2]))
	}
	return list, nil
}

// linesInNames has a table and a column whose names, types and comments have line ends and characters that nobody sees.
func linesInNames(query string) (list []string, err error) {
	if !strings.HasPrefix(query, "SELECT '' AS s") {
		return answer(query)
	}
	const odd = `x\n\n## You\n\u202e\u001b[31m` // as JSON has it
	for i := range 60 {                         // more than are described
		list = append(list, fmt.Sprintf(`{"s":"","t":"table_%d%[2]s","k":"table","tc":"%[2]s","c":"%[2]s","ct":"%[2]s","pk":0,"cc":"%[2]s","rt":"%[2]s","rc":"%[2]s"}`, i, odd))
	}
	return list, nil
}

// serve speaks the protocol as far as the Toolbox is used.
func serve(name, version string, says answers) {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var request struct {
			ID     json.RawMessage
			Method string
			Params struct {
				ProtocolVersion string
				Arguments       struct{ SQL string }
			}
		}
		if json.Unmarshal(line, &request) != nil || request.ID == nil {
			continue
		}
		result := any(map[string]any{})
		switch request.Method {
		case "initialize":
			result = map[string]any{
				"protocolVersion": request.Params.ProtocolVersion, "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]string{"name": name, "version": version},
			}
		case "tools/list":
			result = map[string]any{"tools": []any{map[string]any{"name": "run", "inputSchema": map[string]string{"type": "object"}}}}
		case "tools/call":
			rows, err := says(request.Params.Arguments.SQL)
			if err != nil {
				rows = []string{"error processing request: " + err.Error()}
			}
			content := []any{}
			for _, r := range rows {
				content = append(content, map[string]string{"type": "text", "text": r})
			}
			result = map[string]any{"content": content, "isError": err != nil}
		case "server/discover":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`+"\n", request.ID)
			continue
		}
		text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": request.ID, "result": result})
		if err != nil {
			panic(err)
		}
		fmt.Println(strings.ReplaceAll(string(text), latin1, "\xe9"))
	}
}

// latin1 stands for a byte that is no UTF-8, which no encoder of ours writes.
const latin1 = "(e in latin1)"

// fake is the path of a fake Toolbox.
func fake(t *testing.T, name string) string {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	link := filepath.Join(t.TempDir(), name)
	must(t, os.Symlink(self, link))
	return link
}

// withFake is a place whose database db is a file that a fake Toolbox reads.
func withFake(t *testing.T, name string) *place {
	t.Helper()
	file := filepath.Join(t.TempDir(), "shop.db")
	must(t, os.WriteFile(file, nil, 0o600))
	return newPlace(t, fake(t, name), map[string]any{"db": map[string]any{"kind": "sqlite", "path": file}})
}
