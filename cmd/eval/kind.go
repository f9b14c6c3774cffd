package main

// kind is what a request wants.
type kind string

// The kinds of tasks.
const (
	talk     kind = "talk"   // no tool is needed and no file of interest
	reading  kind = "read"   // something of the files is asked, and nothing may change
	changing kind = "change" // files are to change
)

func kinds() []kind { return []kind{talk, reading, changing} }

// class is a way to fail that small models have shown, and that a task tempts to.
type class string

// The classes of failures.
const (
	besideFiles   class = "plain question beside files" // answered with what the files are
	notLooked     class = "said without looking"        // "that is not specified in the files"
	announced     class = "change announced, not made"
	ambiguous     class = "ambiguous edit" // the text to replace occurs several times
	wrongPlace    class = "change in the wrong place"
	testNotCode   class = "test edited instead of code"
	calculator    class = "calculator asked to read files"
	guessedFolder class = "search in a guessed folder"
	ownFolder     class = ".assent listed as the user's"
	deleteMove    class = "delete and move"
	several       class = "several turns"    // of every task with more than one message
	unsaved       class = "unsaved buffers"  // of every task whose editor differs from the disk
	ordinary      class = "ordinary request" // of the fresh tasks, which tempt to nothing
)

// classes are all that a task is counted under.
func (t task) classes() []class {
	all := []class{t.class}
	if len(t.then) > 0 {
		all = append(all, several)
	}
	if len(t.unsaved) > 0 {
		all = append(all, unsaved)
	}
	return all
}
