package settings

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
)

// samples are a smaller and a larger value of every setting, as JSON.
var samples = map[string][2]string{
	"think": {`"low"`, `"off"`},
	"tools": {`["a"]`, `[]`},

	"toolSystemPrompt":     {`"a"`, `"b"`},
	"legacyToolCallFormat": {`"a"`, `"b"`},
	"toolCallPrimary":      {`"a"`, `"b"`},
	"toolCallEnabled":      {`["a"]`, `["a","b"]`},
	"toolSearch":           {`"on"`, `"off"`},
	"pythonExecution":      {`false`, `true`},
	"pythonToolCalling":    {`false`, `true`},

	"path":        {`"a"`, `"b"`},
	"ollamaHost":  {`"http://a:1"`, `"http://b:1"`},
	"ollamaProxy": {`"http://a:1"`, `"environment"`},
	"model":       {`"a"`, `"b"`},
	"preset":      {`"review"`, `"write"`},

	"completionModel": {`"a"`, `"b"`},
	"embeddingModel":  {`"a"`, `"b"`},

	"systemPrompt":    {`"a"`, `"b"`},
	"rulesFiles":      {`["AGENTS.md"]`, `[]`},
	"contextSize":     {`1024`, `999999`},
	"keepAlive":       {`"1s"`, `"24h"`},
	"maxSteps":        {`3`, `900`},
	"mode":            {`"plan"`, `"full"`},
	"commandTimeout":  {`"5s"`, `"20h"`},
	"commandMemory":   {`1000`, `64000`},
	"commandDisk":     {`1`, `50000`},
	"keepReplaced":    {`0`, `5000`},
	"keepReplacedFor": {`"1h"`, `"720h"`},
	"commands":        {`"ask"`, `"try"`},
	"sandbox":         {`"auto"`, `"off"`},
	"temperature":     {`0.25`, `2`},
	"topP":            {`0.25`, `0.75`},
	"topK":            {`20`, `400`},
	"minP":            {`0.25`, `0.5`},
	"repeatPenalty":   {`1`, `1.5`},
	"seed":            {`1`, `2`},
	"longestReply":    {`100`, `200`},
	"toolFormat":      {`"text"`, `"native"`},
	"saveAfterEdit":   {`false`, `true`},
	"followReply":     {`false`, `true`},
	"foldDetails":     {`false`, `true`},
	"notify":          {`false`, `true`},
	"assumeEdits":     {`false`, `true`},
	"modelQueue":      {`false`, `true`},
	"titles":          {`"model"`, `"words"`},
	"toolsOff":        {`["a"]`, `["c","b","c"]`},
	"toolNames":       {`{"a":"b"}`, `{"b":"a","a":"b"}`},
	"webFetch":        {`false`, `true`},
	"offline":         {`false`, `true`},
	"toolbox":         {`"~/toolbox"`, `"/opt/toolbox"`},
	"mcpFiles":        {`false`, `true`},
	"databases":       {`[]`, `["shop","crm"]`},
	"searchEndpoint":  {`"http://a:1"`, `"http://b:1"`},
	"traceEndpoint":   {`"http://a:1"`, `"http://b:1"`},
	"traceContent":    {`false`, `true`},
	"serverPorts":     {`[]`, `["8080"]`},
	"privateHosts":    {`["a"]`, `["b","c"]`},
	"logLevel":        {`"error"`, `"debug"`},
	"logFile":         {`"a"`, `"b"`},
}

// Invariant 17.
func TestFieldsAreWhole(t *testing.T) {
	flags := map[string]bool{}
	for _, f := range Fields() {
		switch f.Scope {
		case User, Own, Less, More, Fewer, Any:
			if f.Flag == "" {
				t.Errorf("%s has no flag", f.Name)
			}
		case Extension:
		default:
			t.Errorf("%s has the scope %q", f.Name, f.Scope)
		}
		if f.Flag != "" && flags[f.Flag] {
			t.Errorf("--%s is there twice", f.Flag)
		}
		flags[f.Flag] = true
		for _, text := range append([]string{f.Doc}, docsOf(f.Choices)...) {
			if !strings.HasSuffix(text, ".") {
				t.Errorf("%s: doc %q", f.Name, text)
			}
		}
		if f.Group.Title == "" {
			t.Errorf("%s is in no group", f.Name)
		}
		if (f.Kind == Integer) != (f.Unit != "") && f.Name != "seed" {
			t.Errorf("%s is of the kind %s and has the unit %q", f.Name, f.Kind, f.Unit)
		}
		if f.Env != "" && f.Kind != Text {
			t.Errorf("%s: the environment sets texts alone", f.Name)
		}
		if f.Default != nil && f.check(f.Default) != nil {
			t.Errorf("%s: the default is not allowed", f.Name)
		}
		if f.Scope == Less && (f.Kind == Text) {
			t.Errorf("%s: a text has no less", f.Name)
		}
		if _, ok := samples[f.Name]; !ok {
			t.Errorf("%s is in no table of the tests", f.Name)
		}
	}
}

