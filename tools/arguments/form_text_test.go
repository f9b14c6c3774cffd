package arguments_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/arguments"
)

const doorForm = `{"type":"object","properties":{
	"name":{"type":"string","maxLength":20,"default":"a\nb"},"count":{"type":"integer","minimum":1,"default":2},"open":{"type":"boolean"},
	"size":{"type":"string","enum":["small","large"]},"kinds":{"type":"array","items":{"type":"string","enum":["x","y"]}}},"required":["count"]}`

// A form is a line for each field, with what it has at first, and reads back as it is.
func TestAFormIsWrittenAndRead(t *testing.T) {
	fields, err := arguments.FormFields(json.RawMessage(doorForm))
	if err != nil {
		t.Fatal(err)
	}
	text := arguments.FormText(fields)
	if text != "name: \"a\\nb\"\ncount: 2\nopen:\nsize:\nkinds:" {
		t.Errorf("%q", text)
	}
	for written, want := range map[string]string{
		text:                                `{"count":2,"name":"a\nb"}`,
		"count: 3\nopen: YES\nkinds: x , y": `{"count":3,"kinds":["x","y"],"open":true}`,
		"size: large\ncount: 1\nname: a: b": `{"count":1,"name":"a: b","size":"large"}`,
		`{"count": 4}`:                      `{"count": 4}`,
		"":                                  "! missing properties",
		"count: null":                       "! count: write a number",
		"count: many":                       "! count: write a number",
		"count: 0":                          "! minimum",
		"count: 1\ncount: 2":                "! is there twice",
		"count: 1\nsize: huge":              "! enum",
		"count: 1\nwhat: x":                 "! begins with no field of the form; the fields are name, count, open, size, kinds",
		"count: 1\nopen: perhaps":           "! write true or false",
		`{"count": 1, "count": 2}`:          "! twice",
		`{"count": 1`:                       "! ",
	} {
		form, err := arguments.ReadForm(json.RawMessage(doorForm), written)
		if reason, refused := strings.CutPrefix(want, "! "); refused {
			if err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("%q: %s, %v", written, form, err)
			}
		} else if err != nil || string(form) != want {
			t.Errorf("%q: %s, %v", written, form, err)
		}
	}
	one := json.RawMessage(`{"type":"object","properties":{"sure":{"type":"boolean"}}}`)
	if form, err := arguments.ReadForm(one, "no"); err != nil || string(form) != `{"sure":false}` {
		t.Errorf("a value alone: %s, %v", form, err)
	}
}
