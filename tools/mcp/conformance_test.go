package mcp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestConformance runs the official suite for clients against this host: every scenario is a server that our source uses as any other, with
// its dispatcher and policy. `.ci/conformance` installs the suite and runs this. What is not passed stands in
// testdata/conformance.yml, with why.
func TestConformance(t *testing.T) {
	suite := os.Getenv("ASSENT_CONFORMANCE") // the folder where npm installed it
	if suite == "" {
		t.Skip("NOT TESTED: the official suite of the Model Context Protocol for clients, which .ci/conformance installs and runs")
	}
	modules := filepath.Join(suite, "node_modules")
	for _, scenarios := range []string{"core"} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(modules, "node", "bin", "node"), filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js"),
			"client", "--suite", scenarios, "--command", os.Args[0]+" -test.run=^TestScenario$", "--timeout", "60000",
			"--expected-failures", "testdata/conformance.yml", "-o", t.TempDir())
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Errorf("the suite %s ended with %v", scenarios, err)
		}
	}
}

// TestScenario is our host as the client of one scenario: the suite starts this program with the address of its server. The person approves
// every call.
func TestScenario(t *testing.T) {
	scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO")
	if scenario == "" {
		return // nobody asked for it
	}
	p := newPlace(t)
	p.declares("suite", map[string]any{"url": os.Args[len(os.Args)-1]})
	d, problems := p.now()
	if problems != "" {
		t.Fatal(problems)
	}
	for _, name := range strings.Fields(names(d)) {
		arguments := `{}`
		if name == "add_numbers" {
			arguments = `{"a": 5, "b": 3}`
		}
		t.Logf("%s: %s", name, p.run(d, name, arguments).Text())
	}
}
