package settings

import (
	"fmt"
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

// give has a source say something of a setting, as users do; in a chat it goes into the map.
func give(t *testing.T, s *Store, chat map[string]any, source Source, f Field, raw string) (value any) {
	t.Helper()
	value, err := f.Decode([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	object := fmt.Appendf(nil, `{%q:%s}`, f.Name, raw)
	switch source {
	case BuiltIn:
		return f.Default
	case Chat:
		chat[f.Name] = value
	case Environment:
		s.SetEnvironment(func(name string) string {
			if name == f.Env {
				return value.(string)
			}
			return ""
		})
	case Flags:
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		fs.Var(&flagValue{field: f}, f.Flag, "") // all of them would take long
		if err := fs.Parse([]string{"--" + f.Flag + "=" + fmt.Sprint(value)}); err != nil {
			t.Fatal(err)
		}
		s.SetFlags(fs)
	case Workspace:
		s.SetWorkspace("/w", object)
	default:
		s.Set(source, object)
	}
	return value
}

// effectOf is the part of Explain about one setting.
func effectOf(t *testing.T, s *Store, name string, chat map[string]any) Effect {
	t.Helper()
	all := s.Explain("/w", chat)
	i := slices.IndexFunc(all, func(e Effect) bool { return e.Name == name })
	if i < 0 || len(all) != len(Fields()) {
		t.Fatalf("%d settings are explained, %s at %d", len(all), name, i)
	}
	return all[i]
}

// together is what two sources make of a setting, where the stronger one does not simply win.
func together(f Field, strong Source, high, low any) (value any, byStrong bool) {
	switch {
	case strong == Workspace && (f.Scope == Less || f.Scope == Fewer && f.Kind == Boolean):
		return minOf(high, low), !less(low, high)
	case strong == Workspace && f.Scope == More:
		both := high.(Names).with(low.(Names))
		return both, both != low
	case strong == Workspace && f.Scope == Fewer, strong == Chat && f.Kind == List:
		only, limited := low.(Names)
		if !limited {
			return high, true
		}
		kept, _ := high.(Names).within(only)
		return kept, true
	case strong == Chat && f.Rule == Narrows:
		rank := map[any]int{"plan": 1, "ask": 2, "edits": 3, "full": 4}
		if rank[high] < rank[low] {
			return high, true
		}
		return low, false
	}
	return high, true
}

func minOf(a, b any) any {
	if less(b, a) {
		return b
	}
	return a
}

// Which sources may set a setting, said in another way than Precedence does.
func TestPrecedenceNamesEverySource(t *testing.T) {
	inChats := []string{
		"model", "preset", "mode", "think", "tools", "temperature", "topP", "topK", "minP", "repeatPenalty", "seed", "longestReply",
	}
	for _, f := range Fields() {
		editors := f.Scope != Own && f.Scope != Fewer
		may := map[Source]bool{
			BuiltIn: true, Environment: f.Name == "ollamaHost", UserFile: f.Scope != Extension, Options: editors, Editor: editors,
			Flags: f.Scope != Extension, Workspace: f.Scope != User && f.Scope != Own && f.Scope != Extension,
			Chat: slices.Contains(inChats, f.Name),
		}
		n := 0
		for source, expected := range may {
			if expected {
				n++
			}
			if slices.Contains(f.Precedence(), source) != expected {
				t.Errorf("%s: %v may set it: %v expected, and the order is %v", f.Name, source, expected, f.Precedence())
			}
		}
		if n != len(f.Precedence()) {
			t.Errorf("%s: %v names a source twice", f.Name, f.Precedence())
		}
	}
}

// Every setting from every source that may set it, and from each two of them: which one wins, and which origin is shown.
// Promise 6. Invariant 1.
func TestEveryOriginIsShown(t *testing.T) {
	for _, f := range Fields() {
		order := f.Precedence()
		for i, strong := range order[:len(order)-1] {
			for _, weak := range order[i+1:] {
				for n, raw := range samples[f.Name] {
					var s Store
					chat := map[string]any{}
					low := give(t, &s, chat, weak, f, samples[f.Name][1-n])
					high := give(t, &s, chat, strong, f, raw)
					editors := []Source{Editor, Options}
					want, byStrong := together(f, strong, high, low)
					from := map[bool]Source{true: strong, false: weak}[byStrong]
					if slices.Contains(editors, strong) && high == f.Default { // it counts as not set
						want, from = low, weak
					}
					if slices.Contains(editors, from) && want == f.Default {
						from = BuiltIn
					}
					e := effectOf(t, &s, f.Name, chat)
					if e.Value != want || e.From != from {
						t.Errorf(
							"%s: %v from %v over %v from %v: got %v from %v, want %v from %v",
							f.Name, high, strong, low, weak, e.Value, e.From, want, from,
						)
					}
					if inForce := f.get(s.In("/w")); len(chat) == 0 && inForce != e.Value {
						t.Errorf("%s: explained as %v, and %v is in force", f.Name, e.Value, inForce)
					}
				}
			}
		}
	}
}

// What a workspace says in vain is shown with the reason, and what a stronger source hides is shown below it.
func TestWhatDoesNotCountIsShown(t *testing.T) {
	var s Store
	chat := map[string]any{"mode": "ask", "temperature": 0.5}
	for _, given := range []struct {
		source    Source
		name, raw string
	}{{Workspace, "mode", `"full"`}, {Flags, "mode", `"plan"`}, {UserFile, "mode", `"edits"`}} {
		give(t, &s, chat, given.source, fieldNamed(t, given.name), given.raw)
	}
	mode := effectOf(t, &s, "mode", chat)
	said := ""
	for _, o := range mode.Overrides() {
		said += fmt.Sprintf("%v: %v %s; ", o.Source, o.Value, o.Note)
	}
	const want = "the front matter of the chat: ask a chat can only ask for less; your settings file: edits ; built in: ask ; " +
		"the workspace's settings file: full a workspace may not set it; put it into your own settings; "
	if mode.Value != "plan" || mode.From != Flags || said != want {
		t.Errorf("%v from %v over %s", mode.Value, mode.From, said)
	}
	if e := effectOf(t, &s, "temperature", chat); e.Value != 0.5 || e.From != Chat {
		t.Errorf("%v from %v", e.Value, e.From)
	}
}

func TestNear(t *testing.T) {
	for wrong, want := range map[string]string{
		"temprature": "temperature", "tool-format": "toolFormat", "max_steps": "maxSteps", "MaxStep": "maxSteps", "modl": "model", "modell": "model",
		"moed": "mode", "system-prompt": "systemPrompt", "xyzzy": "", "": "", "legacy-tool-call-format": "legacyToolCallFormat",
	} {
		if got := Near(wrong); got != want {
			t.Errorf("%q: got %q, want %q", wrong, got, want)
		}
	}
	for _, name := range []string{"temperature", "tool-format", "--tool-format", "toolFormat"} {
		if _, ok := Named(name); !ok {
			t.Errorf("%s is not found", name)
		}
	}
	if f, ok := Named(""); ok {
		t.Errorf("no name is that of %s", f.Name)
	}
}

func TestNeedRestart(t *testing.T) {
	before, now := Defaults(), Defaults()
	now.Sandbox, now.LogLevel, now.MaxSteps, now.Temperature = "off", "debug", 3, new(float64)
	if got := fmt.Sprint(NeedRestart(before, now), NeedRestart(now, now)); got != "[sandbox logLevel] []" {
		t.Error(got)
	}
}

// A password in an address is not shown.
func TestShown(t *testing.T) {
	for value, want := range map[any]any{
		"http://me:secret@host:1": "http://me:xxxxx@host:1", "http://host:1": "http://host:1", 7: 7, "Be short: a@b.": "Be short: a@b.", nil: nil,
	} {
		if got := Shown(value); got != want {
			t.Errorf("%v is shown as %v", value, got)
		}
	}
}
