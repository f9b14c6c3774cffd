package configfiles_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/lsp/configfiles"
)

// The keys and values of a model server are offered and explained, also while the file is broken.
func TestModelServers(t *testing.T) {
	for _, test := range []struct{ marked, choose, want string }{
		{`{‸}`, "servers", `{"servers": []}`},
		{`{"servers": [{‸}]}`, "name", `{"servers": [{"name": ""}]}`},
		{`{"servers": [{"name": "a", "kind": ‸`, `"vllm"`, `{"servers": [{"name": "a", "kind": "vllm"`},
		{`{"servers": [{"name": "a", "send": ‸}]}`, `"anything"`, `{"servers": [{"name": "a", "send": "anything"}]}`},
		{`{"servers": [{"name": "a", "keyC‸`, "keyCommand", `{"servers": [{"name": "a", "keyCommand": []`},
	} {
		if got := completed(t, configfiles.UserModelServers, test.marked, test.choose); got != test.want {
			t.Errorf("%s at %s:\ngot  %s\nwant %s", test.choose, test.marked, got, test.want)
		}
	}
	text, offset := at(t, `{"servers": [{"na‸me": "a"}]}`)
	if got, _, ok := configfiles.Hover(configfiles.UserModelServers.Schema(), text, offset); !ok || !strings.Contains(got, "**name**\n\nWhat the server is called") {
		t.Errorf("%q, %v", got, ok)
	}
	text = `{"servers": [{"name": "a", "url": "https://h", "key": "sk"}, {"name": "a", "url": "https://h"}]}`
	found := configfiles.DiagnoseModelServers(text)
	if len(found) != 2 || found[0].Severity != configfiles.Warning || text[found[0].Span.Start:found[0].Span.End] != `"key"` ||
		found[1].Severity != configfiles.Error || !strings.Contains(found[1].Message, "another server has this name") {
		t.Errorf("%+v", found)
	}
}
