package docs_test

import (
	"go/version"
	"regexp"
	"testing"
)

// S28: what is known to be broken is not used: os.Root before Go 1.26.5 followed some links, and the MCP SDK before
// 1.3.1 read keys without regard to their case.
func TestVersionsAreNewEnough(t *testing.T) {
	module := read(t, "go.mod")
	least := map[string]string{`(?m)^toolchain go(\S+)$`: "1.26.5", `(?m)^\s*github\.com/modelcontextprotocol/go-sdk v(\S+)`: "1.3.1"}
	for pattern, want := range least {
		m := regexp.MustCompile(pattern).FindStringSubmatch(module)
		if m == nil && want == "1.26.5" {
			t.Error("go.mod names no toolchain")
		}
		if m != nil && version.Compare("go"+m[1], "go"+want) < 0 {
			t.Errorf("go.mod has %q: it must be %s at least", m[0], want)
		}
	}
}
