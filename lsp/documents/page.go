package documents

import (
	"crypto/sha256"
	"encoding/hex"
)

// PageName is the name of a page: another text gets another name, since an editor may show an old page until it is told
// to read it again.
func PageName(prefix, text string) string {
	sum := sha256.Sum256([]byte(text))
	return prefix + hex.EncodeToString(sum[:3])
}