func docsOf(choices []Choice) (docs []string) {
	for _, c := range choices {
		docs = append(docs, c.Doc)
	}
	return docs
}

// Each group has settings, and each setting is in one of them.
func TestGroups(t *testing.T) {
	n := 0
	for _, g := range Groups() {
		if len(g.In()) == 0 {
			t.Errorf("%s has no setting", g.Title)
		}
		n += len(g.In())
	}
	if n != len(Fields()) {
		t.Errorf("%d settings are in groups, of %d", n, len(Fields()))
	}
}

// What is said of a setting has all that its tags declare.
func TestWhatIsSaidOfASetting(t *testing.T) {
	disk := fieldNamed(t, "commandDisk")
	if got := disk.Plain(); !strings.HasSuffix(got, "Unit: MB. A change counts after a restart of the server.") {
		t.Error(got)
	}
	mode := fieldNamed(t, "mode")
	if got := mode.Plain(); !strings.Contains(got, " plan: Nothing that changes anything. ") {
		t.Error(got)
	}
	if got := mode.Markdown(); strings.Contains(got, "plan: Nothing") || !strings.Contains(got, "the line `mode` of the front matter") {
		t.Error(got)
	}
	if got := fieldNamed(t, "ollamaHost").Markdown(); !strings.Contains(got, "variable `OLLAMA_HOST` sets") {
		t.Error(got)
	}
	for name, want := range map[string]string{"mode": "ask|edits|plan|full", "commandDisk": "MB", "keepAlive": "duration"} {
		field := fieldNamed(t, name)
		if got := (&flagValue{field: field}).Type(); got != want {
			t.Errorf("--%s takes %q, want %q", field.Flag, got, want)
		}
	}
}

// Every setting from every source: what comes from a workspace never loosens, what comes from the user is taken.
// Promise 6. Invariant 1.
func TestEverySettingFromEverySource(t *testing.T) {
	for _, f := range Fields() {
		for _, raw := range samples[f.Name] {
			value, err := f.Decode([]byte(raw))
			if err != nil {
				t.Fatal(err)
			}
			object := fmt.Appendf(nil, `{%q:%s}`, f.Name, raw)
			for _, source := range []Source{UserFile, Options, Editor} {
				var s Store
				problems, want := s.Set(source, object), value
				refused := (f.Scope == Own || f.Scope == Fewer) && source != UserFile && value != f.Default
				if refused { // an editor's settings may come from a workspace
					want = f.Default
				}
				if (len(problems) > 0) != (refused && value != f.Default) {
					t.Errorf("%s: %v", f.Name, problems)
				}
				if got := f.get(s.Get()); got != want {
					t.Errorf("%s from %v: got %v, want %v", f.Name, source, got, value)
				}
			}
			var s Store
			problems := s.SetWorkspace("/w", object)
			got, before := f.get(s.In("/w")), f.get(s.Get())
			var want any
			switch f.Scope {
			case Any:
				want = value
			case Fewer: // by default a list has all
				want = value
				if less(before, value) {
					want = before
				}
			case Less:
				want = value
				if less(before, value) {
					want = before
				}
			case More:
				want = value // the default is empty
			case User, Own, Extension:
				want = before
			}
			if got != want {
				t.Errorf("%s: %s from the workspace makes %v of %v", f.Name, raw, got, before)
			}
			if refused := want != value || f.Scope == User || f.Scope == Own || f.Scope == Extension; refused != (len(problems) > 0) {
				t.Errorf("%s: %s from the workspace: %v", f.Name, raw, problems)
			}
			if other := f.get(s.In("/other")); other != before {
				t.Errorf("%s: a workspace sets %v for another", f.Name, other)
			}
		}
	}
}

