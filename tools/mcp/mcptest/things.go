package mcptest

import (
	"fmt"
	"slices"
	"strings"
)

// line is a thing as the tools show it.
func (k *kind) line(t *thing) string {
	parts := []string{"id: " + t.id}
	for i, field := range k.fields {
		if i < len(t.values) && t.values[i] != "" {
			parts = append(parts, field+": "+t.values[i])
		}
	}
	return strings.Join(parts, ", ")
}

func (k *kind) list(given map[string]string) (string, error) {
	var lines []string
	for _, t := range k.things {
		if k.fits(t, given) {
			lines = append(lines, k.line(t))
		}
	}
	if len(lines) == 0 {
		return "There is no such " + k.name + ".", nil
	}
	return strings.Join(lines, "\n"), nil
}

func (k *kind) fits(t *thing, given map[string]string) bool {
	for name, value := range given {
		i := slices.Index(k.fields, name)
		if i < 0 || i >= len(t.values) || !strings.EqualFold(t.values[i], value) {
			return false
		}
	}
	return true
}

// with does something with the thing that is named, and says what it is then.
func (k *kind) with(given map[string]string, said string, do func(*thing)) (string, error) {
	var ids []string
	for _, t := range k.things {
		if strings.EqualFold(t.id, given["id"]) {
			do(t)
			return said + k.line(t), nil
		}
		ids = append(ids, t.id)
	}
	return "", fmt.Errorf("there is no %s %q; there are %s", k.name, given["id"], strings.Join(ids, ", "))
}

func (k *kind) get(given map[string]string) (string, error) {
	return k.with(given, "", func(*thing) {})
}

func (k *kind) create(given map[string]string) (string, error) {
	t := &thing{id: fmt.Sprint(9900 + len(k.things)), values: make([]string, len(k.fields))}
	k.set(t, given)
	k.things = append(k.things, t)
	return "Made: " + k.line(t), nil
}

func (k *kind) update(given map[string]string) (string, error) {
	return k.with(given, "Changed: ", func(t *thing) { k.set(t, given) })
}

func (k *kind) set(t *thing, given map[string]string) {
	for len(t.values) < len(k.fields) {
		t.values = append(t.values, "")
	}
	for i, field := range k.fields {
		if value, is := given[field]; is {
			t.values[i] = value
		}
	}
}

func (k *kind) delete(given map[string]string) (string, error) {
	return k.with(given, "Deleted: ", func(t *thing) {
		k.things = slices.DeleteFunc(k.things, func(other *thing) bool { return other == t })
	})
}
