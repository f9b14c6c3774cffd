package policy

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
)

// Bind makes one short string of the parts that an approval is bound to (tool, arguments, resolved target, replaced
// text). Different lists of parts never make the same string: moving a byte from one part to the next is a difference.
func Bind(parts ...string) string {
	h := sha256.New()
	var size [8]byte
	for _, part := range parts {
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:])
		h.Write([]byte(part))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
