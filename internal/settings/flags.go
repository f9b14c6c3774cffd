package settings

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// AddFlags registers a flag for every setting that has one.
func AddFlags(fs *pflag.FlagSet) {
	for _, f := range fields() {
		if f.Flag == "" {
			continue
		}
		flag := fs.VarPF(&flagValue{field: f}, f.Flag, "", f.Plain())
		if f.Kind == Boolean {
			flag.NoOptDefVal = "true"
		}
	}
}

// SetFlags takes the flags that were given. fs is one that AddFlags has filled, after Parse.
func (s *Store) SetFlags(fs *pflag.FlagSet) {
	given := layer{}
	fs.Visit(func(flag *pflag.Flag) {
		if v, ok := flag.Value.(*flagValue); ok {
			given[v.field.Name] = v.value
		}
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.layers[Flags] = given
}

// flagValue is a [pflag.Value] that checks what it is given.
type flagValue struct {
	field Field
	value any
}

func (v *flagValue) String() string {
	if v.value != nil {
		return fmt.Sprint(v.value)
	}
	if v.field.Default == nil {
		return ""
	}
	return fmt.Sprint(v.field.Default)
}

func (v *flagValue) Set(text string) error {
	value, err := v.field.parse(text)
	if err != nil {
		return err
	}
	if err := v.field.check(value); err != nil {
		return err
	}
	v.value = value
	return nil
}

// Type is what help shows behind the flag: its choices, or its unit, or its kind.
func (v *flagValue) Type() string {
	switch f := v.field; {
	case f.Choices != nil:
		return strings.Join(f.Names(), "|")
	case f.Unit != "":
		return f.Unit
	default:
		return string(f.Kind)
	}
}
