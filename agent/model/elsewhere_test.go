package model

import "testing"

func TestElsewhere(t *testing.T) {
	for _, test := range []struct {
		info Info
		want string
	}{
		{Info{Name: "qwen2.5-coder:1.5b"}, ""},
		{Info{Name: "cloud"}, ""},
		{Info{Name: "cloudy:7b"}, ""},
		{Info{Name: "m:cloudy"}, ""},
		{Info{Name: "m-cloud"}, ""}, // no tag: a model of that name
		{Info{Name: "registry:5000/x-cloud"}, ""},
		{Info{Name: "gpt-oss:120b-cloud"}, "ollama.com"},
		{Info{Name: "gpt-oss:cloud"}, "ollama.com"},
		{Info{Name: "gpt-oss:120b:cloud"}, "ollama.com"},
		{Info{Name: "GPT-OSS:120B-CLOUD"}, "ollama.com"},
		{Info{Name: "gpt-oss:cloud "}, "ollama.com"},
		{Info{Name: "gpt-oss: cloud"}, "ollama.com"},
		{Info{Name: "registry:5000/me/m:1b-cloud"}, "ollama.com"},
		{Info{Name: "gpt-oss:120b-cloud", RemoteHost: "https://cloud.lan:443"}, "cloud.lan"},
		{Info{Name: "harmless:1b", RemoteHost: "https://ollama.com:443"}, "ollama.com"},
		{Info{Name: "harmless:1b", RemoteHost: "ollama.com"}, "ollama.com"},
		{Info{Name: "harmless:1b", RemoteHost: "http://[::1"}, "http://[::1"},
	} {
		if got := test.info.Elsewhere(); got != test.want {
			t.Errorf("%q at %q: %q, want %q", test.info.Name, test.info.RemoteHost, got, test.want)
		}
	}
}
