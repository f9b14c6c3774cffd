package settings

import "github.com/assent-ls/assent/internal/ranking"

// near suggests the setting that was probably meant.
func near(key string) string {
	var names []string
	for _, f := range fields() {
		names = append(names, f.Name)
	}
	for _, name := range ranking.Near(key, names, 1) {
		return ", perhaps you mean " + name
	}
	return ""
}
