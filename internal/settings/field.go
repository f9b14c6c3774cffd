package settings

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Field describes one setting, for everything that is derived from the struct.
type Field struct {
	Name    string // in JSON
	Flag    string // on the command line, without dashes; empty: none
	Env     string // the environment variable that sets it; empty: none
	Chat    string // the key in the front matter of a chat that sets it; empty: none
	Rule    ChatRule
	Doc     string
	Group   Group
	Scope   Scope
	Kind    Kind
	Default any      // of the field's type; nil: not set
	Choices []Choice // the allowed texts; nil: any
	Min     any      // of the field's type; nil: no limit
	Max     any
	Unit    string // what a number counts, such as "tokens"; empty: a plain number, or no number
	Restart bool   // the server reads it only when it starts

	ports bool // each name of the list is a port
	index int
	typ   reflect.Type
}

// Choice is one of the texts that a setting may be.
type Choice struct {
	Name string
	Doc  string // one sentence or more, what it does
}

// choicesOf reads the tag choices.
func choicesOf(tag string) (choices []Choice) {
	for part := range strings.SplitSeq(tag, "|") {
		name, doc, _ := strings.Cut(part, ": ")
		choices = append(choices, Choice{name, doc})
	}
	return choices
}

// Names lists the texts that a setting may be; nil: any.
func (f Field) Names() (names []string) {
	for _, c := range f.Choices {
		names = append(names, c.Name)
	}
	return names
}

// Kind is the type of a setting as users see it.
type Kind string

// The kinds.
const (
	Text    Kind = "text"
	Integer Kind = "integer"
	Number  Kind = "number"
	Boolean Kind = "switch"
	Time    Kind = "duration"
	List    Kind = "list"
	Map     Kind = "map"
)

// Fields lists all settings in the order of the struct. A mistake in a tag panics: the package's test calls it.
func Fields() []Field { return slices.Clone(fields()) }

// fields reads the tags once: settings are merged a dozen times for each Send.
var fields = sync.OnceValue(func() []Field {
	t := reflect.TypeFor[Settings]()
	list := make([]Field, 0, t.NumField())
	for i := range t.NumField() {
		list = append(list, newField(i, t.Field(i)))
	}
	return list
})

func newField(index int, sf reflect.StructField) Field {
	f := Field{
		Name:  sf.Tag.Get("json"),
		Flag:  sf.Tag.Get("flag"),
		Env:   sf.Tag.Get("env"),
		Chat:  sf.Tag.Get("chat"),
		Rule:  ChatRule(sf.Tag.Get("chatRule")),
		Doc:   sf.Tag.Get("doc"),
		Group: groupNamed(sf.Tag.Get("group")),
		Scope: Scope(sf.Tag.Get("scope")),
		Unit:  sf.Tag.Get("unit"),
		ports: sf.Tag.Get("items") == "port",
		index: index,
		typ:   sf.Type,

		Restart: sf.Tag.Get("restart") == "true",
	}
	if f.typ.Kind() == reflect.Pointer {
		f.typ = f.typ.Elem()
	}
	switch f.typ {
	case reflect.TypeFor[string]():
		f.Kind, f.Default = Text, ""
	case reflect.TypeFor[int]():
		f.Kind = Integer
	case reflect.TypeFor[float64]():
		f.Kind = Number
	case reflect.TypeFor[bool]():
		f.Kind = Boolean
	case reflect.TypeFor[Duration]():
		f.Kind = Time
	case reflect.TypeFor[Names]():
		f.Kind, f.Default = List, Names("")
	case reflect.TypeFor[Renames]():
		f.Kind, f.Default = Map, Renames("")
	default:
		panic(fmt.Sprintf("settings: %s has an unsupported type: %s", f.Name, f.typ))
	}
	if sf.Type.Kind() == reflect.Pointer {
		f.Default = nil // without a value it is not set
	}
	if choices := sf.Tag.Get("choices"); choices != "" {
		f.Choices = choicesOf(choices)
	}
	for tag, to := range map[string]*any{"default": &f.Default, "min": &f.Min, "max": &f.Max} {
		text, ok := sf.Tag.Lookup(tag)
		if !ok {
			continue
		}
		v, err := f.parse(text)
		if err != nil {
			panic(fmt.Sprintf("settings: %s: %s: %v", f.Name, tag, err))
		}
		*to = v
	}
	return f
}

// parse reads a value as it is on a command line or in a tag.
func (f Field) parse(text string) (any, error) {
	if f.Kind == Text || f.Kind == Time {
		quoted, err := json.Marshal(text)
		if err != nil {
			return nil, err
		}
		text = string(quoted)
	}
	if f.Kind == List || f.Kind == Map {
		var err error
		if text, err = f.listJSON(text); err != nil {
			return nil, err
		}
	}
	return f.unmarshal([]byte(text))
}

func (f Field) unmarshal(raw []byte) (any, error) {
	v := reflect.New(f.typ)
	if err := json.Unmarshal(raw, v.Interface()); err != nil {
		return nil, f.wrong(string(raw), err)
	}
	return v.Elem().Interface(), nil
}

// Decode reads a value as it is in JSON, and checks it; nil: null, which is not set. The error is one sentence.
func (f Field) Decode(raw json.RawMessage) (any, error) {
	if string(raw) == "null" {
		return nil, nil
	}
	value, err := f.unmarshal(raw)
	if err == nil {
		err = f.check(value)
	}
	return value, err
}

func (f Field) wrong(text string, err error) error {
	if f.Kind == Time || f.Kind == List || f.Kind == Map {
		return err
	}
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	article := map[Kind]string{Text: "a text", Integer: "a whole number", Number: "a number", Boolean: "true or false"}
	return fmt.Errorf("%s is not %s", text, article[f.Kind])
}

func (f Field) check(value any) error {
	if text, ok := value.(string); ok && f.Choices != nil && !slices.Contains(f.Names(), text) {
		return fmt.Errorf("%q is none of %s", text, strings.Join(f.Names(), ", "))
	}
	if names, ok := value.(Names); ok && f.ports {
		for _, name := range names.All() {
			if n, err := strconv.ParseUint(name, 10, 16); err != nil || n == 0 {
				return fmt.Errorf("%q is no port, which is a number from 1 to 65535", name)
			}
		}
	}
	if f.Min != nil && less(value, f.Min) {
		return fmt.Errorf("%v is less than %v", value, f.Min)
	}
	if f.Max != nil && less(f.Max, value) {
		return fmt.Errorf("%v is more than %v", value, f.Max)
	}
	return nil
}

// less orders two values of one kind; false is less than true. Texts have no order.
func less(a, b any) bool {
	switch a := a.(type) {
	case int:
		return a < b.(int)
	case float64:
		return a < b.(float64)
	case bool:
		return !a && b.(bool)
	case Duration:
		return time.Duration(a) < time.Duration(b.(Duration))
	default:
		return false
	}
}

// get returns the value of a setting; nil: not set.
func (f Field) get(s Settings) any {
	v := reflect.ValueOf(s).Field(f.index)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	return v.Interface()
}

// put sets a value, which is of the field's type or nil: not set.
func (f Field) put(s *Settings, value any) {
	v := reflect.ValueOf(s).Elem().Field(f.index)
	switch {
	case value == nil:
		v.SetZero()
	case v.Kind() == reflect.Pointer:
		p := reflect.New(f.typ)
		p.Elem().Set(reflect.ValueOf(value))
		v.Set(p)
	default:
		v.Set(reflect.ValueOf(value))
	}
}
