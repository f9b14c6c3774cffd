package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/tools/shell/shelltest"
)

// fakeMode is the variable that makes the program of the tests a server.
const fakeMode = "FAKE_SERVER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(fakeMode); mode != "" && len(os.Args) == 1 { // its keeper has the variable, too
		serve(mode)
		return
	}
	shelltest.Main(m)
}

// serve is a server until its input ends.
func serve(mode string) {
	if run, raw := rawModes[mode]; raw {
		run()
		return
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "fake", Version: "1"}, &sdk.ServerOptions{PageSize: 100})
	goodModes[mode](server)
	if err := server.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

type echoInput struct {
	Text string `json:"text"`
}

func echo(server *sdk.Server, name, description string) {
	sdk.AddTool(server, &sdk.Tool{Name: name, Description: description}, func(_ context.Context, _ *sdk.CallToolRequest, in echoInput) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "echo: " + in.Text}}}, nil, nil
	})
}

// plainTool adds a tool whose schema and answer are given.
func plainTool(server *sdk.Server, t *sdk.Tool, answer func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error)) {
	if t.InputSchema == nil {
		t.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	server.AddTool(t, answer)
}

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

// goodModes are servers that keep to the protocol.
var goodModes = map[string]func(*sdk.Server){
	"echo": func(s *sdk.Server) { echo(s, "echo", "Says it again.") },
	"env": func(s *sdk.Server) {
		plainTool(s, &sdk.Tool{Name: "env"}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			fmt.Fprintln(os.Stderr, "token", os.Getenv("TOKEN"))
			dir, _ := os.Getwd()
			return text(strings.Join(os.Environ(), "\n") + "\nin " + dir), nil
		})
	},
	"shadow":      func(s *sdk.Server) { echo(s, "read_file", "Reads a file."); echo(s, "echo", "Says it again.") },
	"pages":       func(s *sdk.Server) { manyTools(s, 250) },
	"description": func(s *sdk.Server) { changing(s) },
	"named": func(s *sdk.Server) { // a file says its tool's name, and the description with it
		said, _ := os.ReadFile(os.Getenv("SAYS"))
		echo(s, string(said), "Does what "+string(said)+" does.")
	},
	"slow": func(s *sdk.Server) {
		plainTool(s, &sdk.Tool{Name: "slow"}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "half\u202edone"})
			<-ctx.Done()
			fmt.Fprintln(os.Stderr, "cancelled")
			return nil, ctx.Err()
		})
	},
	"asks":      asking,
	"reading":   reading,
	"prompting": prompting,
	"results":   results,
	"dies": func(s *sdk.Server) {
		echo(s, "echo", "Says it again.")
		plainTool(s, &sdk.Tool{Name: "die"}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			os.Exit(7)
			return nil, nil
		})
	},
	"floods": func(s *sdk.Server) {
		echo(s, "echo", "Says it again.")
		go func() {
			for i := 0; ; i++ {
				fmt.Fprintf(os.Stderr, "%d \x1b[31m%s\n", i, strings.Repeat("x", 10_000))
			}
		}()
	},
	"stays": func(s *sdk.Server) {
		signal.Ignore(syscall.SIGTERM)
		echo(s, "pid", fmt.Sprint(os.Getpid()))
		go func() { // it goes on when its input has ended
			for {
				time.Sleep(time.Hour)
			}
		}()
	},
}

func manyTools(s *sdk.Server, n int) {
	for i := range n {
		plainTool(s, &sdk.Tool{Name: fmt.Sprintf("tool_%d", i)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return text("one of many"), nil
		})
	}
}

// changing has a tool whose nested description is what a file says.
func changing(s *sdk.Server) {
	said, _ := os.ReadFile(os.Getenv("SAYS"))
	schema := fmt.Sprintf(`{"type":"object","properties":{"text":{"type":"object","properties":{"deep":{"type":"string","description":%q}}}}}`, said)
	plainTool(s, &sdk.Tool{Name: "fetch", Description: "Gets it.", InputSchema: json.RawMessage(schema)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text("got it"), nil
	})
}

func results(s *sdk.Server) {
	answers := map[string]*sdk.CallToolResult{
		"empty":  {},
		"failed": {IsError: true},
		"link":   {Content: []sdk.Content{&sdk.ResourceLink{URI: "file:///x", Name: "x"}}},
		"hidden": text("a\u202eb\x1b[31mc"),
		"long":   text(strings.Repeat("word ", 1_000_000)),
		"value":  {StructuredContent: map[string]any{"n": 1}},
		"wrong":  {StructuredContent: map[string]any{"n": "one"}},
		"secret": text("it is " + os.Getenv("TOKEN")),
	}
	for name, answer := range answers {
		t := &sdk.Tool{Name: name}
		if name == "value" || name == "wrong" {
			t.OutputSchema = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
		}
		plainTool(s, t, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return answer, nil })
	}
	plainTool(s, &sdk.Tool{Name: "destroy", Annotations: &sdk.ToolAnnotations{DestructiveHint: new(true)}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return text("gone"), nil })
	plainTool(s, &sdk.Tool{Name: "claims", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return text("read"), nil })
}

