package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// waysOut are, by package, what connects or sends to others, or starts a program that could; "*" ends a name.
var waysOut = map[string][]string{
	"net":                                   {"Dial*", "Lookup*", "Resolver", "DefaultResolver", "ListenUDP", "ListenPacket", "ListenMulticastUDP", "ListenIP", "FileConn"},
	"net/http":                              {"DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm", "ProxyURL", "ProxyFromEnvironment"},
	"net/rpc":                               {"Dial*"},
	"net/smtp":                              {"Dial*", "SendMail"},
	"crypto/tls":                            {"Dial*"},
	"syscall":                               {"Connect", "Sendto", "Sendmsg", "ForkExec", "StartProcess"},
	"golang.org/x/sys/unix":                 {"Connect", "Sendto", "Sendmsg", "SendmsgN", "SendmsgBuffers"},
	"os":                                    {"StartProcess"},
	"os/exec":                               {"Command", "CommandContext", "Cmd"},
	"github.com/ollama/ollama/api":          {"ClientFromEnvironment"},
	"github.com/coder/websocket":            {"Dial"},
	"golang.org/x/net/websocket":            {"*"},
	"golang.org/x/net/proxy":                {"*"},
	"github.com/go-git/go-git/v5":           {"PlainClone*", "Clone*"},
	"golang.org/x/oauth2/clientcredentials": {"*"},
}

// needed are the fields without which a value of a type reaches the network by itself.
var needed = map[string]string{
	"net/http.Client":    "Transport",
	"net/http.Transport": "DialContext",
	"github.com/modelcontextprotocol/go-sdk/mcp.StreamableClientTransport": "HTTPClient",
	"github.com/modelcontextprotocol/go-sdk/mcp.SSEClientTransport":        "HTTPClient",
	"github.com/coder/websocket.DialOptions":                               "HTTPClient",
}

// waysOutElsewhere are the functions outside of internal/network that use one, and why they may.
var waysOutElsewhere = map[string]string{
	"agent/model/servers/key.go run":                "network.Start starts it",
	"cmd/assent/mcp_login.go Visit":                 "the browser of a person who agreed; nobody logs in offline",
	"cmd/assent/prompt_change.go editFile":          "the editor of the person at the terminal, who named it",
	"tools/command/runner/programs.go start":        "in a process of the shell",
	"tools/python/interpreter/install.go Install":   "network.Start starts it",
	"tools/python/interpreter/start_linux.go start": "this program, which has no network then",
	"tools/python/interpreter/start_other.go start": "this program, as a helper that connects to nothing",
	"tools/mcp/websocket/websocket.go Connect":      "by the client that it was given; without one it does not connect",
	"tools/sandbox/bounds/group_linux.go Grouped":   "/bin/true",
	"tools/sandbox/inside_linux.go start":           "in the sandbox",
	"tools/sandbox/listener_linux.go sendListener":  "a Unix socket of the command's private folder",
	"tools/sandbox/probe/prepare_linux.go listenIn": "a Unix socket of the self-test",
	"tools/sandbox/probe/probe_linux.go attempts":   "the self-test, in the sandbox",
	"tools/sandbox/probe/probe_linux.go dials":      "the self-test, in the sandbox",
	"tools/sandbox/sandbox.go Command":              "in the sandbox",
	"tools/shell/job_windows.go shell":              "nothing runs there",
	"tools/shell/job_linux.go start":                "Shell.launch starts it",
	"tools/shell/keep_linux.go begin":               "in the keeper, which Shell.launch started",
	"tools/shell/program.go program":                "Shell.launch starts it",
	"tools/shell/service.go Serve":                  "Shell.launch starts it",
	"tools/shell/shell_unix.go shell":               "Shell.launch starts it",
	"tools/sql/toolbox.go ToolboxVersion":           "network.Start starts it",
}

