package policy

import (
	"maps"
	"reflect"
	"strings"

	"github.com/assent-ls/assent/tools/effect"
)

// Key is a key of a permissions file.
type Key struct {
	Name, Doc string
	Values    []string // all that it may have; nil: any
}

// ListKeys are the keys of the file itself.
func ListKeys() []Key {
	return []Key{
		{Name: string(Denied), Doc: "What is refused, whatever else allows it."},
		{Name: string(Asked), Doc: "What you are asked about each time, whatever else allows it."},
		{Name: string(Allowed), Doc: "What runs without a question. In a workspace's file it does not count."},
	}
}

// Keys are the keys of a rule, in the order of the fields of Rule.
func Keys() []Key {
	var keys []Key
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Rule]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		key := Key{Name: name, Doc: f.Tag.Get("doc")}
		if f.Type == reflect.TypeFor[effect.Effect]() {
			key.Values = effect.Words()
		}
		keys = append(keys, key)
	}
	return keys
}

func names(keys []Key) []string {
	var out []string
	for _, k := range keys {
		out = append(out, k.Name)
	}
	return out
}

// object is one of JSON.
type object = map[string]any

// Schema is the JSON schema of a permissions file.
func Schema() object {
	texts := object{"type": "array", "items": object{"type": "string", "minLength": 1}}
	call := object{
		"type": "object", "required": []string{"tool"}, "additionalProperties": false,
		"properties": object{
			"tool": object{"type": "string"}, "arguments": object{"type": "object"},
		},
	}
	examples := object{
		"type": "array", "items": object{"anyOf": []any{object{"type": "string"}, call}},
	}
	properties := object{}
	for i, key := range Keys() {
		schema := object{"type": "string", "minLength": 1}
		switch reflect.TypeFor[Rule]().Field(i).Type {
		case reflect.TypeFor[[]string]():
			schema = maps.Clone(texts)
		case reflect.TypeFor[[]Example]():
			schema = maps.Clone(examples)
		}
		if schema["description"] = key.Doc; key.Values != nil {
			schema["enum"] = key.Values
		}
		properties[key.Name] = schema
	}
	lists := object{"$schema": object{"type": "string"}}
	for _, key := range ListKeys() {
		rule := object{
			"type": "object", "properties": properties, "additionalProperties": false, "minProperties": 1,
		}
		lists[key.Name] = object{"type": "array", "description": key.Doc, "items": rule}
	}
	return object{
		"$schema": "http://json-schema.org/draft-07/schema#", "title": "Permissions of Assent",
		"type": "object", "properties": lists, "additionalProperties": false,
	}
}
