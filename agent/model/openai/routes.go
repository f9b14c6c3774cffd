package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
)

// row is a model in the list of a server, in the words of all of them.
type row struct {
	ID    string `json:"id"`
	Owner string `json:"owned_by"`
	Root  string `json:"root"`
	// The context, in the order in which they count: some gateways rename it.
	MaxModelLen    int `json:"max_model_len"`
	MaxInputTokens int `json:"max_input_tokens"`
	ContextLength  int `json:"context_length"`
	Meta           struct {
		Context    int     `json:"n_ctx"`
		Parameters float64 `json:"n_params"`
		Size       float64 `json:"size"`
		Vocabulary int     `json:"n_vocab"`
	} `json:"meta"` // of llama.cpp's server
	Status struct {
		Value string `json:"value"`
	} `json:"status"` // of llama.cpp's server for several models
	// What LM Studio tells.
	Type         string   `json:"type"`
	Arch         string   `json:"arch"`
	Quantization string   `json:"quantization"`
	State        string   `json:"state"`
	MaxContext   int      `json:"max_context_length"`
	Loaded       int      `json:"loaded_context_length"`
	Can          []string `json:"capabilities"`

	shown string // what people call it
}

// props are what llama.cpp's server tells of a model.
type props struct {
	Settings struct {
		Context int `json:"n_ctx"` // of each slot
	} `json:"default_generation_settings"`
	Slots    int            `json:"total_slots"`
	Template string         `json:"chat_template"`
	Caps     map[string]any `json:"chat_template_caps"`
	Modes    map[string]any `json:"modalities"`
	Build    string         `json:"build_info"`
}

// serverInfo is what SGLang tells of itself.
type serverInfo struct {
	Path    string `json:"model_path"`
	Slots   int    `json:"max_running_requests"`
	Context int    `json:"context_length"`
	Version string `json:"version"`
	Image   bool   `json:"has_image_understanding"`
	Audio   bool   `json:"has_audio_understanding"`
}

// props asks llama.cpp's server about a model. It does not load one for that.
func (c *connection) props(ctx context.Context, id string) (props, error) {
	var p props
	err := c.get(ctx, c.ofModel("/props", id), &p)
	return p, err
}

// ofModel is the URL at which llama.cpp's server tells something of a model, without loading it; an empty id is the one
// that it has.
func (c *connection) ofModel(path, id string) string {
	if id == "" {
		return c.root + path
	}
	return c.root + path + "?autoload=false&model=" + url.QueryEscape(id)
}

// serverInfo asks SGLang about itself, by the names that its versions have for that.
func (c *connection) serverInfo(ctx context.Context) serverInfo {
	var s serverInfo
	for _, paths := range [][]string{{"/server_info", "/get_server_info"}, {"/model_info", "/get_model_info"}} {
		for _, path := range paths {
			if c.get(ctx, c.root+path, &s) == nil && s.Path != "" {
				break
			}
		}
	}
	return s
}

// version asks vLLM for its version.
func (c *connection) version(ctx context.Context) string {
	var answer struct {
		Version string `json:"version"`
	}
	if c.get(ctx, c.root+"/version", &answer) != nil {
		return ""
	}
	return answer.Version
}

// rows asks for the list of models.
func (c *connection) rows(ctx context.Context) ([]row, error) {
	return c.rowsAt(ctx, c.api+"/models")
}

func (c *connection) rowsAt(ctx context.Context, address string) ([]row, error) {
	text, err := c.ask(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	if text = bytes.TrimSpace(text); text[0] == '[' { // some gateways leave the rest out
		text = slices.Concat([]byte(`{"data":`), text, []byte("}"))
	}
	if err := decode(text, &list); err != nil {
		return nil, err
	}
	if list.Data == nil {
		return nil, errNoReply
	}
	var rows []row
	seen := map[string]bool{} // a gateway lists a model once for each server that has it
	for _, raw := range list.Data {
		var r row
		if _ = json.Unmarshal(raw, &r); r.ID != "" && !seen[r.ID] { // what is of another type stays zero
			rows, seen[r.ID] = append(rows, r), true
		}
	}
	return rows, nil
}

// studioRows asks LM Studio for its own list, which says more.
func (c *connection) studioRows(ctx context.Context) ([]row, error) {
	rows, err := c.rowsAt(ctx, c.root+"/api/v0/models")
	return slices.DeleteFunc(rows, func(r row) bool { return r.State == "" }), err
}

func (c *connection) isLlamaCpp(ctx context.Context) bool {
	p, err := c.props(ctx, "")
	return err == nil && (p.Settings.Context > 0 || p.Build != "" || p.Slots > 0)
}

func (c *connection) isOllama(ctx context.Context) bool {
	var answer map[string]any
	if c.get(ctx, c.root+"/api/version", &answer) != nil {
		return false
	}
	_, has := answer["version"].(string)
	return has && len(answer) == 1 // others have that route, too, and say more there
}

func (c *connection) isLMStudio(ctx context.Context) bool {
	rows, err := c.studioRows(ctx)
	return err == nil && len(rows) > 0
}

func (c *connection) isSGLang(ctx context.Context) bool {
	return c.serverInfo(ctx).Path != ""
}

func (c *connection) isVLLM(ctx context.Context) bool {
	rows, err := c.rows(ctx)
	return err == nil && len(rows) > 0 && rows[0].MaxModelLen > 0 && c.version(ctx) != ""
}
