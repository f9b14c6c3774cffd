package values

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadObject(t *testing.T) {
	text := "\n{ \"a\" : 1 ,\"b\\u0062\":\"x\\\"}\\\\\", \"c\":[{\"d\":\"]\"},2] ,\"e\":{},\"a\": true,\"f\":null,\"g\":-1.5e3}\n"
	got, err := ReadObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"a":true,"bb":"x\"}\\","c":[{"d":"]"},2],"e":{},"f":null,"g":-1.5e3}`
	if diff := cmp.Diff(want, string(WriteObject(got))); diff != "" {
		t.Error(diff)
	}
	var many []Member
	for i := range 1000 {
		many = append(many, Member{Key: fmt.Sprint("k", i), Value: json.RawMessage("1")})
	}
	again := append(slices.Clip(many), Member{Key: "k40", Value: json.RawMessage("2")}, Member{Key: "k3", Value: json.RawMessage("3")})
	if got, err := ReadObject(WriteObject(again)); err != nil || len(got) != 1000 || string(got[40].Value) != "2" || string(got[3].Value) != "3" {
		t.Errorf("many keys: %d, %v", len(got), err)
	}
	for _, text := range []string{"", "[]", "1", `"a"`, "{", `{"a":1} x`, "null"} {
		if got, err := ReadObject([]byte(text)); err == nil {
			t.Errorf("%q gives %v", text, got)
		}
	}
}

// FuzzReadObject compares with the standard library.
func FuzzReadObject(f *testing.F) {
	f.Add(`{"a":1,"b":[{"c":"\""}],"d":{"e":2}}`)
	f.Add(`{}`)
	f.Fuzz(func(t *testing.T, text string) {
		var want map[string]any
		wantErr := json.Unmarshal([]byte(text), &want)
		members, err := ReadObject([]byte(text))
		if text == "null" || (err != nil) != (wantErr != nil || want == nil) {
			if err == nil || wantErr == nil && want != nil {
				t.Fatalf("%q: %v, the library says %v", text, err, wantErr)
			}
			return
		}
		if err != nil {
			return
		}
		var got map[string]any
		if err := json.Unmarshal(WriteObject(members), &got); err != nil {
			t.Fatalf("%q becomes %s: %v", text, WriteObject(members), err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	})
}
