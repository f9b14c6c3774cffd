package compose

import "encoding/json"

// MapStrings is for tests of what arguments mean.
func MapStrings(raw json.RawMessage, change func(string) string) json.RawMessage {
	return mapStrings(raw, change)
}
