package tasks

// Kind is what a request wants.
type Kind string

// The kinds of tasks.
const (
	talk     Kind = "talk"   // no tool is needed and no file of interest
	reading  Kind = "read"   // something of the files is asked, and nothing may change
	changing Kind = "change" // files are to change
)

// Kinds are all of them, in the order of the tables.
func Kinds() []Kind { return []Kind{talk, reading, changing} }

// Class is a way to fail that small models have shown, and that a task tempts to.
type Class string

// The classes of failures.
const (
	besideFiles   Class = "plain question beside files" // answered with what the files are
	notLooked     Class = "said without looking"        // "that is not specified in the files"
	announced     Class = "change announced, not made"
	ambiguous     Class = "ambiguous edit" // the text to replace occurs several times
	wrongPlace    Class = "change in the wrong place"
	testNotCode   Class = "test edited instead of code"
	calculator    Class = "calculator asked to read files"
	guessedFolder Class = "search in a guessed folder"
	ownFolder     Class = ".assent listed as the user's"
	deleteMove    Class = "delete and move"
	several       Class = "several turns"    // of every task with more than one message
	unsaved       Class = "unsaved buffers"  // of every task whose editor differs from the disk
	ordinary      Class = "ordinary request" // of the fresh tasks, which tempt to nothing
	manySteps     Class = "many steps over many files"
)

// Classes are all that a task is counted under.
func (t Task) Classes() []Class {
	all := []Class{t.class}
	if len(t.then) > 0 {
		all = append(all, several)
	}
	if len(t.unsaved) > 0 {
		all = append(all, unsaved)
	}
	return all
}
