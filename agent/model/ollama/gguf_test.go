//go:build e2e

package ollama_test

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"testing"
)

// tensor is one of 32-bit floats, in little-endian order.
type tensor struct {
	name  string
	shape []uint64
	data  []byte
}

// The types of values in a GGUF file, version 3.
const (
	ggufUint32  = 4
	ggufInt32   = 5
	ggufFloat32 = 6
	ggufBool    = 7
	ggufString  = 8
	ggufArray   = 9

	ggufAlignment = 32 // bytes, of each tensor's data
)

// writeGGUF is a model file: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
func writeGGUF(t *testing.T, values map[string]any, tensors []tensor) []byte {
	t.Helper()
	var out bytes.Buffer
	put := func(v any) {
		if text, ok := v.(string); ok {
			_ = binary.Write(&out, binary.LittleEndian, uint64(len(text))) // a buffer takes everything
			out.WriteString(text)
			return
		}
		if err := binary.Write(&out, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	pad := func() { out.Write(make([]byte, (ggufAlignment-out.Len()%ggufAlignment)%ggufAlignment)) }
	out.WriteString("GGUF")
	put(uint32(3))
	put(uint64(len(tensors)))
	put(uint64(len(values)))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		put(key)
		switch v := values[key].(type) {
		case uint32:
			put(uint32(ggufUint32))
			put(v)
		case float32:
			put(uint32(ggufFloat32))
			put(v)
		case bool:
			put(uint32(ggufBool))
			put(v)
		case string:
			put(uint32(ggufString))
			put(v)
		case []int32:
			put([]uint32{ggufArray, ggufInt32})
			put(uint64(len(v)))
			put(v)
		case []string:
			put([]uint32{ggufArray, ggufString})
			put(uint64(len(v)))
			for _, text := range v {
				put(text)
			}
		default:
			t.Fatalf("%s is %T", key, v)
		}
	}
	offset := 0
	for _, tensor := range tensors {
		put(tensor.name)
		put(uint32(len(tensor.shape)))
		put(tensor.shape)
		put(uint32(0)) // 32-bit floats
		put(uint64(offset))
		offset += (len(tensor.data) + ggufAlignment - 1) / ggufAlignment * ggufAlignment
	}
	for _, tensor := range tensors {
		pad()
		out.Write(tensor.data)
	}
	pad()
	return out.Bytes()
}
