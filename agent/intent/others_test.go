package intent

import "testing"

func TestIsOfOthers(t *testing.T) {
	for message, c := range map[string]struct {
		named  bool
		covers float64
		want   bool
	}{
		"Is the garage locked?":                             {false, 0, true},
		"Book a room for Tuesday.":                          {false, 0.3, true},
		"Is the garage locked? See house.md":                {true, 0, false},
		"Which function locks the garage?":                  {false, 0.9, false}, // a file has it all
		"Write a haiku about a garage.":                     {false, 0, false},
		"What is the difference between a lock and a mutex": {false, 0, false},
	} {
		if got := IsOfOthers(message, c.named, c.covers); got != c.want {
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
		"Get rid of ticket 7.": {true, true}, "Take the photo off the page": {false, true}, "Turn off the heating": {true, false},
		"Is the order open?": {false, false}, "File a.txt is empty": {true, false}, "Who deleted it?": {false, true}, "": {false, false}, "Order": {false, false},
		"The files are here.": {false, false},
	} {
		if got := [2]bool{OrdersChange(message), Deletes(message)}; got != want {
			t.Errorf("%s: %v", message, got)
		}
	}
}
