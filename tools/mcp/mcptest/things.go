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

func (k *kind) find(id string) (*thing, error) {
	for _, t := range k.things {
		if strings.EqualFold(t.id, id) {
			return t, nil
		}
	}
	var ids []string
	for _, t := range k.things {
		ids = append(ids, t.id)
	}
	return nil, fmt.Errorf("there is no %s %q; there are %s", k.name, id, strings.Join(ids, ", "))
}

func (k *kind) get(given map[string]string) (string, error) {
	t, err := k.find(given["id"])
	if err != nil {
		return "", err
	}
	return k.line(t), nil
}

func (k *kind) create(given map[string]string) (string, error) {
	t := &thing{id: fmt.Sprint(9900 + len(k.things)), values: make([]string, len(k.fields))}
	k.set(t, given)
	k.things = append(k.things, t)
	return "Made: " + k.line(t), nil
}

func (k *kind) update(given map[string]string) (string, error) {
	t, err := k.find(given["id"])
	if err != nil {
		return "", err
	}
	k.set(t, given)
	return "Changed: " + k.line(t), nil
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
	t, err := k.find(given["id"])
	if err != nil {
		return "", err
	}
	k.things = slices.DeleteFunc(k.things, func(other *thing) bool { return other == t })
	return "Deleted: " + k.line(t), nil
}
