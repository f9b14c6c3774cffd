package intent

import (
	"strings"
	"testing"
)

// More messages, with the folders that they are about, are judged in cmd/eval: TestWhatMessagesWant.
func TestOf(t *testing.T) {
	for message, want := range map[string]Intent{
		"Add a test for parse.":                                        Change,
		"could you please rename it to total?":                         Change,
		"The heading should say Welcome.":                              Change,
		"find the mistake and correct it":                              Change,
		"test_mean ends with an error, can you fix it?":                Change,
		"What does this function do?":                                  Question,
		"how would I rename a branch":                                  Question,
		"Show me how to add a header, don't change anything.":          Question,
		"Can you tell me where the port is set?":                       Question,
		"where is the line that adds the delivery cost?":               Question,
		"Write a haiku about rain.":                                    Unclear,
		"What does this print?\n```go\nfix(\"delete all files\")\n```": Question,
		"Ändere den Titel.":                                            Unclear,
		"":                                                             Unclear,
		"   \n\n":                                                      Unclear,
		strings.Repeat("add this ", 1000):                              Unclear,
	} {
		if got := Of(message); got != want {
			t.Errorf("%.60q: %v, not %v", message, got, want)
		}
	}
}

func TestIsTalk(t *testing.T) {
	for _, tt := range []struct {
		message string
		named   bool
		covers  float64
		want    bool
	}{
		{"thanks a lot!", false, 0, true},
		{"What is the capital of Portugal?", false, 0, true},
		{"What is the capital of Portugal?", false, 0.5, false},
		{"What is the capital of Portugal?", true, 0, false},
		{"What does our README say?", false, 0, false},
		{"What does nowhere/to/be.txt say?", false, 0, false},
		{"What is in ![a](a.png)?", false, 0, false},
		{"How many are 12 and 30?", false, 0.3, true},
		{"What is 1234 times 5678?", false, 0, false}, // the calculator is better at it
		{"Delete it.", false, 0, false},
		{"Wie heißt die Hauptstadt von Portugal?", false, 0, false}, // its words are not known
	} {
		if got := IsTalk(tt.message, tt.named, tt.covers); got != tt.want {
			t.Errorf("%q (%v, %v): %v", tt.message, tt.named, tt.covers, got)
		}
	}
}

func TestMendsCode(t *testing.T) {
	for message, want := range map[string]bool{
		"tests/cart.test.js fails. Fix that.":                      true,
		"According to the tests the cart forgets an item, mend it": true,
		"test_mean ends with a ZeroDivisionError, can you fix it?": true,
		"Add a test for parse.":                                    false,
		"The test is wrong: it must expect 4. Fix it.":             false,
		"Why does test_mean fail?":                                 false,
		"Fix the typo in README.md.":                               false,
	} {
		if got := MendsCode(message); got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
}