// Promise 6. Invariant 1.
func TestPrecedence(t *testing.T) {
	var s Store
	steps := []struct {
		set         func()
		host, level string
	}{
		{func() {}, "", "info"},
		{func() { s.SetEnvironment(func(string) string { return "env" }) }, "env", "info"},
		{func() { s.Set(UserFile, []byte(`{"ollamaHost":"file","logLevel":"debug"}`)) }, "file", "debug"},
		{func() { s.Set(Options, []byte(`{"ollamaHost":"evil","logLevel":"warn"}`)) }, "file", "warn"},
		{func() { s.Set(Editor, []byte(`{"ollamaHost":"evil","logLevel":"error"}`)) }, "file", "error"},
		{func() { s.Set(Editor, []byte(`{"ollamaHost":"","logLevel":"info"}`)) }, "file", "warn"}, // the defaults: as good as not set
		{func() {
			fs := pflag.NewFlagSet("", pflag.ContinueOnError)
			AddFlags(fs)
			if err := fs.Parse([]string{"--ollama-host", "flag", "--log-level", "debug"}); err != nil {
				t.Fatal(err)
			}
			s.SetFlags(fs)
		}, "flag", "debug"},
		{func() { s.SetWorkspace("/w", []byte(`{"ollamaHost":"evil","logLevel":"error"}`)) }, "flag", "debug"},
	}
	for i, step := range steps {
		step.set()
		if got := s.In("/w"); got.OllamaHost != step.host || got.LogLevel != step.level {
			t.Errorf("step %d: got %q and %q, want %q and %q", i, got.OllamaHost, got.LogLevel, step.host, step.level)
		}
	}
}

// S02, A5, A13: what an editor sends may be in a file of the workspace (.dir-locals.el of Emacs,
// .helix/languages.toml), so a setting that says where chats go, what is asked, or what is written where, is not taken
// from it. A new setting has to be thought about here.
func TestWhatAnEditorMaySet(t *testing.T) {
	harmless := []string{
		"model", "preset", "contextSize", "keepAlive", "maxSteps", "commandTimeout", "temperature", "toolFormat", "saveAfterEdit",
		"think", "topP", "topK", "minP", "repeatPenalty", "seed", "longestReply", "assumeEdits", "toolsOff", "logLevel", "modelQueue", "titles", "toolSearch",
	}
	for _, f := range Fields() {
		if f.Scope != Own && f.Scope != Fewer && f.Scope != Extension && !slices.Contains(harmless, f.Name) {
			t.Errorf("an editor may set %s: if that loosens nothing, say so here, else give it the scope own", f.Name)
		}
	}
}

// A flag beats every file, also where a workspace may choose; what a workspace lowers stays lowered.
// Promise 6. Invariant 1.
func TestAFlagBeatsEveryFile(t *testing.T) {
	var s Store
	s.Set(UserFile, []byte(`{"model":"own","temperature":1}`))
	s.Set(Editor, []byte(`{"model":"editor"}`))
	s.SetWorkspace("/w", []byte(`{"model":"theirs","temperature":2,"maxSteps":3}`))
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	AddFlags(fs)
	if err := fs.Parse([]string{"--model", "flag", "--max-steps", "7"}); err != nil {
		t.Fatal(err)
	}
	if got := s.In("/w"); got.Model != "theirs" || *got.Temperature != 2 {
		t.Errorf("without a flag: %+v", got)
	}
	s.SetFlags(fs)
	if got := s.In("/w"); got.Model != "flag" || *got.Temperature != 2 || got.MaxSteps != 3 {
		t.Errorf("with flags: %+v", got)
	}
	if flag, file := s.Models(); flag != "flag" || file != "own" {
		t.Errorf("the user named %q and %q", flag, file)
	}
	var other Store
	other.Set(Options, []byte(`{"model":"a"}`))
	other.Set(Editor, []byte(`{"model":"b"}`))
	other.SetWorkspace("/w", []byte(`{"model":"c"}`))
	if flag, file := other.Models(); flag != "" || file != "" {
		t.Errorf("an editor and a workspace named %q and %q for the user", flag, file)
	}
}

