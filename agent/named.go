package agent

import (
	"encoding/json"
	"path"
	"slices"

	"github.com/assent-ls/assent/agent/intent"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/values"
	"github.com/assent-ls/assent/tools"
)

// asNamed is a call that makes a new file at the path that the message names: a small model puts it into any folder. The user sees, and is asked
// about, the call as it is made. other reports that it is another one.
func (c *help) asNamed(call toolcall.Call) (made toolcall.Call, other bool) {
	spec, _ := c.spec(call.Name)
	argument, file := spec.Argument(tools.NewFile), c.writtenBy(call)
	if argument == "" || file == "" || slices.Contains(c.files, path.Clean(file)) {
		return call, false
	}
	named, ok := intent.NewFile(c.wants.text, file, c.folders)
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
