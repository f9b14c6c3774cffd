package schema

import (
	"encoding/json"
	"slices"

	"github.com/assent-ls/assent/agent/toolcall/values"
)

// object is the schema of the arguments of a tool. Its arguments are in the order in which a model writes them.
type object struct {
	properties []values.Member
	required   []string
}

func readObject(schema json.RawMessage) (object, error) {
	var read struct {
		Properties json.RawMessage
		Required   []string
	}
	if err := json.Unmarshal(schema, &read); err != nil {
		return object{}, err
	}
	properties, err := values.ReadObject(read.Properties)
	return object{properties, read.Required}, err
}

// with is the schema with another one in the place of that of an argument; nil leaves it.
func (o object) with(name string, schema json.RawMessage) object {
	o.properties = slices.Clone(o.properties)
	for i, p := range o.properties {
		if p.Key == name && schema != nil {
			o.properties[i].Value = schema
		}
	}
	return o
}

// without is the schema without an argument.
func (o object) without(name string) object {
	o.properties = slices.DeleteFunc(slices.Clone(o.properties), func(m values.Member) bool { return m.Key == name })
	o.required = slices.DeleteFunc(slices.Clone(o.required), func(r string) bool { return r == name })
	return o
}

// only is the schema of one argument.
func (o object) only(name string) object {
	o.properties = slices.DeleteFunc(slices.Clone(o.properties), func(m values.Member) bool { return m.Key != name })
	o.required = []string{name}
	return o
}

// requiring is the schema with an argument that must be there.
func (o object) requiring(name string) object {
	o.required = append(slices.Clone(o.required), name)
	return o
}

// Requiring is a schema of arguments of which one alone must be there.
func Requiring(schema json.RawMessage, name string) json.RawMessage {
	o, err := readObject(schema)
	if err != nil {
		return schema
	}
	o.required = []string{name}
	return o.json()
}

func (o object) json() json.RawMessage {
	required, _ := json.Marshal(o.required)
	return values.WriteObject([]values.Member{
		{Key: "type", Value: json.RawMessage(`"object"`)},
		{Key: "properties", Value: values.WriteObject(o.properties)},
		{Key: "required", Value: required},
	})
}