func TestBadValuesKeepTheLastGood(t *testing.T) {
	var s Store
	s.Set(UserFile, []byte(`{"maxSteps":7,"model":"m","keepAlive":"1h"}`))
	for raw, want := range map[string]string{
		`{"maxSteps":"many","model":"m","keepAlive":"1h"}`: `In your settings file, maxSteps: "many" is not a whole number.`,
		`{"maxSteps":0,"model":"m","keepAlive":"1h"}`:      `In your settings file, maxSteps: 0 is less than 1.`,
		`{"maxSteps":7,"model":3,"keepAlive":"1h"}`:        `In your settings file, model: 3 is not a text.`,
		`{"maxSteps":7,"model":"m","keepAlive":"long"}`:    `In your settings file, keepAlive: "long" is no duration such as "90s" or "5m".`,
		`{"maxSteps":7,"model":"m","keepAlive":"1h","max_steps":1}`: `In your settings file, max_steps: there is no such setting, ` +
			`perhaps you mean maxSteps.`,
		`{"maxSteps":7,"model":"m","keepAlive":"1h","toolFormat":"xml"}`: `In your settings file, toolFormat: "xml" is none of ` +
			`auto, native, text, guided.`,
		`{"maxSteps":`: `In your settings file: line 1, column 13: this is not JSON: parsing value: unexpected EOF; the last good settings stay.`,
		`{"maxSteps":9,"maxSteps":7}`: `In your settings file: line 1, column 15: the key "maxSteps" stands here twice; ` +
			`the last good settings stay.`,
		`{"maxSteps":7,"model":"m","keepAlive":"1h","MaxSteps":9}`: `In your settings file, MaxSteps: there is no such setting, perhaps you mean maxSteps.`,
		`[]`: `In your settings file: this is not a JSON object, so the last good settings stay.`,
	} {
		if checked := s.Check("", []byte(raw)); len(checked) != 1 || checked[0].String() != want {
			t.Errorf("%s: checked: %v", raw, checked)
		}
		problems := s.Set(UserFile, []byte(raw))
		if len(problems) != 1 || problems[0].String() != want {
			t.Errorf("%s: %v", raw, problems)
		}
		got := s.Get()
		if got.MaxSteps != 7 || got.Model != "m" || got.KeepAlive != Duration(time.Hour) {
			t.Errorf("%s: %+v", raw, got)
		}
	}
	if s.Set(UserFile, nil); s.Get() != Defaults() {
		t.Error("a file that is gone still says something")
	}
}

func TestSettingsMayHaveComments(t *testing.T) {
	var s Store
	problems := s.Set(UserFile, []byte("{\n  // as many as it takes\n  \"maxSteps\": 7, /* \"model\": \"x\", */\n}\n"))
	if got := s.Get(); problems != nil || got.MaxSteps != 7 || got.Model != "" {
		t.Errorf("%v, %+v", problems, got)
	}
}

func TestCheckChangesNothing(t *testing.T) {
	var s Store
	s.Set(UserFile, []byte(`{"maxSteps":7}`))
	problems := s.Check("/w", []byte(`{"maxSteps":9,"ollamaHost":"x","model":"m"}`))
	if len(problems) != 2 || s.In("/w").MaxSteps != 7 || s.In("/w").Model != "" {
		t.Errorf("%v, %+v", problems, s.In("/w"))
	}
}

func TestFlagsRejectBadValues(t *testing.T) {
	for _, args := range [][]string{
		{"--max-steps", "many"}, {"--max-steps", "0"}, {"--tool-format", "xml"}, {"--keep-alive", "-1s"}, {"--temperature", "9"},
	} {
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		AddFlags(fs)
		if err := fs.Parse(args); err == nil {
			t.Errorf("%v was taken", args)
		}
	}
}

func TestSection(t *testing.T) {
	for raw, want := range map[string]string{
		`{"assent":{"model":"m"}}`: `{"model":"m"}`,
		`{"model":"m"}`:            `{"model":"m"}`,
		`null`:                     `null`,
		`7`:                        `7`,
	} {
		if got := string(Section([]byte(raw))); got != want {
			t.Errorf("%s: got %s", raw, got)
		}
	}
	var s Store
	for _, silent := range []string{"null", "{}", ""} {
		if problems := s.Set(Editor, []byte(silent)); problems != nil {
			t.Errorf("%q: %v", silent, problems)
		}
	}
}

