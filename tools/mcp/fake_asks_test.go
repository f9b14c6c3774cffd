package mcp_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// asks is the variable with what the fake server asks during a call: the parameters of an elicitation.
const asks = "ASKS"

// asking is a server of the newer protocol: the result of a call wants an answer, which the call is made with again.
func asking(s *sdk.Server) {
	plainTool(s, &sdk.Tool{Name: cmp.Or(os.Getenv("TOOL_NAME"), "ask")}, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if given, ok := r.Params.InputResponses["q"].(*sdk.ElicitResult); ok && os.Getenv("AGAIN") == "" {
			said, _ := json.Marshal(given)
			return text(string(said)), nil
		}
		var p sdk.ElicitParams
		if err := json.Unmarshal([]byte(os.Getenv(asks)), &p); err != nil {
			return nil, err
		}
		p.Message = strings.ReplaceAll(p.Message, "@megabyte@", strings.Repeat("word ", 200_000))
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"q": &p}, RequestState: "state"}, nil
	})
}

// eliciting is a server of the older protocol: it sends its questions while a call runs, as often as TIMES says;
// without a call where WHEN says so, and after the call where it says that.
func eliciting() {
	var call json.RawMessage
	var list request // answered when what is asked before it is
	left, _ := strconv.Atoi(os.Getenv("TIMES"))
	ask := func() string {
		left--
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":"ask %d","method":%q,"params":%s}`, left, cmp.Or(os.Getenv("METHOD"), "elicitation/create"), os.Getenv(asks))
	}
	answer(func(r request) string {
		switch {
		case r.Method == "initialize":
			fmt.Fprintf(os.Stderr, "introduced %s\n", r.Params)
			return r.ordinary()
		case r.Method == "tools/list" && os.Getenv("WHEN") == "list":
			list = r
			return ask()
		case r.Method == "tools/call" && os.Getenv("WHEN") == "after":
			return r.ordinary() + "\n" + ask()
		case r.Method == "tools/call" && os.Getenv("WHEN") == "url-first" && left > 0:
			left--
			return `{"jsonrpc":"2.0","id":` + string(r.ID) + `,"error":{"code":-32042,"message":"log in","data":{"elicitations":[` + os.Getenv(asks) + `]}}}`
		case r.Method == "tools/call" && left > 0:
			call = r.ID
			return ask()
		case r.Method == "":
			tell(fmt.Sprintf("answered %s%s\n", r.Result, r.Error))
			if left > 0 {
				return ask()
			}
			switch {
			case list.ID != nil:
				return list.ordinary()
			case call == nil:
				return ""
			}
			said, _ := json.Marshal(string(r.Result) + string(r.Error))
			return request{ID: call}.result(`{"content":[{"type":"text","text":` + string(said) + `}]}`)
		}
		return r.ordinary()
	})
}

// tellsAt is the variable with the address of a test that wants to be told.
const tellsAt = "TELLS_AT"

func tell(what string) {
	if at := os.Getenv(tellsAt); at != "" {
		if conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", at); err == nil {
			_, _ = conn.Write([]byte(what))
			_ = conn.Close()
		}
	}
}

// reading is a server with resources: many, one that is no text, one with a secret, and a list that it changes.
func reading(s *sdk.Server) {
	for i := range 250 {
		s.AddResource(&sdk.Resource{URI: fmt.Sprintf("note:///%03d", i), Name: "a\u202eb", Description: "\x1b[31mit is " + os.Getenv("TOKEN")}, func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: "it is " + r.Params.URI + " and " + os.Getenv("TOKEN")}, {URI: r.Params.URI, MIMEType: "image/png", Blob: make([]byte, 10)}}}, nil
		})
	}
	s.AddResource(&sdk.Resource{URI: "note:///bad\u202ename", Name: "bad"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) { return nil, nil })
	if token := os.Getenv("TOKEN"); token != "" {
		s.AddResource(&sdk.Resource{URI: "note:///" + token, Name: "secret"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) { return nil, nil })
	}
	s.AddResource(&sdk.Resource{URI: "note:///empty", Name: "empty"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{}}, nil
	})
	echo(s, "echo", "Says it again.")
}

// flooding sends a resource of 100 MB, and lists resources without end.
func flooding() {
	answer(func(r request) string {
		switch r.Method {
		case "initialize":
			return r.result(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{},"prompts":{}},"serverInfo":{"name":"raw","version":"1"}}`)
		case "resources/list":
			return r.result(`{"resources":[null,{"uri":"note:///one","name":"one"}],"nextCursor":"again"}`)
		case "resources/read":
			fmt.Print(`{"jsonrpc":"2.0","id":` + string(r.ID) + `,"result":{"contents":[{"uri":"x","text":"`)
			for range 100 {
				fmt.Print(strings.Repeat("x", 1<<20))
			}
			return `"}]}}`
		}
		return r.ordinary()
	})
}

// prompting is a server with prompts: one with arguments, one of a megabyte, one that is a picture, one that cannot be
// written.
func prompting(s *sdk.Server) {
	echo(s, "echo", "Says it again.")
	for name, part := range map[string]sdk.Content{
		"review": nil, "long": &sdk.TextContent{Text: os.Getenv("TOKEN") + "\x1b" + strings.Repeat("word ", 200_000)}, "picture": &sdk.ImageContent{Data: []byte("x"), MIMEType: "image/png"},
		"two words": nil, "secret": nil,
	} {
		if name == "secret" {
			p := &sdk.Prompt{Name: name, Arguments: []*sdk.PromptArgument{{Name: os.Getenv("TOKEN")}}}
			s.AddPrompt(p, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) { return nil, nil })
			continue
		}
		p := &sdk.Prompt{Name: name, Description: "it is " + os.Getenv("TOKEN") + "\u202e"}
		if name == "review" {
			p.Arguments = []*sdk.PromptArgument{{Name: "file", Required: true}, {Name: "style"}}
		}
		s.AddPrompt(p, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			said := part
			if said == nil {
				said = &sdk.TextContent{Text: fmt.Sprint(r.Params.Arguments)}
			}
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: said}}}, nil
		})
	}
}
