package mcp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/arguments"
)

// TestConformance runs the official suite for clients against this host: every scenario is a server that our source
// uses as any other, with its dispatcher and policy. `.ci/mcp` installs the suite and runs this. What is not passed
// is in testdata/conformance.yml, and why in docs/mcp.md.
func TestConformance(t *testing.T) {
	suite := os.Getenv("ASSENT_CONFORMANCE") // the folder where npm installed it
	if suite == "" {
		t.Skip("NOT TESTED: the official suite of the Model Context Protocol for clients, which .ci/mcp installs and runs")
	}
	modules := filepath.Join(suite, "node_modules")
	for _, scenarios := range []string{"core", "backcompat", "draft"} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(modules, "node", "bin", "node"), filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js"),
			"client", "--suite", scenarios, "--command", os.Args[0]+" -test.run=^TestScenario$", "--timeout", "60000",
			"--expected-failures", "testdata/conformance.yml", "-o", t.TempDir())
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("the suite %s ended with %v:\n%s", scenarios, err, out)
		}
		_, summary, _ := strings.Cut(string(out), "=== SUITE SUMMARY ===")
		t.Logf("%s: %s", scenarios, summary)
	}
}

// TestScenario is our host as the client of one scenario: the suite starts this program with the address of its server.
// The person approves every call, and logs in where a run says so, and only there.
func TestScenario(t *testing.T) {
	scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO")
	if scenario == "" {
		t.Skip("NOT TESTED: one scenario of the official suite, which TestConformance starts")
	}
	p := newPlace(t)
	p.declares("suite", suiteServer(t, scenario))
	d, problems := p.now()
	if strings.Contains(problems, loginWords) {
		p.logsIn("suite")
		d, problems = p.now()
	}
	if problems != "" {
		t.Fatal(problems)
	}
	for name := range strings.FieldsSeq(names(d)) {
		arguments := `{}`
		if name == "add_numbers" {
			arguments = `{"a": 5, "b": 3}`
		}
		result := p.runAs(fillsForms(), d, name, arguments).Text()
		if strings.Contains(result, loginWords) {
			p.logsIn("suite")
			result = p.runAs(fillsForms(), d, name, arguments).Text()
		}
		t.Logf("%s: %s", name, result)
	}
}

// fillsForms is a person who sends forms as they find them.
func fillsForms() *asked {
	return &asked{answer: func(ctx context.Context, what tools.Inquiry) (tools.Reply, error) {
		fields, err := arguments.FormFields(what.Form)
		if err != nil {
			return tools.Reply{}, err
		}
		return says(arguments.FormText(fields))(ctx, what)
	}}
}

// suiteServer declares the server of a scenario.
func suiteServer(t *testing.T, scenario string) map[string]any {
	d := map[string]any{"url": os.Args[len(os.Args)-1]}
	var given struct {
		ClientID string `json:"client_id"`
		Secret   string `json:"client_secret"`
	}
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &given); err != nil {
			t.Fatal(err)
		}
	}
	switch {
	case given.ClientID != "":
		t.Setenv("SUITE_SECRET", given.Secret)
		d["oauth"] = map[string]any{"clientId": given.ClientID, "clientSecret": "${env:SUITE_SECRET}", "issuer": issuerOf(t, os.Args[len(os.Args)-1])}
	case scenario == "auth/basic-cimd":
		d["oauth"] = map[string]any{"clientId": "https://conformance-test.local/client-metadata.json"}
	}
	return d
}

// issuerOf is the authorization server that a server names. The suite tells it nowhere else.
func issuerOf(t *testing.T, server string) string {
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{u.Path, ""} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u.Scheme+"://"+u.Host+"/.well-known/oauth-protected-resource"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var about struct {
			Servers []string `json:"authorization_servers"`
		}
		err = json.NewDecoder(answer.Body).Decode(&about)
		_ = answer.Body.Close()
		if err == nil && len(about.Servers) > 0 {
			return about.Servers[0]
		}
	}
	t.Fatal("the server names no authorization server")
	return ""
}
