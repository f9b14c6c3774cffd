package quirkserver

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// asked is what the server looks at in a request.
type asked struct {
	Model    string        `json:"model"`
	Stream   bool          `json:"stream"`
	Messages []chatMessage `json:"messages"`
	Tools    []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
	ToolChoice     json.RawMessage `json:"tool_choice"`
	ResponseFormat *struct {
		Type   string `json:"type"`
		Schema struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"json_schema"`
	} `json:"response_format"`
	StructuredOutputs *struct {
		JSON json.RawMessage `json:"json"`
	} `json:"structured_outputs"`
	Grammar   string `json:"grammar"`
	MaxTokens int    `json:"max_tokens"`
	Progress  bool   `json:"return_progress"`
}

type chatMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// chat answers a chat: with what is queued, else as the server and a model would.
func (s *Server) chat(w http.ResponseWriter, r *http.Request, body []byte) {
	s.mu.Lock()
	var reply *Reply
	if len(s.replies) > 0 {
		reply, s.replies = &s.replies[0], s.replies[1:]
	}
	s.mu.Unlock()
	if reply != nil {
		reply.write(w, r)
		return
	}
	var a asked
	if err := json.Unmarshal(body, &a); err != nil {
		s.fail(w, http.StatusBadRequest, err.Error())
		return
	}
	count := s.tokens(render(body))
	if s.refuses(w, a, count) {
		return
	}
	if s.has(Truncates) {
		count = min(count, s.Context)
	}
	text, call := s.invent(a)
	s.stream(a, text, call, count).write(w, r)
}

// refuses answers what the server does not accept.
func (s *Server) refuses(w http.ResponseWriter, a asked, count int) bool {
	ignores := s.Kind == LlamaCpp || s.Kind == SGLang || s.Kind == LMStudio // any name will do
	isSystem := func(m chatMessage) bool { return m.Role == "system" }
	switch {
	case !ignores && !slices.Contains(s.Models, a.Model):
		s.fail(w, http.StatusNotFound, fmt.Sprintf("The model `%s` does not exist.", a.Model))
	case slices.ContainsFunc(a.Messages[min(1, len(a.Messages)):], isSystem):
		s.fail(w, http.StatusBadRequest, "System message must be at the beginning.")
	case s.has(NoToolParser) && len(a.Tools) > 0:
		s.fail(w, http.StatusBadRequest,
			`"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`)
	case s.Kind == LMStudio && a.ResponseFormat != nil && a.ResponseFormat.Type != "json_schema":
		s.fail(w, http.StatusBadRequest, "'response_format.type' must be 'json_schema' or 'text'")
	case s.Kind == LMStudio && strings.HasPrefix(string(a.ToolChoice), "{"):
		s.fail(w, http.StatusBadRequest, "Invalid tool_choice type: 'object'.")
	case s.Kind == VLLM && a.MaxTokens > 0 && count <= s.Context && count+a.MaxTokens > s.Context:
		s.fail(w, http.StatusBadRequest, fmt.Sprintf(
			"This model's maximum context length is %d tokens. However, you requested %d output tokens and your "+
				"prompt contains at least %d input tokens, for a total of at least %d tokens. Please reduce the "+
				"length of the input prompt or the number of requested output tokens.",
			s.Context, a.MaxTokens, count, count+a.MaxTokens))
	case count > s.Context && !s.has(Truncates):
		s.overflow(w, count)
	default:
		return false
	}
	return true
}

// overflow refuses a prompt that is too long, in the server's words.
func (s *Server) overflow(w http.ResponseWriter, count int) {
	switch s.Kind {
	case LlamaCpp:
		answer(w, http.StatusBadRequest, object{"error": object{
			"code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": count, "n_ctx": s.Context,
			"message": fmt.Sprintf(
				"request (%d tokens) exceeds the available context size (%d tokens), try increasing it",
				count, s.Context,
			),
		}})
	case SGLang:
		s.fail(w, http.StatusBadRequest, fmt.Sprintf(
			"The input (%d tokens) is longer than the model's context length (%d tokens).", count, s.Context))
	case LMStudio:
		answer(w, http.StatusBadRequest, object{"error": fmt.Sprintf(
			"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: %d>= "+
				"n_ctx: %d). Try to load the model with a larger context length, or provide a shorter input.",
			count, s.Context)})
	default:
		s.fail(w, http.StatusBadRequest, fmt.Sprintf(
			"This model's maximum context length is %d tokens. However, you requested %d tokens in the messages, "+
				"Please reduce the length of the messages.", s.Context, count))
	}
}

// fail answers with an error in the server's form.
func (s *Server) fail(w http.ResponseWriter, status int, text string) {
	switch {
	case s.has(BareErrors):
		answer(w, status, text)
	case s.Kind == VLLM || s.Kind == SGLang:
		answer(w, status, object{
			"object": "error", "message": text, "type": "BadRequestError", "param": nil, "code": status,
		})
	case s.Kind == LMStudio:
		answer(w, status, object{"error": text})
	default:
		answer(w, status, object{"error": object{"message": text, "type": "invalid_request_error", "code": status}})
	}
}

