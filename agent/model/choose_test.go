package model

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

const gib = 1 << 30

// Invariant 16.
func TestChoose(t *testing.T) {
	coder := Info{Name: "qwen2.5-coder:1.5b", Family: "qwen2", Parameters: "1.5B", Bytes: gib, Capabilities: chatTools}
	big := Info{Name: "llama3.1:70b", Family: "llama", Parameters: "70.6B", Bytes: 40 * gib, Capabilities: chatTools}
	middle := Info{Name: "llama3.1:8b", Family: "llama", Parameters: "8.0B", Bytes: 5 * gib, Capabilities: chatTools}
	unknown := Info{Name: "newcomer:13b", Family: "newcomer", Parameters: "13B", Bytes: 7 * gib, Capabilities: chat}
	embedding := Info{Name: "nomic-embed-text:latest", Family: "nomic-bert", Parameters: "137M", Bytes: gib / 4, Capabilities: []string{"embedding"}}
	oldEmbedding := Info{Name: "bge-m3", Family: "bert", Parameters: "567M", Bytes: gib}
	cloud := Info{Name: "gpt-oss:120b-cloud", Family: "gptoss", Parameters: "116.8B", Bytes: 400, Capabilities: chatTools}
	remote := Info{Name: "far:120b", Parameters: "116.8B", Bytes: 400, Capabilities: chatTools, RemoteHost: "https://ollama.com"}
	unlabelled := Info{Name: "mistral:7b", Family: "llama", Parameters: "7B", Bytes: 4 * gib}

	for _, test := range []struct {
		name   string
		models []Info
		memory int64
		want   string
		reason string
	}{
		{"the largest that fits", []Info{coder, big, middle}, 16 * gib, middle.Name, "the largest installed chat model known to call tools that fits in 16.0 GiB of memory"},
		{"memory unknown", []Info{coder, big, middle}, 0, big.Name, "the largest"},
		{"only small fits", []Info{coder, big, middle}, 4 * gib, coder.Name, "fits in 4.0 GiB"},
		{"alone, and it fits", []Info{coder, embedding}, 4 * gib, coder.Name, "the only installed chat model"},
		{"loaded, so it fits", []Info{coder, {Name: "z:70b", Family: "llama", Parameters: "70.6B", Bytes: 40 * gib, LoadedBytes: 42 * gib, Capabilities: chatTools}}, 4 * gib, "z:70b", "the largest installed chat model known to call tools that is loaded"},
		{"none fits", []Info{big, middle}, gib, middle.Name, "the smallest installed chat model; none fits in 1.0 GiB"},
		{"tools before size", []Info{unknown, middle}, 16 * gib, middle.Name, "tools"},
		{"not tools, but alone", []Info{unknown, embedding}, 0, unknown.Name, "the only installed chat model"},
		{"never an embedding", []Info{embedding, oldEmbedding, coder}, 0, coder.Name, "the only"},
		{"never elsewhere", []Info{cloud, remote, coder}, 0, coder.Name, "the only"},
		{"known by name without capabilities", []Info{unknown, unlabelled}, 0, unlabelled.Name, "tools"},
		{"a margin for the context", []Info{middle, coder}, 5 * gib, coder.Name, ""},
		{"loaded before not loaded", []Info{middle, {Name: "z:8b", Family: "llama", Parameters: "8.0B", Bytes: 4 * gib, LoadedBytes: gib, Capabilities: chatTools}}, 0, "z:8b", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range 2 { // the order of the list does not matter
				got, reason, err := Choose(test.models, test.memory)
				if err != nil || got.Name != test.want || !strings.Contains(reason, test.reason) {
					t.Errorf("got %s, %q, %v; want %s, %q", got.Name, reason, err, test.want, test.reason)
				}
				slices.Reverse(test.models)
			}
		})
	}

	for _, none := range [][]Info{nil, {embedding, oldEmbedding}, {cloud}} {
		_, _, err := Choose(none, 0)
		if failure := (*Error)(nil); !errors.As(err, &failure) || failure.Kind != NotInstalled || !strings.Contains(failure.Sentence, "ollama pull ") {
			t.Errorf("of %d models without chat: %v", len(none), err)
		}
	}
}

func TestBillions(t *testing.T) {
	for _, test := range []struct {
		info Info
		want float64
	}{
		{Info{Parameters: "1.5B"}, 1.5},
		{Info{Parameters: "30.5b "}, 30.5},
		{Info{Parameters: "270M"}, 0.27},
		{Info{Parameters: "8x7B"}, 56},
		{Info{Parameters: "1T"}, 1000},
		{Info{Parameters: "x", Bytes: 650_000_000}, 1},
		{Info{Parameters: "-3B"}, 0},
		{Info{}, 0},
	} {
		if got := billions(test.info); got != test.want {
			t.Errorf("%+v: %g, want %g", test.info, got, test.want)
		}
	}
}

func TestChooseContext(t *testing.T) {
	for _, test := range []struct {
		name    string
		setting int
		info    Info
		want    int
	}{
		{"the default", 0, Info{ContextLimit: 32768}, 8192},
		{"nothing known", 0, Info{}, 8192},
		{"a small model", 0, Info{ContextLimit: 2048}, 2048},
		{"loaded with more", 0, Info{ContextLimit: 32768, LoadedContext: 16384}, 16384},
		{"loaded with less", 0, Info{ContextLimit: 32768, LoadedContext: 4096}, 8192},
		{"the user's word", 4096, Info{ContextLimit: 32768, LoadedContext: 16384}, 4096},
		{"the user's word above the limit", 65536, Info{ContextLimit: 32768}, 32768},
		{"a senseless setting", -1, Info{ContextLimit: 32768}, 8192},
	} {
		if got := ChooseContext(test.setting, test.info); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

// Invariant 4.
func TestPins(t *testing.T) {
	var pins Pins
	model := Info{Name: "Qwen2.5:latest", ContextLimit: 32768}
	if got := pins.Pin(0, model); got != 8192 {
		t.Fatalf("first: %d", got)
	}
	model.Name, model.LoadedContext = "qwen2.5", 16384
	if got := pins.Pin(4096, model); got != 8192 {
		t.Errorf("the pin moved to %d", got)
	}
	if got := pins.Pin(4096, Info{Name: "other"}); got != 4096 {
		t.Errorf("another model: %d", got)
	}
	done := make(chan int)
	for range 8 {
		go func() { done <- pins.Pin(2048, Info{Name: "contended"}) }()
	}
	for range 8 {
		if got := <-done; got != 2048 {
			t.Errorf("concurrent: %d", got)
		}
	}
}
