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
		"400 would be better, but only for groups!":                    Change,
		"she has moved to another town, so take her off":               Change,
		"The lamp is in the hall now, note that in the list please":    Change,
		"note that the list is long":                                   Unclear,
		"Do it.":                                                       Unclear,
		"do the tests pass":                                            Question,
		"Would tea be better?":                                         Question,
		"Give me an example of a call, nothing must be written.":       Question,
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

func TestTalkOfTheWorld(t *testing.T) {
	for message, want := range map[string]bool{
		"quick one: tabs versus spaces, what is usual":                          true,
		"how many grams has a kilo":                                             true,
		"My neighbour wants to know which river is the longest. Well?":          true,
		"my bus leaves at 9:10 and needs 25 minutes. when does it arrive":       true,
		"A slogan for our fair: people should bring their friends.":             true,
		"how do i see only the first lines of a long file in the shell?":        true,
		"Does a string quartet normally have a double bass?":                    true,
		"what are 20 miles in km":                                               true,
		"the printer stands in room 3 since yesterday, note that in the list":   false,
		"The guide needs one more section: what to bring. Sturdy shoes, a hat.": false,
		"I'd like a function total(prices). It gives a sum: what all cost.":     false,
		"One of our machines must not get wet. Which one?":                      false,
		"go on": false,
	} {
		if got := IsTalk(message, false, 0.15); got != want {
			t.Errorf("%s: %t", message, got)
		}
	}
	for message, want := range map[string]bool{"And which of them is the lowest?": true, "so 2.4 kilos are?": true, "and in our tests?": false, "and delete it": false, "Which files are there?": false} {
		if got := GoesOn(message, false); got != want {
			t.Errorf("%s goes on: %t", message, got)
		}
	}
}
