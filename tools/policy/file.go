package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/tools/effect"
)

// maxRules are more than a person writes, and few enough to decide in microseconds.
const maxRules = 1000

// File is what a permissions file says.
type File struct {
	Rules []ListedRule // in the order of the file
	// Broken says that the file is not what its author meant: it has an unknown key, a wrong value, or is no JSON. The
	// rules that were understood are there, and none of those that allow may count.
	Broken bool
}

// ListedRule is a rule in a list, and its place.
type ListedRule struct {
	Rule
	jsonc.Range // in the file

	List List
	Void string // why the rule does not count: a sentence; empty: it does

	compiled compiled
}

// Severity says how grave a problem is.
type Severity string

// The severities.
const (
	Error       Severity = "error"       // what is there does not do what it says
	Warning     Severity = "warning"     // it may do more or less than its author thinks
	Information Severity = "information" // it does nothing that others do not do
)

// Problem is something in a permissions file that its author should know.
type Problem struct {
	jsonc.Range

	Severity Severity
	Message  string // one sentence
	Fix      *Fix   // nil: none is known
}

// Fix is a change of the text that repairs a problem.
type Fix struct {
	jsonc.Range

	Title, Text string
}

// parser reads one file.
type parser struct {
	file     File
	problems []Problem
}

// Parse reads a permissions file and checks it, its examples too. name is how sentences call it.
func Parse(name string, data []byte) (File, []Problem) {
	p := &parser{}
	if len(strings.TrimSpace(string(data))) == 0 {
		return p.file, nil
	}
	root, err := jsonc.Parse(data)
	if wrong, ok := errors.AsType[*jsonc.Error](err); ok {
		p.broken(jsonc.Range{Offset: wrong.Offset, Length: wrong.Length}, "In %s, %s.", name, wrong.Reason)
		return p.file, p.problems
	}
	if root.Kind != jsonc.Object {
		p.broken(
			root.Range, `A permissions file is an object such as {"allow": [{"tool": "edit_file", "paths": ["src/**"]}]}.`,
		)
		return p.file, p.problems
	}
	for _, member := range root.Members {
		p.list(member)
	}
	p.compare()
	slices.SortStableFunc(p.problems, func(a, b Problem) int { return a.Offset - b.Offset })
	return p.file, p.problems
}

func (p *parser) problem(at jsonc.Range, severity Severity, format string, args ...any) {
	p.problems = append(p.problems, Problem{Range: at, Severity: severity, Message: fmt.Sprintf(format, args...)})
}

// broken is a problem for which a reader that went on would take the file for something else than it says.
func (p *parser) broken(at jsonc.Range, format string, args ...any) {
	p.file.Broken = true
	p.problem(at, Error, format, args...)
}

// list reads one of the lists.
func (p *parser) list(member jsonc.Member) {
	if !slices.Contains(lists, List(member.Key)) {
		if member.Key != "$schema" {
			p.unknownKey(member, names(ListKeys()))
		}
		return
	}
	if member.Value.Kind != jsonc.Array {
		p.broken(member.Value.Range, "%q is a list of rules.", member.Key)
		return
	}
	for _, v := range member.Value.Elements {
		if len(p.file.Rules) == maxRules {
			p.broken(v.Range, "There are more than %d rules.", maxRules)
			return
		}
		p.rule(List(member.Key), v)
	}
}

// rule reads one rule.
func (p *parser) rule(list List, v jsonc.Value) {
	if v.Kind != jsonc.Object {
		p.broken(v.Range, `A rule is an object such as {"tool": "edit_file", "paths": ["src/**"]}.`)
		return
	}
	good := true
	r := ListedRule{List: list, Range: v.Range}
	value := reflect.ValueOf(&r.Rule).Elem()
	for _, member := range v.Members {
		at := slices.IndexFunc(Keys(), func(k Key) bool { return k.Name == member.Key })
		if at < 0 {
			p.unknownKey(member, names(Keys()))
			good = false
			continue
		}
		if err := decode(member.Value, value.Field(at)); err != nil {
			p.broken(member.Value.Range, "%q is not right: %s.", member.Key, err)
			good = false
		}
	}
	if good && r.isEmpty() {
		p.broken(
			v.Range, "The rule does not say which calls it is about: give it a tool, an effect, paths, a command or a host.",
		)
		good = false
	}
	if !good {
		return
	}
	var err error
	if r.compiled, err = compile(r.Rule, list); err != nil {
		p.broken(v.Range, "%s.", upper(err.Error()))
		return
	}
	p.examples(&r, v)
	p.file.Rules = append(p.file.Rules, r)
}

// decode puts a value into a field of a rule.
func decode(v jsonc.Value, field reflect.Value) error {
	switch to := field.Addr().Interface().(type) {
	case *string:
		if v.Kind != jsonc.String || v.Text() == "" {
			return errors.New("it is a text that is not empty")
		}
		*to = v.Text()
	case *effect.Effect:
		if *to = effect.Effect(v.Text()); !to.Known() {
			return fmt.Errorf("there is no such effect; there are %s", strings.Join(effect.Words(), ", "))
		}
	case *[]string:
		if v.Kind != jsonc.Array || len(v.Elements) == 0 ||
			slices.ContainsFunc(v.Elements, func(e jsonc.Value) bool { return e.Text() == "" }) {
			return errors.New("it is a list of texts")
		}
		return json.Unmarshal(v.Raw, to)
	case *[]Example:
		if v.Kind != jsonc.Array {
			return errors.New("it is a list of examples")
		}
		return json.Unmarshal(v.Raw, to)
	}
	return nil
}

// unknownKey complains about a key that nothing reads, and offers the one that was meant.
func (p *parser) unknownKey(member jsonc.Member, known []string) {
	meant := near(member.Key, known)
	if meant == "" {
		p.broken(member.Range, "There is no key %q here; there are %s.", member.Key, strings.Join(known, ", "))
		return
	}
	p.broken(member.Range, "There is no key %q here: perhaps you mean %q.", member.Key, meant)
	p.problems[len(p.problems)-1].Fix = &Fix{member.Range, "Change to " + meant, `"` + meant + `"`}
}

// near finds the word that was probably meant.
func near(word string, known []string) string {
	plain := strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(word))
	for _, k := range known {
		bare := strings.ReplaceAll(k, "_", "")
		if plain == bare || len(plain) > 2 && (strings.HasPrefix(plain, bare) || strings.HasPrefix(bare, plain)) {
			return k
		}
	}
	return ""
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
