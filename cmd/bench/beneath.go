package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

var errNothingBeneath = errors.New("no llama-server was found beneath Ollama on this machine")

// llamaServer is the process by which Ollama runs a model. Ollama does not tell how much of a prompt was read again;
// this server does. Each time that a model is loaded it is another process.
type llamaServer struct {
	process string // its number
	address string
}

// beneath finds the one that an Ollama server on this machine has started.
func beneath(host string) (llamaServer, error) {
	at, err := url.Parse(host)
	if err != nil {
		return llamaServer{}, err
	}
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return llamaServer{}, err
	}
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil {
			continue // it ended meanwhile
		}
		args := strings.Split(string(line), "\x00")
		port := slices.Index(args, "--port")
		if filepath.Base(args[0]) != "llama-server" || port < 0 || port+1 >= len(args) ||
			!servesAt(filepath.Dir(file), at.Host) {
			continue
		}
		return llamaServer{filepath.Base(filepath.Dir(file)), "http://127.0.0.1:" + args[port+1]}, nil
	}
	return llamaServer{}, errNothingBeneath
}

// servesAt reports whether a process was started by an Ollama server with this address: it has its environment.
func servesAt(process, address string) bool {
	environment, err := os.ReadFile(filepath.Join(process, "environ"))
	if err != nil {
		return false
	}
	for pair := range strings.SplitSeq(string(environment), "\x00") {
		if value, ok := strings.CutPrefix(pair, "OLLAMA_HOST="); ok {
			return strings.TrimPrefix(cmp.Or(value, "127.0.0.1:11434"), "http://") == address
		}
	}
	return address == "127.0.0.1:11434"
}

// reading is what a llama-server says about the prompt that it has read, while it writes.
type reading struct {
	All  int  `json:"n_prompt_tokens"`
	Read int  `json:"n_prompt_tokens_processed"`
	Busy bool `json:"is_processing"`
}

// reading asks what was read for the reply that is being written.
func (l llamaServer) reading(ctx context.Context) (reading, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var slots []reading
	if err := askJSON(ctx, http.MethodGet, l.address+"/slots", nil, &slots); err != nil {
		return reading{}, fmt.Errorf("the llama-server does not tell of its slots: %w", err)
	}
	i := slices.IndexFunc(slots, func(s reading) bool { return s.Busy })
	if i < 0 {
		return reading{}, errors.New("the reply was over before the llama-server could be asked")
	}
	return slots[i], nil
}