// Every connection of the program, and every program that it starts, goes through package internal/network, so that
// --offline holds for those that are written later, too.
// Promise 9.
func TestOneWayOut(t *testing.T) {
	seen := map[string][]string{}
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		rel := filepath.ToSlash(strings.TrimPrefix(file, "../"))
		if d != nil && d.IsDir() && (slices.Contains(notShipped, rel) || slices.Contains(helpers, rel) ||
			rel == "internal/network" || len(rel) > 2 && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for place, ways := range leads(parsed) {
			seen[rel+" "+place] = ways
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for place, ways := range seen {
		if waysOutElsewhere[place] == "" {
			t.Errorf("%s uses %s: connect and start programs by package internal/network", place, strings.Join(ways, ", "))
		}
	}
	for place := range waysOutElsewhere {
		if seen[place] == nil {
			t.Errorf("%s leads nowhere: take it out of the list", place)
		}
	}
}

// The search must be able to find something.
func TestAWayOutIsSeen(t *testing.T) {
	for name, source := range map[string]string{
		"a dial":             `package p; import "net"; func f() { net.Dial("tcp", "a:1") }`,
		"by another name":    `package p; import n "net"; func f() { n.DialTimeout("tcp", "a:1", 0) }`,
		"a dialer":           `package p; import "net"; var d = net.Dialer{}`,
		"a client":           `package p; import "net/http"; func f() { _ = http.Client{} }`,
		"a pointer to one":   `package p; import "net/http"; func f() { _ = &http.Client{Timeout: 1} }`,
		"new":                `package p; import "net/http"; func f() { _ = new(http.Client) }`,
		"a variable":         `package p; import "net/http"; func f() { var c http.Client; c.Get("") }`,
		"a transport":        `package p; import "net/http"; func f() { _ = &http.Transport{} }`,
		"a proxy":            `package p; import "net/http"; func f() { _ = &http.Transport{DialContext: d, Proxy: p} }`,
		"the default client": `package p; import "net/http"; func f() { http.Get("http://a") }`,
		"a program":          `package p; import "os/exec"; func f() { exec.Command("a").Run() }`,
		"a dot":              `package p; import . "net"; func f() { Dial("tcp", "a:1") }`,
	} {
		parsed, err := parser.ParseFile(token.NewFileSet(), "p.go", source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if len(leads(parsed)) == 0 {
			t.Errorf("%s is not seen", name)
		}
	}
	const good = `package p; import "net/http"; func f() { _ = http.Client{Transport: &http.Transport{DialContext: d, Proxy: n.Proxy(p)}} }`
	if parsed, err := parser.ParseFile(token.NewFileSet(), "p.go", good, parser.SkipObjectResolution); err != nil || len(leads(parsed)) != 0 {
		t.Errorf("%v: %v", err, leads(parsed))
	}
}

// leads lists the ways out that a file uses, by the function, or the variable, that does.
func leads(file *ast.File) map[string][]string {
	packages, seen := map[string]string{}, map[string][]string{}
	for _, imported := range file.Imports {
		from := strings.Trim(imported.Path.Value, `"`)
		name := strings.TrimSuffix(path.Base(from), ".go")
		if base := path.Base(from); len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
			name = strings.TrimPrefix(path.Base(path.Dir(from)), "go-")
		}
		if imported.Name != nil {
			name = imported.Name.Name
		}
		packages[name] = from
		if name == "." && waysOut[from] != nil {
			seen["import"] = append(seen["import"], from)
		}
	}
	for _, decl := range file.Decls {
		place := "var"
		if f, ok := decl.(*ast.FuncDecl); ok {
			place = f.Name.Name
		}
		for _, way := range leadsOf(decl, packages) {
			if !slices.Contains(seen[place], way) {
				seen[place] = append(seen[place], way)
			}
		}
	}
	return seen
}

func leadsOf(decl ast.Node, packages map[string]string) (ways []string) {
	whole := map[ast.Node]bool{} // types of literals that have what they need, and of pointers and parameters
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StarExpr:
			whole[n.X] = true
		case *ast.CompositeLit:
			of := selected(n.Type, packages)
			field, known := needed[of]
			whole[n.Type] = known && has(n, field)
			if of == "net/http.Transport" && has(n, "Proxy") && !isNetworks(n) {
				ways = append(ways, "a proxy")
			}
		case *ast.SelectorExpr:
			of := selected(n, packages)
			if of == "" || whole[n] {
				return true
			}
			from, name := of[:strings.LastIndex(of, ".")], n.Sel.Name
			if _, known := needed[of]; known || slices.ContainsFunc(waysOut[from], func(way string) bool {
				prefix, open := strings.CutSuffix(way, "*")
				return name == way || open && strings.HasPrefix(name, prefix)
			}) {
				ways = append(ways, path.Base(from)+"."+name)
			}
		}
		return true
	})
	return ways
}

// selected is the import path and the name of what a selector of a package means; empty: it is none.
func selected(n ast.Expr, packages map[string]string) string {
	s, ok := n.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	in, ok := s.X.(*ast.Ident)
	if !ok || packages[in.Name] == "" {
		return ""
	}
	return packages[in.Name] + "." + s.Sel.Name
}

func has(literal *ast.CompositeLit, field string) bool {
	return value(literal, field) != nil
}

func value(literal *ast.CompositeLit, field string) ast.Expr {
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok && key.Name == field {
				return pair.Value
			}
		}
	}
	return nil
}

// isNetworks reports whether the proxy of a transport is what network.Network.Proxy gives.
func isNetworks(literal *ast.CompositeLit) bool {
	call, ok := value(literal, "Proxy").(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && method.Sel.Name == "Proxy"
}
