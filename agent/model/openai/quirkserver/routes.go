package quirkserver

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
)

// template is the chat template that llama.cpp's server tells of.
const template = "{%- if tools %}<tools>{% endif %}{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}" +
	"<|im_end|>\n{% endfor %}"

// route answers what is no chat, as the server does.
func (s *Server) route(w http.ResponseWriter, r *http.Request, body []byte) {
	path := r.URL.Path
	switch {
	case path == "/v1/models":
		s.list(w)
	case s.Kind == LlamaCpp && path == "/props":
		answer(w, http.StatusOK, object{
			"default_generation_settings": object{"n_ctx": s.Context}, "total_slots": s.Slots,
			"chat_template":      template,
			"chat_template_caps": object{"supports_tools": true}, "modalities": object{"vision": false, "audio": false},
			"build_info": "b11669-abc", "model_path": s.Models[0],
		})
	case s.Kind == LlamaCpp && path == "/slots" && !s.has(NoSlots):
		answer(w, http.StatusOK, s.listSlots())
	case s.Kind == LlamaCpp && path == "/apply-template":
		answer(w, http.StatusOK, object{"prompt": render(body)})
	case s.Kind == LlamaCpp && path == "/tokenize":
		var asked struct {
			Content string `json:"content"`
		}
		_ = json.Unmarshal(body, &asked) // an empty text has no tokens
		answer(w, http.StatusOK, object{"tokens": make([]int, s.tokens(asked.Content))})
	case s.Kind == VLLM && path == "/tokenize":
		answer(w, http.StatusOK, object{"count": s.tokens(render(body)), "max_model_len": s.Context, "tokens": []int{}})
	case s.Kind == VLLM && path == "/version":
		answer(w, http.StatusOK, object{"version": "0.17.0"})
	case s.Kind == SGLang && path == "/get_server_info":
		answer(w, http.StatusOK, object{
			"model_path": s.Models[0], "max_running_requests": s.Slots, "version": "0.5.20", "context_length": nil,
		})
	case s.Kind == LMStudio && strings.HasPrefix(path, "/api/v0/models"):
		s.studio(w)
	case s.Kind == Ollama && path == "/api/version":
		answer(w, http.StatusOK, object{"version": "0.34.3"})
	default:
		s.unknown(w, r)
	}
}

// unknown answers a route that the server does not have.
func (s *Server) unknown(w http.ResponseWriter, r *http.Request) {
	switch s.Kind {
	case LMStudio: // with success
		answer(w, http.StatusOK, object{"error": "Unexpected endpoint or method: " + r.Method + " " + r.URL.Path})
	case LlamaCpp:
		answer(w, http.StatusNotFound, object{
			"error": object{"code": 404, "message": "File Not Found", "type": "not_found_error"},
		})
	case Ollama:
		http.NotFound(w, r)
	default:
		answer(w, http.StatusNotFound, object{"detail": "Not Found"})
	}
}

// list is the list of models, with what each server tells of them.
func (s *Server) list(w http.ResponseWriter) {
	data := []object{}
	for _, id := range s.Models {
		row := object{"id": id, "object": "model", "created": 1700000000}
		if !s.has(NoOwners) {
			row["owned_by"] = map[string]string{
				LlamaCpp: "llamacpp", VLLM: "vllm", SGLang: "sglang", LMStudio: "organization_owner",
				Gateway: "openai", Ollama: "library",
			}[s.Kind]
		}
		switch {
		case s.has(StripsContext):
		case s.Kind == LlamaCpp:
			row["meta"] = object{
				"n_ctx": s.Context, "n_ctx_train": 131072, "n_params": 1543714304, "size": 1117320736,
				"n_vocab": 151936,
			}
		case s.Kind == VLLM || s.Kind == SGLang:
			row["max_model_len"], row["root"] = s.Context, id
		case s.Kind == Gateway && s.has(RenamesContext):
			row["max_input_tokens"] = s.Context
		}
		data = append(data, row)
	}
	answer(w, http.StatusOK, object{"object": "list", "data": data})
}

// studio is LM Studio's own list: only the first model is loaded.
func (s *Server) studio(w http.ResponseWriter) {
	data := []object{}
	for i, id := range s.Models {
		row := object{
			"id": id, "object": "model", "type": "llm", "arch": "qwen2", "quantization": "Q4_K_M", "state": "not-loaded",
			"max_context_length": 131072,
		}
		if i == 0 {
			row["state"], row["loaded_context_length"] = "loaded", s.Context
		}
		data = append(data, row)
	}
	answer(w, http.StatusOK, object{"object": "list", "data": data})
}

// render writes the prompt of a request.
func render(body []byte) string {
	var asked struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools json.RawMessage `json:"tools"`
	}
	_ = json.Unmarshal(body, &asked) // a body that is no JSON has no messages
	var prompt strings.Builder
	prompt.Write(asked.Tools)
	for _, m := range asked.Messages {
		prompt.WriteString("<|im_start|>" + m.Role + "\n" + string(m.Content) + "<|im_end|>\n")
	}
	return prompt.String()
}

// tokens counts as a tokenizer would, about.
func (s *Server) tokens(text string) int { return int(float64(len(text)+3) / 4 * cmp.Or(s.Dense, 1)) }
