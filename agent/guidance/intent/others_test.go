package intent

import "testing"

func TestOfTheOthers(t *testing.T) {
	for message, c := range map[string]struct {
		named  bool
		covers float64
		want   Others
	}{
		"Is the garage locked?":                             {false, 0, OfOthers},
		"Book a room for Tuesday.":                          {false, 0.3, PerhapsOne},
		"Is the garage locked? See house.md":                {true, 0, NotOthers},
		"Put the garage on a list in new/house.txt":         {false, 0, NotOthers}, // a file that is not there yet
		"Which of our files speak of the garage?":           {false, 0, NotOthers},
		"What does the garage have?":                        {false, 0.9, NotOthers}, // a file has it all
		"Write a haiku about a garage.":                     {false, 0, NotOthers},
		"File a complaint about the garage.":                {false, 0, OfOthers},
		"When does the coupon code run out?":                {false, 0, OfOthers},
		"Does our code open the garage?":                    {false, 0, NotOthers},
		"What is the difference between a lock and a mutex": {false, 0, NotOthers},
	} {
		if got := OfTheOthers(message, c.named, c.covers); got != c.want {
			t.Errorf("%s: %v", message, got)
		}
	}
}

func TestNamesOfTools(t *testing.T) {
	for name, want := range map[string][2]bool{ // changes, deletes
		"create_issue": {true, false}, "sendMail": {true, false}, "home__turn_on": {true, false}, "update-card": {true, false}, "Update": {false, false},
		"delete_mail": {true, true}, "mail_delete": {false, true}, "mailDelete": {false, true}, "removeItem": {true, true},
		"get_issue": {false, false}, "list_updates": {false, false}, "address_book": {false, false}, "orders": {false, false}, "posts": {false, false}, "": {false, false},
	} {
		if got := [2]bool{NamesChange(name), NamesDeletion(name)}; got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestOrders(t *testing.T) {
	for message, want := range map[string][2]bool{ // orders a change, speaks of deleting
		"Please remind me to call Ada on Friday.": {true, false}, "File a bug: it crashes.": {true, false}, "Could you cancel the meeting?": {true, true},
		"Get rid of ticket 7.": {true, true}, "Take the photo off the page": {true, true}, "Turn off the heating": {true, false},
		"Is the order open?": {false, false}, "File a.txt is empty": {true, false}, "Who deleted it?": {false, true}, "": {false, false}, "Order": {false, false},
		"The files are here.": {false, false},
	} {
		if got := [2]bool{OrdersChange(message), Deletes(message)}; got != want {
			t.Errorf("%s: %v", message, got)
		}
	}
}