var (
	oneWord = regexp.MustCompile(`"enum":\["([a-z]+)"\]`)
	literal = regexp.MustCompile(`"\\"([a-z]{12})\\""`)
	quoted  = regexp.MustCompile(`\\"([a-z]+)\\"`)
)

// invent is what a model would answer: what the schema wants, a call with the word that the question quotes, or a
// greeting.
func (s *Server) invent(a asked) (text, call string) {
	var schema json.RawMessage
	if a.ResponseFormat != nil && !s.has(IgnoresResponseFormat) {
		schema = a.ResponseFormat.Schema.Schema
	}
	if a.StructuredOutputs != nil && s.Kind == VLLM && !s.has(IgnoresStructuredOutputs) {
		schema = a.StructuredOutputs.JSON
	}
	word := ""
	if m := quoted.FindSubmatch(a.Messages[len(a.Messages)-1].Content); m != nil {
		word = string(m[1])
	}
	m := oneWord.FindSubmatch(schema)
	if takes := s.Kind == LlamaCpp || s.Kind == Gateway; m == nil && takes && !s.has(IgnoresGrammar) {
		m = literal.FindSubmatch([]byte(a.Grammar))
	}
	switch {
	case m != nil:
		return fmt.Sprintf(`{"word":%q}`, m[1]), ""
	case len(a.Tools) == 0 || word == "":
		return "Hello.", ""
	case s.has(MakesNoCalls):
		return fmt.Sprintf(
			"```json\n{\"name\": %q, \"arguments\": {\"word\": %q}}\n```", a.Tools[0].Function.Name, word), ""
	default:
		return "", fmt.Sprintf(`{"word": %q}`, word)
	}
}

// stream is the answer in the server's form, or the whole one if it was not asked to stream.
func (s *Server) stream(a asked, text, call string, count int) Reply {
	usage := object{"prompt_tokens": count, "completion_tokens": max(s.tokens(text+call), 1), "total_tokens": count}
	if s.Kind == LlamaCpp || s.has(TellsCached) {
		usage["prompt_tokens_details"] = object{"cached_tokens": count / 2}
	}
	message := object{"role": "assistant", "content": text}
	if s.Kind == LMStudio {
		message["tool_calls"] = []any{} // always
	}
	reason := "stop"
	if call != "" {
		function := object{"name": a.Tools[0].Function.Name, "arguments": call}
		if s.has(LosesArguments) && a.Stream {
			function["arguments"] = ""
		}
		reason = "tool_calls"
		message["tool_calls"] = []any{object{"index": 0, "id": "0", "type": "function", "function": function}}
	}
	if !a.Stream {
		choice := object{"index": 0, "message": message, "finish_reason": reason}
		return Reply{Body: encoded(object{"object": "chat.completion", "choices": []any{choice}, "usage": usage})}
	}
	var events []string
	add := func(c object) { c["object"] = "chat.completion.chunk"; events = append(events, encoded(c)) }
	delta := func(d object) object {
		return object{"choices": []any{object{"index": 0, "delta": d, "finish_reason": nil}}}
	}
	if s.Kind == LlamaCpp && a.Progress {
		for _, done := range []int{count / 2, count} {
			c := delta(object{"role": "assistant", "content": nil})
			c["prompt_progress"] = object{"total": count, "cache": count / 2, "processed": done, "time_ms": 1}
			add(c)
		}
	}
	add(delta(message))
	add(object{"choices": []any{object{"index": 0, "delta": object{}, "finish_reason": reason}}})
	last := object{"choices": []any{}, "usage": usage}
	if s.Kind == LlamaCpp {
		last["timings"] = object{
			"cache_n": count / 2, "prompt_n": count - count/2, "prompt_ms": 20.5, "predicted_n": 1, "predicted_ms": 10,
		}
	}
	add(last)
	return Reply{Events: append(events, "[DONE]")}
}

func encoded(v any) string {
	text, _ := json.Marshal(v) // of texts and numbers
	return string(text)
}

// write sends the reply.
func (reply Reply) write(w http.ResponseWriter, r *http.Request) {
	maps.Copy(w.Header(), reply.Header)
	if reply.Events != nil && w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	w.WriteHeader(max(reply.Status, http.StatusOK))
	flusher, _ := w.(http.Flusher)
	if flusher != nil {
		flusher.Flush()
	}
	if reply.Before > 0 {
		select {
		case <-time.After(reply.Before):
		case <-r.Context().Done():
			return
		}
	}
	_, _ = io.WriteString(w, reply.Body) // the client may be gone
	for _, event := range reply.Events {
		if _, err := io.WriteString(w, "data: "+event+"\n\n"); err != nil {
			return
		}
		if flusher != nil {
			flusher.Flush()
		}
	}
	if reply.Hang {
		<-r.Context().Done()
	}
}
