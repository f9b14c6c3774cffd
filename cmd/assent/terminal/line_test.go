package terminal

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestALineIsRenewedEachSecond until it is cleared, or another text takes its place.
func TestALineIsRenewedEachSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shown []string
		l := &Line{show: func(text string) { shown = append(shown, text) }}
		l.Set(func(d time.Duration) string { return "a " + d.String() })
		time.Sleep(2500 * time.Millisecond)
		l.Set(func(d time.Duration) string { return "b " + d.String() })
		time.Sleep(1500 * time.Millisecond)
		l.Clear()
		l.Clear()
		time.Sleep(time.Minute)
		want := []string{"a 0s", "a 1s", "a 2s", "", "b 0s", "b 1s", ""}
		if !slices.Equal(shown, want) {
			t.Errorf("%q", shown)
		}
	})
}

// TestWhatIsWrittenClearsTheLine, with a text or with a style.
func TestWhatIsWrittenClearsTheLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		l := &Line{show: func(text string) { out.WriteString("<" + text + ">") }}
		w := &Writer{out: &out, line: l}
		still := func(time.Duration) string { return "busy" }
		l.Set(still)
		_, _ = w.Write([]byte("one "))
		l.Set(still)
		Print(w, Piece{Text: "two"})
		if got := out.String(); got != "<busy><>one <busy><>two" {
			t.Error(got)
		}
	})
}

func TestThereIsNoLineInAPipe(t *testing.T) {
	var out bytes.Buffer
	l := NewLine(NewWriter(&out), NewWriter(&out))
	l.Set(func(time.Duration) string { return "busy" })
	l.Clear()
	if l != nil || out.Len() > 0 {
		t.Errorf("%v %q", l, &out)
	}
}

func TestALineThatIsTooLongIsCut(t *testing.T) {
	for _, text := range []string{"", "a", "loading the model", "日本語", "e\u0301e\u0301e\u0301"} {
		for most := -1; most < 20; most++ {
			got := Cut(text, most)
			if places(text) <= most && got != text || places(got)-strings.Count(got, "…") > max(most, 0) || most > 1 && text != "" && got == "" {
				t.Errorf("%q in %d is %q", text, most, got)
			}
		}
	}
	if got := Cut("loading the model", 8); got != "loading…" {
		t.Error(got)
	}
}
