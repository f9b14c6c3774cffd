package settings

import "github.com/assent-ls/assent/internal/ranking"

// Near is the setting that was probably meant by its name or that of its flag; empty: none was.
func Near(key string) string {
	var names []string
	of := map[string]string{}
	for _, f := range fields() {
		for _, name := range []string{f.Flag, f.Name} {
			if name != "" {
				names, of[name] = append(names, name), f.Name
			}
		}
	}
	for _, name := range ranking.Near(key, names, 1) {
		return of[name]
	}
	return ""
}

// meant ends a sentence with the setting that was probably meant.
func meant(key string) string {
	if name := Near(key); name != "" {
		return ", perhaps you mean " + name
	}
	return ""
}
