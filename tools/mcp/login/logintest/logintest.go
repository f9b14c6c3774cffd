// Package logintest has an MCP server that wants a login, with its authorization server.
package logintest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Token is what the authorization server gives, and must be seen nowhere.
const Token = "canary-token"

// Guarded is a server that lets in who is logged in.
type Guarded struct {
	URL       string       // of the MCP server, which has one tool, "open"
	Authority string       // where one logs in
	Asked     atomic.Int32 // how often the authorization server was asked something
}

// Serve starts the two for as long as a test runs. Who opens the address of the login is logged in at once.
func Serve(t *testing.T) *Guarded {
	t.Helper()
	g, mux := &Guarded{}, http.NewServeMux()
	door := httptest.NewServer(mux)
	authority := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.Asked.Add(1)
		g.authorize(w, r)
	}))
	g.URL, g.Authority = door.URL+"/mcp", authority.URL
	t.Cleanup(func() {
		door.CloseClientConnections()
		door.Close()
		authority.Close()
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"resource": g.URL, "authorization_servers": []string{g.Authority}})
	})
	server := sdk.NewServer(&sdk.Implementation{Name: "guarded", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "open"}, func(
		context.Context, *sdk.CallToolRequest, struct{},
	) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "it is open"}}}, nil, nil
	})
	inside := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+Token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inside.ServeHTTP(w, r)
	})
	return g
}

func (g *Guarded) authorize(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		answer(w, map[string]any{
			"issuer": g.Authority, "authorization_endpoint": g.Authority + "/authorize", "token_endpoint": g.Authority +
				"/token",
			"registration_endpoint": g.Authority + "/register", "code_challenge_methods_supported": []string{"S256"},
		})
	case "/register":
		answer(w, map[string]any{"client_id": "x", "token_endpoint_auth_method": "none"})
	case "/authorize":
		q := r.URL.Query()
		http.Redirect(w, r, q.Get("redirect_uri")+"?code=x&state="+url.QueryEscape(q.Get("state")), http.StatusFound)
	case "/token":
		answer(w, map[string]any{"access_token": Token, "token_type": "Bearer"})
	default:
		http.NotFound(w, r)
	}
}

func answer(w http.ResponseWriter, value map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // who is gone gets nothing
}
