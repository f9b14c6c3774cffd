package main

import "github.com/assent-ls/assent/cmd/eval/tasks"

// longTurn is one message of the long conversation, and what an edit that it asks for leaves in a file.
type longTurn struct{ says, file, text string }

// firstFact is what the first turn tells and the last asks for.
const firstFact = "heron"

// longTurns are thirty messages about a small project: questions, edits of files and plain talk.
func longTurns() []longTurn {
	return []longTurn{
		{says: "Hello! I am Odile, and our release is called Heron. Just greet me in one sentence."},
		{says: "What does inventory.py do? Answer in two sentences."},
		{says: "In settings.ini set the port to 8081.", file: "settings.ini", text: "port = 8081"},
		{says: "What is a hash table? Explain it in eight sentences."},
		{says: "In settings.ini set the language to French: fr.", file: "settings.ini", text: "language = fr"},
		{says: "Read notes.md and tell me in one sentence what is still to do."},
		{says: "In notes.md change the word \"Tuesday\" to \"Friday\".", file: "notes.md", text: "Friday"},
		{says: "Name five sorting algorithms, each with two sentences about it."},
		{says: "Which function of inventory.py removes an item? Answer in one sentence."},
		{says: "In inventory.py rename the function take_out to remove.", file: "inventory.py", text: "def remove("},
		{says: "Why is the sky blue? Explain it in eight sentences."},
		{says: "Create a file todo.txt with the text: call the printer.", file: "todo.txt", text: "printer"},
		{says: "What stands in settings.ini now?"},
		{says: "In settings.ini set the timeout to 45.", file: "settings.ini", text: "timeout = 45"},
		{says: "Explain in eight sentences what recursion is."},
		{says: "Read inventory.py again and tell me in two sentences what its class keeps."},
		{says: "In notes.md change \"blue boxes\" to \"green boxes\".", file: "notes.md", text: "green boxes"},
		{says: "Give me three rules for good names of variables."},
		{says: "What is the difference between a list and a tuple in Python? Answer in eight sentences."},
		{says: "In settings.ini set debug to false.", file: "settings.ini", text: "debug = false"},
		{says: "How many items does report.csv list?"},
		{says: "In report.csv change the price of the lamp to 31.", file: "report.csv", text: "lamp,31"},
		{says: "What is a unit test good for? Answer in eight sentences."},
		{says: "Which is the most expensive item of report.csv?"},
		{says: "In report.csv change the price of the chair to 52.", file: "report.csv", text: "chair,52"},
		{says: "Explain in eight sentences how a refrigerator works."},
		{says: "In notes.md change \"Marta\" to \"Marc\".", file: "notes.md", text: "Marc"},
		{says: "What is the port in settings.ini?"},
		{says: "Recommend four ways to test a web page, two sentences each."},
		{says: "What is our release called? I told you at the very start."},
	}
}

func longTask() tasks.Task {
	var says []string
	for _, turn := range longTurns() {
		says = append(says, turn.says)
	}
	return tasks.Conversation("long", longFiles(), says[0], says[1:]...)
}

func longFiles() map[string]string {
	return map[string]string{
		"settings.ini": "[server]\nport = 8080\nlanguage = en\ntimeout = 30\ndebug = true\n",
		"notes.md": "# Notes\n\n- Marta brings the blue boxes on Tuesday.\n- The shelf in room 4 is still broken.\n" +
			"- To do: count the lamps, and write to the supplier.\n" +
			"\n## Talks\n\nThe supplier called twice. He can send forty chairs at once or none at all, " +
			"because the lorry only comes when it is full. " +
			"Whoever answers him should ask for the price with and without the carriage, " +
			"and for the date on which the last lamps were sent back.\n\n" +
			"The baker next door would lend us her cellar in the summer. " +
			"It is dry, but the stairs are narrow: no table passes them.\n",
		"report.csv": "item,price\nlamp,29\nchair,48\ntable,120\ncarpet,75\nshelf,64\nmirror,38\ncurtain,27\n" +
			"cushion,12\ncandle,4\nvase,19\nclock,33\nbasket,15\nstool,26\nbench,88\ndrawer,57\nbucket,6\nladder,71\n" +
			"hook,3\ntray,11\nframe,14\n",
		"inventory.py": "class Inventory:\n    \"\"\"What is in stock, by the name of the item.\"\"\"\n\n" +
			"    def __init__(self):\n        self.items = {}\n\n" +
			"    def add(self, name, count=1):\n        self.items[name] = self.items.get(name, 0) + count\n\n" +
			"    def take_out(self, name, count=1):\n        if self.items.get(name, 0) < count:\n" +
			"            raise ValueError(f\"not enough {name}\")\n        self.items[name] -= count\n\n" +
			"    def total(self):\n        return sum(self.items.values())\n",
	}
}
