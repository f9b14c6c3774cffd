package tools_test

import (
	"fmt"
	"testing"

	"github.com/assent-ls/assent/tools"
)

// quietSource may be asked at any time.
type quietSource struct{ *source }

func (quietSource) Quiet() {}

// TestALookStartsNothing: it has what was listed last and what quiet sources list now, chosen as the settings say now,
// and the next run is as it would be without it.
func TestALookStartsNothing(t *testing.T) {
	loud, quiet := &source{name: "loud", list: []string{"draw"}}, &source{name: "quiet", list: []string{"fetch"}}
	choice := tools.Choice{}
	all := tools.NewSources(listOf("read", "write"), loud, quietSource{quiet}).
		Choose(func() tools.Choice { return choice })
	look := func(want string) {
		t.Helper()
		got := ""
		for _, tool := range all.Look(t.Context()).All() {
			got += fmt.Sprintf("%s=%s off:%v ", tool.Setting, tool.Name, tool.Off)
		}
		if got != want {
			t.Errorf("there is %q, not %q", got, want)
		}
	}
	look("read=read off:false write=write off:false fetch=fetch off:false ")
	if got := namesOf(all.Known()); loud.asked > 0 || got != "read write" {
		t.Errorf("a look started a source, or runs have %q", got)
	}
	choice = tools.Choice{Off: []string{"write"}, Names: map[string]string{"read": "cat"}}
	look("read=cat off:false write=write off:true fetch=fetch off:false ")
	if _, err := all.Now(t.Context()); err != nil {
		t.Fatal(err)
	}
	quiet.list = nil
	look("read=cat off:false write=write off:true draw=draw off:false ")
	if got := namesOf(all.Known()); got != "cat draw fetch" {
		t.Errorf("runs have %q", got)
	}
}
