package tooldef

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// maxNodes is how many lists and objects a schema may have once its references are resolved: each may name the same
// part again.
const maxNodes = 5000

// maxNested is how deep they may lie in each other.
const maxNested = 64

// withoutReferences is a schema with the parts in it that its references name. Models read a schema more easily so, and
// one that leads back to itself would have no end.
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

// Depth is how deep lists and objects lie in each other.
func Depth(v any) int {
	deepest := 0
	switch v := v.(type) {
	case map[string]any:
		for _, element := range v {
			deepest = max(deepest, Depth(element))
		}
	case []any:
		for _, element := range v {
			deepest = max(deepest, Depth(element))
		}
	default:
		return 0
	}
	return 1 + deepest
}

type inliner struct {
	root  map[string]any
	nodes int
	bytes int // of keys and strings
}

var errTooLarge = errors.New("it is too large")

// count takes note of a text that the whole schema has.
func (i *inliner) count(text string) error {
	if i.bytes += len(text); i.bytes > maxDefinition {
		return errTooLarge
	}
	return nil
}

// value copies a value; within are the references that led to it.
func (i *inliner) value(v any, within []string, depth int) (any, error) {
	if i.nodes++; i.nodes > maxNodes || depth > maxNested {
		return nil, errTooLarge
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
	case string:
		return v, i.count(v)
	}
	return v, nil
}

// foreign reports whether a key is a reference that is not resolved here. The validator reads keys without regard to
// case, and one that leads back to itself would make it recurse without end.
func foreign(key string) bool {
	return strings.EqualFold(key, "$dynamicRef") || strings.EqualFold(key, "$recursiveRef") ||
		key != "$ref" && strings.EqualFold(key, "$ref")
}

func (i *inliner) object(v map[string]any, within []string, depth int) (any, error) {
	for key := range v {
		if foreign(key) {
			return nil, fmt.Errorf("it has a %s", key)
		}
	}
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
		err := i.count(key)
		if err == nil {
			out[key], err = i.value(element, within, depth+1)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// find is what a reference names in the schema itself. Nothing is fetched.
func (i *inliner) find(ref string) (any, error) {
	fragment, inside := strings.CutPrefix(ref, "#")
	path, err := url.PathUnescape(fragment)
	var at any = i.root
	if err != nil || !inside || path != "" && !strings.HasPrefix(path, "/") {
		return nil, fmt.Errorf("its reference %q is to no part of it", ref)
	}
	for _, name := range strings.Split(path, "/")[1:] {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		if at = step(at, name); at == nil {
			return nil, fmt.Errorf("its reference %q is to no part of it", ref)
		}
	}
	return at, nil
}

// step is what a step of a reference leads to; nil: nothing.
func step(of any, name string) any {
	switch of := of.(type) {
	case map[string]any:
		return of[name]
	case []any:
		if n, err := strconv.Atoi(name); err == nil && n >= 0 && n < len(of) {
			return of[n]
		}
	}
	return nil
}
