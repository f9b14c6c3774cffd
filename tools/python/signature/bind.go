package signature

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Bind makes the arguments of the tool's call, an object of JSON, of what a program passes: values by place, then by
// the names of the parameters. Optional parameters that are None are left out; the types of values are the tool's to
// check. The error is one sentence that has the signature, in the words of Python's TypeError.
func (f Function) Bind(places []json.RawMessage, named map[string]json.RawMessage) (json.RawMessage, error) {
	wrong := func(format string, arguments ...any) error {
		return fmt.Errorf("%s() %s: it is %s", f.Name, fmt.Sprintf(format, arguments...), f)
	}
	if len(places) > len(f.Parameters) {
		return nil, wrong("takes %d arguments, not %d", len(f.Parameters), len(places))
	}
	for name := range named {
		if _, known := f.parameter(name); !known {
			return nil, wrong("got an unexpected keyword argument %q", name)
		}
	}
	var missing []string
	var out bytes.Buffer
	out.WriteByte('{')
	for i, p := range f.Parameters {
		value, given := named[p.Name]
		if i < len(places) {
			if given {
				return nil, wrong("got two values for the argument %q", p.Name)
			}
			value, given = places[i], true
		}
		switch {
		case !given && p.Required:
			missing = append(missing, fmt.Sprintf("%q", p.Name))
			continue
		case !given, !p.Required && null(value):
			continue
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		key, err := json.Marshal(p.Argument)
		if err != nil {
			return nil, wrong("has an argument %q without a JSON form", p.Name)
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	if len(missing) > 0 {
		return nil, wrong("misses the argument %s", strings.Join(missing, " and "))
	}
	if !json.Valid(out.Bytes()) {
		return nil, wrong("got a value that is no JSON")
	}
	return out.Bytes(), nil
}

// parameter finds a parameter by its name.
func (f Function) parameter(name string) (Parameter, bool) {
	for _, p := range f.Parameters {
		if p.Name == name {
			return p, true
		}
	}
	return Parameter{}, false
}
