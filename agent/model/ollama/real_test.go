//go:build e2e

package ollama_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/ollama"
	"github.com/assent-ls/assent/internal/network"
)

// TestRealVectors asks the server at OLLAMA_HOST for vectors by a model that knows nothing: it is made here, of random
// numbers, so only the way there and back is tested.
func TestRealVectors(t *testing.T) {
	host := os.Getenv("OLLAMA_HOST")
	if host == "" {
		t.Fatal("set OLLAMA_HOST; editors/e2e/install/engine.sh prints it")
	}
	b, err := ollama.Open(network.New(false, nil), host, "")
	if err != nil {
		t.Fatal(err)
	}
	name := newEmbedder(t, host)
	info, err := b.Describe(t.Context(), name)
	if err != nil || !info.Can(model.CanEmbed) || info.Loaded() || info.Digest == "" {
		t.Errorf("%+v, %v", info, err)
	}
	texts := []string{"delete file", "the weather", "delete file", string(bytes.Repeat([]byte("long "), 400)), "", "größe \x00"}
	list, err := b.Embed(t.Context(), model.Embedding{Model: name, Texts: texts, ContextSize: 64, KeepAlive: time.Minute, MainMemory: true})
	if err != nil || len(list) != len(texts) {
		t.Fatalf("%d vectors: %v", len(list), err)
	}
	for i, v := range list {
		if math.Abs(cosine(v, v)-1) > 0.01 || len(v) != len(list[0]) {
			t.Errorf("the vector of %.20q has %d numbers and the square %v", texts[i], len(v), cosine(v, v))
		}
	}
	if cosine(list[0], list[2]) < 0.999 || slices.Equal(list[0], list[1]) {
		t.Error("equal texts have other vectors, or other texts the same")
	}
	if info, err := b.Describe(t.Context(), name); err != nil || !info.Loaded() || info.LoadedContext != 64 {
		t.Errorf("%+v, %v", info, err)
	}
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// newEmbedder makes a model with the shape of those that give vectors, and the smallest of everything.
func newEmbedder(t *testing.T, host string) string {
	t.Helper()
	const name = "assent-test-vectors"
	text := gguf(t)
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(text))
	base, err := ollama.ParseHost(host)
	if err != nil {
		t.Fatal(err)
	}
	client := api.NewClient(base, http.DefaultClient)
	if err := client.CreateBlob(t.Context(), digest, bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Delete(context.WithoutCancel(t.Context()), &api.DeleteRequest{Model: name}) })
	if err := client.Create(t.Context(), &api.CreateRequest{Model: name, Files: map[string]string{"model.gguf": digest}}, func(api.ProgressResponse) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return name
}

func gguf(t *testing.T) []byte {
	t.Helper()
	const width, context = 32, 64
	words := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "▁delete", "▁file", "▁the", "▁weather", "▁long"}
	kinds := make([]int32, len(words))
	for i := range kinds {
		kinds[i] = 1
	}
	random := rand.New(rand.NewPCG(1, 2))
	var tensors []tensor
	add := func(name string, shape ...uint64) {
		size := uint64(1)
		for _, n := range shape {
			size *= n
		}
		numbers := make([]float32, size)
		for i := range numbers {
			numbers[i] = random.Float32() - 0.5
		}
		var raw bytes.Buffer
		if err := binary.Write(&raw, binary.LittleEndian, numbers); err != nil {
			t.Fatal(err)
		}
		tensors = append(tensors, tensor{name, shape, raw.Bytes()})
	}
	add("token_embd.weight", width, uint64(len(words)))
	add("token_types.weight", width, 2)
	add("position_embd.weight", width, context)
	for _, name := range []string{"token_embd_norm", "blk.0.attn_output_norm", "blk.0.layer_output_norm"} {
		add(name+".weight", width)
		add(name+".bias", width)
	}
	for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output", "ffn_up", "ffn_down"} {
		add("blk.0."+name+".weight", width, width)
		add("blk.0."+name+".bias", width)
	}
	return writeGGUF(t, map[string]any{
		"general.architecture": "bert", "general.file_type": uint32(0),
		"bert.block_count": uint32(1), "bert.context_length": uint32(context), "bert.embedding_length": uint32(width), "bert.feed_forward_length": uint32(width),
		"bert.attention.head_count": uint32(2), "bert.attention.layer_norm_epsilon": float32(1e-12), "bert.attention.causal": false, "bert.pooling_type": uint32(1),
		"tokenizer.ggml.model": "bert", "tokenizer.ggml.pre": "default", "tokenizer.ggml.tokens": words, "tokenizer.ggml.token_type": kinds, "tokenizer.ggml.token_type_count": uint32(2),
		"tokenizer.ggml.padding_token_id": uint32(0), "tokenizer.ggml.unknown_token_id": uint32(1), "tokenizer.ggml.cls_token_id": uint32(2),
		"tokenizer.ggml.bos_token_id": uint32(2), "tokenizer.ggml.eos_token_id": uint32(3), "tokenizer.ggml.seperator_token_id": uint32(3),
	}, tensors)
}
