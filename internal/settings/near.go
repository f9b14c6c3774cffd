package settings

import "strings"

// near suggests the setting that was probably meant.
func near(key string) string {
	plain := func(s string) string {
		return strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "").Replace(s))
	}
	for _, f := range fields() {
		if plain(f.Name) == plain(key) || (len(key) > 3 && strings.Contains(plain(f.Name), plain(key))) {
			return ", perhaps you mean " + f.Name
		}
	}
	return ""
}
