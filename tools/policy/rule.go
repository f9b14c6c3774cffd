package policy

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/tools/effect"
)

// Rule says which calls it is about: those for which all of its fields hold that are given. The zero value is about
// none.
type Rule struct {
	Tool     string        `json:"tool,omitempty" doc:"The name of a tool, or * for all of them."`
	Origin   string        `json:"origin,omitempty" doc:"Where the tool comes from, such as \"server notes\". A rule that allows and does not say is about Assent's own tools, and if it names a tool, about yours; one that denies or asks, about all."`
	Effect   effect.Effect `json:"effect,omitempty" doc:"What the tool does."`
	Paths    []string      `json:"paths,omitempty" doc:"Globs of files and folders, relative to the workspace: * is within a name, ** is any folders. A rule that allows is about calls all of whose paths fit, one that denies or asks about those with one that does."`
	Command  string        `json:"command,omitempty" doc:"A program and its arguments, as a shell splits them: all literal, but * is one word, and ** at the end is any further words."`
	Host     string        `json:"host,omitempty" doc:"The host that is asked, such as example.org; *.example.org is those below it."`
	Hosts    []string      `json:"hosts,omitempty" doc:"In a rule that allows a command: the hosts that it may reach, such as example.org or example.org:8443, on the copy on which it then runs. Each program of a line needs such a rule. A port that is not named is 443 or 80."`
	Database string        `json:"database,omitempty" doc:"The database that is asked, by its name in your databases.json."`
	Note     string        `json:"note,omitempty" doc:"Why the rule is here. It is shown with the rule."`
	Match    []Example     `json:"match,omitempty" doc:"Examples of what the rule is about, checked when the file is read: command lines or paths, or calls as {\"tool\", \"arguments\"}."`
	NotMatch []Example     `json:"not_match,omitempty" doc:"Examples of what the rule is not about, checked likewise."`
}

// List is what a rule says about its calls: the name of the list that it is in.
type List string

// The lists, the strictest first.
const (
	Denied  List = "deny"
	Asked   List = "ask"
	Allowed List = "allow"
)

// lists are all of them.
var lists = []List{Denied, Asked, Allowed}

// Example is a command line, a path, or a call of a tool.
type Example struct {
	Text      string          `json:"-"` // of a command or a path; empty: it is a call
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// exampleCall is an example that is a call: it is written as it is.
type exampleCall Example

// MarshalJSON writes an example as it was read.
func (e Example) MarshalJSON() ([]byte, error) {
	if e.Text != "" {
		return json.Marshal(e.Text)
	}
	return json.Marshal(exampleCall(e))
}

// UnmarshalJSON reads an example.
func (e *Example) UnmarshalJSON(data []byte) error {
	*e = Example{}
	if bytes.HasPrefix(data, []byte(`"`)) {
		return json.Unmarshal(data, &e.Text)
	}
	var call exampleCall
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&call); err != nil || call.Tool == "" {
		return errors.New(`an example is a text, or a call as {"tool": NAME, "arguments": {}}`)
	}
	*e = Example(call)
	return nil
}

// Key names a rule of a list by what it says, notes and examples aside: equal rules have equal keys wherever they
// are.
func (r Rule) Key(list List) string {
	r.Note, r.Match, r.NotMatch = "", nil, nil
	text, err := json.Marshal(r)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(append([]byte(string(list)+" "), text...))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}

// isEmpty reports whether a rule says nothing of the calls that it is about.
func (r Rule) isEmpty() bool {
	return r.Tool == "" && r.Origin == "" && r.Effect == "" && r.isBare()
}

// isBare reports whether a rule says nothing of a call but its tool.
func (r Rule) isBare() bool {
	return len(r.Paths) == 0 && r.Command == "" && r.Host == "" && r.Database == ""
}

// namesTool reports whether a rule is about one tool alone.
func (r Rule) namesTool() bool { return r.Tool != "" && r.Tool != "*" }

// isOfAnyFileTool reports whether a rule is about files at most, whichever tool reaches them.
func (r Rule) isOfAnyFileTool() bool {
	r.Paths = nil
	return !r.namesTool() && r.Origin == "" && r.isBare()
}

// Explain says in words which calls a rule is about: "edit_file below src/**".
func (r Rule) Explain() string {
	words := []string{"all calls"}
	switch {
	case r.namesTool():
		words[0] = r.Tool
		if r.Effect != "" {
			words = append(words, "("+string(r.Effect)+")")
		}
	case r.Effect != "":
		words[0] = "all that " + string(r.Effect)
	}
	for _, part := range []struct{ format, of string }{
		{"of %s", r.Origin},
		{"`%s`", r.Command},
		{"on %s", strings.Join(r.Paths, ", ")},
		{"from %s", r.Host},
		{"reaching %s", strings.Join(r.Hosts, ", ")},
		{"on the database %s", r.Database},
	} {
		if part.of != "" {
			words = append(words, fmt.Sprintf(part.format, part.of))
		}
	}
	return strings.Join(words, " ")
}