// The schema allows what Decode allows, for the samples and the defaults.
func TestSchemaMatches(t *testing.T) {
	data, err := json.Marshal(Schema())
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]struct {
			Default json.RawMessage `json:"default"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	for _, f := range Fields() {
		p, ok := schema.Properties[f.Name]
		if ok == (f.Scope == Extension) {
			t.Errorf("%s in the schema: %v", f.Name, ok)
		}
		if !ok {
			continue
		}
		got, err := f.Decode(p.Default)
		if diff := cmp.Diff(f.Default, got); err != nil || diff != "" {
			t.Errorf("%s: default %s, %v, %s", f.Name, p.Default, err, diff)
		}
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	if raw, err := Read(filepath.Join(dir, "none.json")); raw != nil || err != nil {
		t.Errorf("got %q, %v", raw, err)
	}
	large := filepath.Join(dir, "large.json")
	if err := os.WriteFile(large, make([]byte, maxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(large); err == nil {
		t.Error("a large file was read")
	}
	// The device ends at once when it is read, so a failure does not hang.
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, dir} {
		if raw, err := Read(path); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %q, %v", path, raw, err)
		}
	}
}

func FuzzSet(f *testing.F) {
	f.Add([]byte(`{"maxSteps":7,"model":null,"temperature":0.5}`))
	f.Add([]byte(`{"keepAlive":{}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var s Store
		s.Set(UserFile, []byte(`{"databases":["shop"]}`))
		s.Set(Editor, raw)
		s.SetWorkspace("/w", raw)
		got, base := s.In("/w"), s.Get()
		for _, field := range Fields() {
			if (field.Scope == Less || field.Scope == Fewer) && less(field.get(base), field.get(got)) {
				t.Errorf("%s was loosened", field.Name)
			}
			if now, limited := field.get(base).(Names); field.Scope == Fewer && limited {
				if _, more := field.get(got).(Names).within(now); more != "" {
					t.Errorf("%s was loosened by %s", field.Name, more)
				}
			}
		}
	})
}

func TestNames(t *testing.T) {
	off, renamed := fieldNamed(t, "toolsOff"), fieldNamed(t, "toolNames")
	for _, bad := range []string{`"a"`, `[1]`, `[""]`, `["a,b"]`, `["a b"]`, `["a\u202eb"]`, `["a\n"]`, `{}`, `["` + strings.Repeat("x", 101) + `"]`} {
		if v, err := off.Decode([]byte(bad)); err == nil {
			t.Errorf("toolsOff takes %s as %q", bad, v)
		}
	}
	for _, bad := range []string{`[]`, `{"a":1}`, `{"a":""}`, `{"":"a"}`, `{"a":"x","b":"x"}`, `{"a":"b=c"}`} {
		if v, err := renamed.Decode([]byte(bad)); err == nil {
			t.Errorf("toolNames takes %s as %q", bad, v)
		}
	}
	for _, bad := range []string{`["0"]`, `["65536"]`, `["http"]`, `["-1"]`, `[8080]`} {
		if v, err := fieldNamed(t, "serverPorts").Decode([]byte(bad)); err == nil {
			t.Errorf("serverPorts takes %s as %q", bad, v)
		}
	}
	var s Store
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	AddFlags(fs)
	if err := fs.Parse([]string{"--tools-off", "b,a,b", "--tool-names", "a=x,c=a"}); err != nil {
		t.Fatal(err)
	}
	s.SetFlags(fs)
	got := s.Get()
	if diff := cmp.Diff([]string{"a", "b"}, got.ToolsOff.All()) + cmp.Diff(map[string]string{"a": "x", "c": "a"}, got.ToolNames.All()); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"a", "a=", "a=b,a=c", "a=b,c=b"} {
		if fs.Parse([]string{"--tool-names", bad}) == nil {
			t.Errorf("--tool-names takes %q", bad)
		}
	}

	// A workspace adds, and can neither empty the list nor rename.
	if problems := s.SetWorkspace("/w", []byte(`{"toolsOff":["z"],"toolNames":{"a":"evil"}}`)); len(problems) != 1 || problems[0].Key != "toolNames" {
		t.Errorf("%v", problems)
	}
	if in := s.In("/w"); in.ToolsOff != "a,b,z" || in.ToolNames != got.ToolNames || s.Get().ToolsOff != "a,b" {
		t.Errorf("%+v", in)
	}
	s.SetWorkspace("/w", []byte(`{"toolsOff":[]}`))
	if in := s.In("/w"); in.ToolsOff != "a,b" {
		t.Errorf("%q", in.ToolsOff)
	}
}

