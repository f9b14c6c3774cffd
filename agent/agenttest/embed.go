package agenttest

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// embed answers with the vectors of texts, or what the script sends in their place.
func (s *Server) embed(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Model   string
		Input   []string
		Options map[string]any
	}
	m := s.model(w, r, &body, &body.Model)
	if m == nil || !s.load(r.Context(), m, &chatBody{Options: body.Options}) {
		return
	}
	delay := s.script.embed.delay
	if s.script.embed.word == "each" {
		delay *= time.Duration(len(body.Input))
	}
	if !pause(r.Context(), delay) {
		return
	}
	switch s.script.embed.word {
	case "hang":
		<-r.Context().Done()
	case "error":
		fail(w, http.StatusInternalServerError, s.script.embed.text)
	case "raw":
		_, _ = io.WriteString(w, s.script.embed.text) // a client that went away needs no answer
	default:
		vectors := [][]float32{}
		for _, text := range body.Input {
			vectors = append(vectors, s.script.vector(text))
		}
		reply(w, http.StatusOK, map[string]any{"model": m.name, "embeddings": vectors})
	}
}

// vector counts the words of a text, each at a place of its own, or at that of all that mean the same. It is never
// zero.
func (s *Script) vector(text string) []float32 {
	v := make([]float32, s.size)
	v[0] = 0.01
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if i := slices.IndexFunc(s.means, func(same []string) bool { return slices.Contains(same, word) }); i >= 0 {
			word = s.means[i][0]
		}
		sum := sha256.Sum256([]byte(word))
		v[int(binary.BigEndian.Uint16(sum[:]))%s.size]++
	}
	return v
}
