package docs_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// The page of model servers names each kind that its file may have.
func TestEveryKindOfServerIsOnItsPage(t *testing.T) {
	var schema struct {
		Properties struct {
			Servers struct {
				Items struct {
					Properties struct {
						Kind struct {
							Enum []string `json:"enum"`
						} `json:"kind"`
					} `json:"properties"`
				} `json:"items"`
			} `json:"servers"`
		} `json:"properties"`
	}
	if err := json.Unmarshal([]byte(read(t, "docs/servers.schema.json")), &schema); err != nil {
		t.Fatal(err)
	}
	_, row, _ := strings.Cut(read(t, "docs/servers.md"), "\n| `kind` |")
	row, _, _ = strings.Cut(row, "\n")
	kinds := schema.Properties.Servers.Items.Properties.Kind.Enum
	for _, kind := range kinds {
		if !strings.Contains(row, "`"+kind+"`") {
			t.Errorf("docs/servers.md does not name the kind %s", kind)
		}
	}
	if len(kinds) < 5 {
		t.Errorf("the kinds are %q", kinds)
	}
}
