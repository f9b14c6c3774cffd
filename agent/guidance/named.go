package guidance

import (
	"encoding/json"
	"path"
	"slices"

	"github.com/assent-ls/assent/agent/guidance/intent"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/values"
	"github.com/assent-ls/assent/tools"
)

// asNamed is a call that makes a new file at the path that the message names: a small model puts it into any folder.
// The user sees, and is asked about, the call as it is made. other reports that it is another one.
func (g *Guide) asNamed(call toolcall.Call) (made toolcall.Call, other bool) {
	spec, _ := g.spec(call.Name)
	argument, file := spec.Argument(tools.NewFile), g.writtenBy(call)
	if argument == "" || file == "" || slices.Contains(g.files, path.Clean(file)) {
		return call, false
	}
	named, ok := intent.NewFile(g.wants.text, file, g.folders)
	members, err := values.ReadObject(call.Arguments)
	if !ok || err != nil {
		return call, false
	}
	for i := range members {
		if members[i].Key == argument {
			members[i].Value = json.RawMessage(values.Quote(named))
		}
	}
	call.Arguments = values.WriteObject(members)
	return call, true
}
