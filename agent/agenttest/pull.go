package agenttest

import (
	"encoding/json"
	"net/http"
)

// has reports whether a model is installed.
func (s *Server) has(m *installed) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !m.missing || s.pulled[m.name]
}

// pull fetches a missing model in two halves, as the script says.
func (s *Server) pull(w http.ResponseWriter, r *http.Request) {
	var body struct{ Model string }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	m := s.script.find(body.Model)
	if m == nil {
		fail(w, http.StatusInternalServerError, "pull model manifest: file does not exist")
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	line := func(fields map[string]any) {
		_ = json.NewEncoder(w).Encode(fields) // a client that went away needs no answer
		_ = http.NewResponseController(w).Flush()
	}
	part := func(completed int64) {
		line(map[string]any{
			"status": "pulling 5ee4f07cdb9b", "digest": "sha256:5ee4f07cdb9b", "total": m.bytes, "completed": completed,
		})
	}
	line(map[string]any{"status": "pulling manifest"})
	part(0)
	part(m.bytes / 2)
	for _, step := range m.pulling {
		switch step.word {
		case "hold":
			if !s.hold(r.Context()) {
				return
			}
		case "pause":
			if !pause(r.Context(), step.delay) {
				return
			}
		case "line":
			_, _ = w.Write([]byte(step.text + "\n"))
		case "error":
			line(map[string]any{"error": step.text})
			return
		case "cut":
			panic(http.ErrAbortHandler)
		case "end":
			return
		}
	}
	part(m.bytes)
	line(map[string]any{"status": "verifying sha256 digest"})
	s.change(func() { s.pulled[m.name] = true })
	line(map[string]any{"status": "success"})
}
