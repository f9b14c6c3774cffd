package settings

import (
	"errors"
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

// IsFlag reports whether a flag is one of a setting.
func IsFlag(f *pflag.Flag) bool {
	_, ok := f.Value.(*flagValue)
	return ok
}

// LaunchMark annotates a flag that is no setting and yet changes what a launch does. What it says may hold a secret.
const LaunchMark = "launch"

// SetFlags takes the flags that were given. fs is one that AddFlags has filled, after Parse. What flags say is in
// memory only: nothing writes it into a file of settings.
func (s *Store) SetFlags(fs *pflag.FlagSet) {
	given, marked := layer{}, []string(nil)
	fs.Visit(func(flag *pflag.Flag) {
		if v, ok := flag.Value.(*flagValue); ok {
			given[v.field.Name] = v.value
		} else if _, ok := flag.Annotations[LaunchMark]; ok {
			marked = append(marked, flag.Name)
		}
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.layers[Flags], s.marked = given, marked
}

// Given is a flag of this launch.
type Given struct {
	Flag  string // without dashes
	Value any    // as [Shown] makes it; nil: it is not shown
}

// String writes the flag as it could be given again: "--mode plan".
func (g Given) String() string {
	switch g.Value {
	case nil:
		return "--" + g.Flag
	case true:
		return "--" + g.Flag
	case false:
		return "--" + g.Flag + "=false"
	default:
		return fmt.Sprintf("--%s %v", g.Flag, g.Value)
	}
}

// Launched lists the flags of this launch that change what it does: settings in the order of [Groups], then those that
// LaunchMark marks, without what they say.
func (s *Store) Launched() []Given {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Given
	for _, g := range Groups() {
		for _, f := range g.In() {
			if value, ok := s.layers[Flags][f.Name]; ok {
				all = append(all, Given{f.Flag, Shown(value)})
			}
		}
	}
	for _, name := range s.marked {
		all = append(all, Given{Flag: name})
	}
	return all
}

// ErrGivenTwice says that a flag has two values, and only a list takes several.
var ErrGivenTwice = errors.New("it is given twice, with different values: give it once")

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
	several := v.field.Kind == List || v.field.Kind == Map
	if v.value != nil && several {
		text = fmt.Sprint(v.value) + "," + text
	}
	value, err := v.field.parse(text)
	if err != nil {
		return err
	}
	if err := v.field.check(value); err != nil {
		return err
	}
	if v.value != nil && v.value != value && !several {
		return ErrGivenTwice
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
