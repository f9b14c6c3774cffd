package mcp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxNodes is how many lists and objects a schema may have once its references are resolved: each may name the same part again.
const maxNodes = 5000

// maxNested is how deep they may lie in each other.
const maxNested = 64

// withoutReferences is a schema with the parts in it that its references name. Models read a schema more easily so, and one that leads
// back to itself would have no end.
func withoutReferences(root map[string]any) (map[string]any, error) {
	i := inliner{root: root}
	whole, err := i.value(root, nil, 0)
	if err != nil {
		return nil, err
	}
	object, ok := whole.(map[string]any)
	if !ok {
		return nil, errors.New("it is no object")
	}
	delete(object, "$defs")
	delete(object, "definitions")
	delete(object, "$schema")
	return object, nil
}

type inliner struct {
	root  map[string]any
	nodes int
}

// value copies a value; within are the references that led to it.
func (i *inliner) value(v any, within []string, depth int) (any, error) {
	if i.nodes++; i.nodes > maxNodes || depth > maxNested {
		return nil, errors.New("it is too large")
	}
	switch v := v.(type) {
	case map[string]any:
		return i.object(v, within, depth)
	case []any:
		out := make([]any, len(v))
		for n, element := range v {
			var err error
			if out[n], err = i.value(element, within, depth+1); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return v, nil
}

func (i *inliner) object(v map[string]any, within []string, depth int) (any, error) {
	out := map[string]any{}
	if ref, ok := v["$ref"].(string); ok {
		if slices.Contains(within, ref) {
			return nil, fmt.Errorf("its reference %s leads back to itself", ref)
		}
		target, err := i.find(ref)
		if err != nil {
			return nil, err
		}
		whole, err := i.value(target, append(slices.Clone(within), ref), depth+1)
		if err != nil {
			return nil, err
		}
		if object, ok := whole.(map[string]any); ok {
			out = object
		} else if len(v) == 1 {
			return whole, nil
		}
	}
	for key, element := range v {
		if key == "$ref" || depth == 0 && (key == "$defs" || key == "definitions") {
			continue
		}
		var err error
		if out[key], err = i.value(element, within, depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// find is what a reference names in the schema itself. Nothing is fetched.
func (i *inliner) find(ref string) (any, error) {
	path, inside := strings.CutPrefix(ref, "#")
	var at any = i.root
	if !inside || path != "" && !strings.HasPrefix(path, "/") {
		return nil, fmt.Errorf("its reference %q is to no part of it", ref)
	}
	for _, name := range strings.Split(path, "/")[1:] {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		object, ok := at.(map[string]any)
		if at = object[name]; !ok || at == nil {
			return nil, fmt.Errorf("its reference %q is to no part of it", ref)
		}
	}
	return at, nil
}