// A workspace takes away from a list of all that is used, and adds nothing to it; an editor, whose settings may be a
// workspace's, does neither.
func TestAWorkspaceTakesAway(t *testing.T) {
	for name, c := range map[string]struct{ user, editor, workspace, want, problem string }{
		"all of them":    {want: "all"},
		"names some":     {workspace: `["shop","crm"]`, want: "crm,shop"},
		"names none":     {workspace: `[]`, want: ""},
		"names fewer":    {user: `["crm","shop"]`, workspace: `["shop"]`, want: "shop"},
		"names more":     {user: `["shop"]`, workspace: `["bank","crm","shop"]`, want: "shop", problem: "bank, crm"},
		"names others":   {user: `["shop"]`, workspace: `["crm"]`, want: "", problem: "crm"},
		"widens none":    {user: `[]`, workspace: `["crm"]`, want: "", problem: "crm"},
		"takes it back":  {user: `["shop"]`, workspace: `null`, want: "shop"},
		"is no list":     {user: `["shop"]`, workspace: `{"crm":true}`, want: "shop", problem: "a list of names"},
		"by the editor":  {user: `["shop"]`, editor: `["crm"]`, want: "shop", problem: "an editor's settings may come from a workspace"},
		"editor's alone": {editor: `["crm"]`, want: "all", problem: "an editor's settings may come from a workspace"},
	} {
		t.Run(name, func(t *testing.T) {
			var s Store
			var problems []Problem
			give := func(raw string, set func([]byte) []Problem) {
				if raw != "" {
					problems = append(problems, set([]byte(`{"databases":`+raw+`}`))...)
				}
			}
			give(c.user, func(raw []byte) []Problem { return s.Set(UserFile, raw) })
			give(c.editor, func(raw []byte) []Problem { return s.Set(Editor, raw) })
			give(c.workspace, func(raw []byte) []Problem { return s.SetWorkspace("/w", raw) })
			got := "all"
			if list := s.In("/w").Databases; list != nil {
				got = string(*list)
			}
			said := fmt.Sprint(problems)
			if got != c.want || (len(problems) > 0) != (c.problem != "") || !strings.Contains(said, c.problem) {
				t.Errorf("%q, %s", got, said)
			}
		})
	}
}

// A workspace, and an editor whose settings may be a workspace's, never switches programs on, and a workspace can
// switch them off.
func TestAWorkspaceSwitchesProgramsOff(t *testing.T) {
	var s Store
	if problems := s.Set(Editor, []byte(`{"pythonExecution":true}`)); len(problems) != 1 || s.Get().Python {
		t.Errorf("an editor: %v", problems)
	}
	problems := s.SetWorkspace("/w", []byte(`{"pythonExecution":true}`))
	if len(problems) != 1 || s.In("/w").Python || problems[0].Reason != "a workspace may only switch it off" {
		t.Errorf("a workspace: %v", problems)
	}
	s.Set(UserFile, []byte(`{"pythonExecution":true}`))
	if problems := s.SetWorkspace("/w", []byte(`{"pythonExecution":true}`)); len(problems) > 0 || !s.In("/w").Python {
		t.Errorf("as the user: %v", problems)
	}
	off := []byte(`{"pythonExecution":false,"pythonToolCalling":false}`)
	if problems := s.SetWorkspace("/w", off); len(problems) > 0 || s.In("/w").Python || s.In("/w").PythonCalls {
		t.Errorf("off: %v", problems)
	}
}

func fieldNamed(t *testing.T, name string) Field {
	t.Helper()
	for _, f := range Fields() {
		if f.Name == name {
			return f
		}
	}
	t.Fatal("there is no setting " + name)
	return Field{}
}

// Settings are merged a dozen times for each Send, so that reading all tags each time would be felt before the first
// token.
func TestMergingIsCheap(t *testing.T) {
	var s Store
	if n := testing.AllocsPerRun(10, func() { s.In("folder") }); n > 100 {
		t.Errorf("merging the settings allocates %.0f times", n)
	}
}
