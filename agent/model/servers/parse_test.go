package servers_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/model/servers"
)

// said are the problems of a text, with the words that they are about.
func said(text string, problems []servers.Problem) string {
	var out []string
	for _, p := range problems {
		kind := "error"
		if p.Warning {
			kind = "warning"
		}
		out = append(out, fmt.Sprintf("%s at %s: %s", kind, text[p.Offset:p.Offset+p.Length], p.Reason))
	}
	return strings.Join(out, "\n")
}

func TestParse(t *testing.T) {
	list, problems := servers.Parse([]byte(`{
  // the box under the desk
  "servers": [
    {"name": "box", "url": "http://127.0.0.1:8080", "slots": 2},
    {"name": "work", "url": "https://llm.example/v1", "kind": "vllm", "key": "${env:WORK_KEY}",
     "headers": {"X-Team": "blue"}, "ca": "~/work.pem", "context": 32768, "send": ["~/work"]},
    {"name": "pipe", "socket": "/run/llama.sock", "kind": "llamacpp", "keyCommand": ["pass", "show", "pipe"]},
    {"name": "gpu", "url": "https://gpu.example", "send": "anything"},
  ],
}`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := []servers.Declaration{
		{Name: "box", URL: "http://127.0.0.1:8080", Kind: servers.Auto, Slots: 2},
		{
			Name: "work", URL: "https://llm.example/v1", Kind: servers.VLLM, Key: "${env:WORK_KEY}",
			Headers: map[string]string{"X-Team": "blue"}, CA: "~/work.pem", Context: 32768,
			Send: servers.Send{Folders: []string{"~/work"}},
		},
		{
			Name: "pipe", Socket: "/run/llama.sock", Kind: servers.LlamaCpp,
			KeyCommand: []string{"pass", "show", "pipe"},
		},
		{Name: "gpu", URL: "https://gpu.example", Kind: servers.Auto, Send: servers.Send{Word: servers.SendAnything}},
	}
	if !reflect.DeepEqual(list, want) {
		t.Errorf("%+v", list)
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	const good = `{"name": "a", "url": "http://127.0.0.1:1"}`
	for _, test := range []struct {
		entries string
		want    string // what is said
		used    int    // how many servers are left
	}{
		{`{"name": "a", "ulr": "http://h"}`, `error at "ulr": the server "a" is left out: there is no key "ulr": did you mean "url"?`, 0},
		{`{"name": "a", "url": "http://h", "colour": 1}`, `error at "colour": the server "a" is left out: there is no key "colour"; the keys are name, url,`, 0},
		{good + `, {"name": "a", "url": "http://127.0.0.1:2"}`, `error at {"name": "a", "url": "http://127.0.0.1:2"}: the server "a" is left out: another server has this name: give each its own`, 1},
		{`{"name": "a", "url": "https://h", "key": "sk-1234"}`, `warning at "key": the server "a": the key is in clear text: put it into a file of your own and write ${file:~/PATH}`, 1},
		{`{"name": "a", "url": "http://h", "key": "${env:K}"}`, `warning at "url": the server "a": the key and your chats can be read on the way to h: use https://`, 1},
		{`{"name": "a", "url": "http://localhost:1", "send": "anything"}`, `warning at "send": the server "a": send means nothing for a server on this machine`, 1},
		{`{"name": "A b", "url": "http://h"}`, `error at "name": the server "A b" is left out: name must begin with a small letter`, 0},
		{`{"url": "http://h"}`, `the server number 1 is left out: name must begin`, 0},
		{`{"name": "a"}`, `url is missing: where the server answers`, 0},
		{`{"name": "a", "url": "ftp://h"}`, `error at "url": the server "a" is left out: url must be http://HOST:PORT`, 0},
		{`{"name": "a", "url": "http://u:secretword@h"}`, `url must have no user and no password: write the key into key`, 0},
		{`{"name": "a", "url": "http://h?key=secretword"}`, `url must have no query`, 0},
		{`{"name": "a", "url": "http://h", "socket": "/s"}`, `url and socket exclude each other`, 0},
		{`{"name": "a", "socket": "s"}`, `socket must be a path from / or ~/ on`, 0},
		{`{"name": "a", "url": "http://h", "kind": "llama"}`, `error at "kind": the server "a" is left out: kind must be auto, ollama, llamacpp`, 0},
		{`{"name": "a", "url": "http://h", "slots": "two"}`, `error at "slots": the server "a" is left out: slots must not be a JSON string`, 0},
		{`{"name": "a", "url": "http://h", "slots": 1000}`, `slots must be 0 to 64`, 0},
		{`{"name": "a", "url": "http://h", "send": "all"}`, `send must be "ask", "anything", or a list of folders`, 0},
		{`{"name": "a", "url": "http://h", "send": 3}`, `error at "send": the server "a" is left out: send must not be a JSON`, 0},
		{`{"name": "a", "url": "http://h", "send": ["work"]}`, `"work" must be a path from / or ~/ on`, 0},
		{`{"name": "a", "url": "http://h", "send": []}`, `send lists no folder`, 0},
		{`{"name": "a", "url": "http://h", "key": "${env:K}", "keyCommand": ["p"]}`, `key and keyCommand exclude each other`, 0},
		{`{"name": "a", "url": "http://h", "keyCommand": []}`, `keyCommand must be a program and its arguments`, 0},
		{`{"name": "a", "url": "http://h", "headers": {"authorization": "x"}}`, `headers must not have Authorization: that is what key is for`, 0},
		{`{"name": "a", "url": "https://h", "certificate": "/c"}`, `certificate and certificateKey need each other`, 0},
		{`{"name": "a", "url": "http://h", "ca": "/c"}`, `a certificate means something for a url that begins with https:// alone`, 0},
		{`{"name": "a", "url": "http://h\u202e"}`, `it holds characters that cannot be seen`, 0},
		{`3, ` + good, `error at 3: the server number 1 is left out: it must be an object such as`, 1},
	} {
		text := `{"servers": [` + test.entries + `]}`
		list, problems := servers.Parse([]byte(text))
		got := said(text, problems)
		if !strings.Contains(got, test.want) || len(list) != test.used {
			t.Errorf("%s:\n got %s (%d servers)\nwant %s (%d)", test.entries, got, len(list), test.want, test.used)
		}
		if strings.Contains(strings.ReplaceAll(got, test.entries, ""), "secretword") {
			t.Errorf("a secret is repeated: %s", got)
		}
	}
	for text, want := range map[string]string{
		`{"server": []}`: `there is no key "server" here; list the servers below "servers"`, `{"servers": {}}`: "servers must be a list of servers",
		`[]`: `it holds no object such as {"servers": []}`, `{"servers": [}`: "",
	} {
		if list, problems := servers.Parse([]byte(text)); len(list) > 0 || len(problems) == 0 || !strings.Contains(said(text, problems), want) {
			t.Errorf("%s: %v, %s", text, list, said(text, problems))
		}
	}
}
