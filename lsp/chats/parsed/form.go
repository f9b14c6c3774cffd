package parsed

import (
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/tools/arguments"
)

// FormText is a form as it is made for the person; empty: the question has none.
func FormText(q event.Question) string {
	fields, err := arguments.FormFields(q.Form)
	if err != nil || len(q.Form) == 0 {
		return ""
	}
	return arguments.FormText(fields)
}

func Fits(q event.Question, form string) bool {
	_, err := arguments.ReadForm(q.Form, form)
	return form != "" && err == nil
}

// AsFilled sends a form as the one who asks has filled it in.
const AsFilled = "Send the form as it was filled in for you"