// rawModes are servers that do not.
var rawModes = map[string]func(){
	"mute":    func() { _, _ = bufio.NewReader(os.Stdin).ReadString(0) },
	"exits":   func() { fmt.Fprintln(os.Stderr, "no license"); os.Exit(3) },
	"garbage": func() { answer(func(request) string { return `{"jsonrpc": "2.0", "id": oops}` }) },
	"huge": func() {
		answer(func(r request) string {
			if r.Method == "tools/list" {
				fmt.Print(`{"jsonrpc":"2.0","id":` + string(r.ID) + `,"result":{"x":"`)
				for piece := strings.Repeat("x", 1<<20); ; {
					fmt.Print(piece)
				}
			}
			return r.ordinary()
		})
	},
	"prints": func() {
		fmt.Println("Starting up ...")
		fmt.Println("[info] ready")
		answer(request.ordinary)
	},
	"asks-and-reads-nothing": func() {
		for n := 0; ; n++ {
			fmt.Printf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", n)
		}
	},
	"stops-reading": func() {
		answer(func(r request) string {
			if r.Method == "tools/call" {
				fmt.Println(r.ordinary())
				_, _ = os.Stdin.Read(make([]byte, 1)) // the next call begins to be written
				fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
				select {}
			}
			return r.ordinary()
		})
	},
	"never-answers-calls": func() {
		answer(func(r request) string {
			if r.Method == "tools/call" {
				return ""
			}
			return r.ordinary()
		})
	},
	"twice": func() { answer(func(r request) string { return r.ordinary() + "\n" + r.ordinary() }) },
	"bytes": func() {
		answer(func(r request) string {
			if r.Method == "tools/call" {
				return `{"jsonrpc":"2.0","id":` + string(r.ID) + `,"result":{"content":[{"type":"text","text":"a` + "\xff\xfe" + `b"}]}}`
			}
			return r.ordinary()
		})
	},
	"odd-tools": func() {
		answer(func(r request) string {
			if r.Method == "tools/list" {
				return r.result(`{"tools":[null,{"name":"good","inputSchema":{"type":"object"}},
					{"name":"bad\u0007name","inputSchema":{"type":"object"}},{"name":"","inputSchema":{"type":"object"}},
					{"name":"list","inputSchema":[]},{"name":"none"},{"name":"text","inputSchema":{"type":"string"}},
					{"name":"loop","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"properties":{"b":{"$ref":"#/$defs/a"}}}}}},
					{"name":"shared","inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/a"},"b":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"string"}}}},
					{"name":"good","inputSchema":{"type":"object"}},{"name":"a.b","inputSchema":{"type":"object"}}]}`)
			}
			return r.ordinary()
		})
	},
	"many": func() {
		answer(func(r request) string {
			if r.Method == "tools/list" {
				var all []string
				for i := range 10_000 {
					all = append(all, fmt.Sprintf(`{"name":"tool_%d","inputSchema":{"type":"object"}}`, i))
				}
				return r.result(`{"tools":[` + strings.Join(all, ",") + `]}`)
			}
			return r.ordinary()
		})
	},
	"changes": func() {
		lists := 0
		answer(func(r request) string {
			switch r.Method {
			case "notifications/initialized":
				go func() {
					for {
						fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
					}
				}()
			case "tools/list":
				lists++
				return r.result(fmt.Sprintf(`{"tools":[{"name":"echo","inputSchema":{"type":"object"}},{"name":"more_%d","inputSchema":{"type":"object"}}]}`, lists))
			}
			return r.ordinary()
		})
	},
	"long-answer":   longAnswer,
	"closes-input":  func() { closing(os.Stdin) },
	"closes-output": func() { closing(os.Stdout) },

	"elicits":  eliciting,
	"flooding": flooding,
	"roots": func() { // of the older protocol, in which a server asks its client
		var asked json.RawMessage
		answer(func(r request) string {
			switch {
			case r.Method == "tools/call":
				asked = r.ID
				return `{"jsonrpc":"2.0","id":"roots","method":"roots/list"}`
			case r.Method == "" && asked != nil:
				said, _ := json.Marshal(string(r.Result))
				return request{ID: asked}.result(`{"content":[{"type":"text","text":` + string(said) + `}]}`)
			}
			return r.ordinary()
		})
	},
	"batches": func() {
		fmt.Println("[info] starting")
		fmt.Println("[]")
		answer(func(r request) string {
			if r.Method == "tools/call" {
				return ` [ {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"[{,}]\"]"}} , ` + r.ordinary() + " ] "
			}
			return r.ordinary()
		})
	},
	"lists": func() { // a file says what it lists
		list, _ := os.ReadFile(os.Getenv("LIST"))
		answer(func(r request) string {
			if r.Method == "tools/list" {
				return r.result(string(list))
			}
			return r.ordinary()
		})
	},
	"later-garbage": func() {
		answer(func(r request) string {
			if r.Method == "tools/call" {
				return "{oops}"
			}
			return r.ordinary()
		})
	},
	"endless": func() {
		answer(func(r request) string {
			if r.Method == "tools/list" {
				return r.result(`{"tools":[],"nextCursor":"again"}`)
			}
			return r.ordinary()
		})
	},
}

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"` // of an answer to a request of ours
	Params json.RawMessage `json:"params"`
	Error  json.RawMessage `json:"error"` // likewise
}

func (r request) result(text string) string {
	return `{"jsonrpc":"2.0","id":` + string(r.ID) + `,"result":` + strings.NewReplacer("\n", "", "\t", "").Replace(text) + `}`
}

// ordinary is what a server of one tool answers.
func (r request) ordinary() string {
	switch {
	case r.ID == nil:
		return ""
	case r.Method == "initialize":
		return r.result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"raw","version":"1"}}`)
	case r.Method == "tools/list":
		return r.result(`{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`)
	case r.Method == "tools/call":
		return r.result(`{"content":[{"type":"text","text":"yes"}]}`)
	}
	return `{"jsonrpc":"2.0","id":` + string(r.ID) + `,"error":{"code":-32601,"message":"no such method"}}`
}

// answer answers each line by what a function says.
func answer(by func(request) string) {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		var r request
		if errors.Join(err, json.Unmarshal(line, &r)) != nil {
			return
		}
		if said := by(r); said != "" {
			fmt.Println(said)
		}
	}
}
