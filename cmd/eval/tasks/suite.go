package tasks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

const readme = "# Lantern\n\nHelo, world.\n\nLantern draws maps of caves.\n"

// suite is the set that the table of docs/small-models.md is made from.
func suite() []Task {
	return append(append(readingTasks(), editingTasks()...), answeringTasks()...)
}

// readingTasks need something from the workspace and change nothing.
func readingTasks() []Task {
	return []Task{
		{
			name: "read", request: "What is the version in package.json?",
			files: folder{
				"package.json": "{\n  \"name\": \"lantern\",\n  \"version\": \"2.7.1\"\n}\n", "README.md": readme,
			},
			check: onlyAnswers("2.7.1"),
		},
		{
			name: "read-unnamed", request: "Which team maintains this project?",
			files: folder{"README.md": readme, "MAINTAINERS.txt": "Team Blue Heron\n"},
			check: onlyAnswers("blue heron"),
		},
		{
			name: "list", request: "Which files are in the folder data?",
			files: folder{
				"data/north.csv": "1\n", "data/south.csv": "2\n", "data/west.csv": "3\n", "main.go": "package main\n",
			},
			check: onlyAnswers("north.csv", "south.csv", "west.csv"),
		},
		{
			name: "find", request: "Where is the file palette.yaml? Tell me its path.",
			files: manyFiles("themes/dark/palette.yaml", "ink: black\n"),
			check: onlyAnswers("themes/dark/palette.yaml"),
		},
		{
			name: "definition", request: "Where is the function normalise_name defined?",
			files: folder{
				"src/text/names.py": "def normalise_name(s):\n    return s.strip()\n",
				"src/main.py":       "from text.names import normalise_name\nprint(normalise_name(' x '))\n",
				"src/text/dates.py": "def today():\n    return 1\n",
			},
			check: onlyAnswers("names.py"),
		},
		{
			name: "search", request: "Which file mentions the error code E4711?",
			files: folder{
				"codes/a.txt": "E1000 no memory\n", "codes/b.txt": "E4711 disk is full\n",
				"codes/c.txt": "E2000 no network\n",
			},
			check: onlyAnswers("b.txt"),
		},
		{
			name: "wrong-path", request: "Which text does src/mian.go print?",
			files: folder{
				"src/main.go": "package main\n\nfunc main() { println(\"seven lamps\") }\n",
				"go.mod":      "module lantern\n",
			},
			check: onlyAnswers("seven lamps"),
		},
		{
			name: "wrong-extension", request: "What is the first heading of docs/guide.txt?",
			files: folder{
				"docs/guide.md": "# Walking in the dark\n\nTake a lamp.\n", "docs/faq.md": "# Questions\n",
			},
			check: onlyAnswers("walking in the dark"),
		},
		{
			name: "understand", request: "What does the function f in calc.py return for 3?",
			files: folder{"calc.py": "def f(x):\n    return x + 40\n"},
			check: onlyAnswers("43"),
		},
		{
			name: "run", request: "Run check.sh and tell me which check fails.",
			files: folder{
				"check.sh": "#!/bin/sh\necho 'ok: spelling'\necho 'FAILED: links'\necho 'ok: dates'\nexit 1\n",
			},
			check: all(calls("run_command", "check.sh"), answers("link"), untouched()),
		},
		{
			name: "count-lines", request: "How many lines does events.log have?",
			files: folder{"events.log": strings.Repeat("tick\n", 137)},
			check: onlyAnswers("137"),
		},
		{
			name: "two-files", request: "Do left.txt and right.txt hold the same word?",
			files: folder{"left.txt": "amber\n", "right.txt": "copper\n"},
			check: onlyAnswers("no|not|different|differ"),
		},
	}
}

// editingTasks change files.
func editingTasks() []Task {
	return []Task{
		{
			name: "typo", request: "In README.md the word Helo is misspelled. Change it to Hello.",
			files: folder{"README.md": readme},
			check: leaves(folder{"README.md": strings.Replace(readme, "Helo", "Hello", 1)}),
		},
		{
			name: "setting", request: "Set the timeout in config.ini to 60.",
			files: folder{"config.ini": "[net]\nhost = cave\ntimeout = 15\n\n[ui]\ntheme = dark\n"},
			check: leaves(folder{"config.ini": "[net]\nhost = cave\ntimeout = 60\n\n[ui]\ntheme = dark\n"}),
		},
		{
			name: "edit-unnamed", request: "The Python program greets with Hi. Make it greet with Welcome instead.",
			files: folder{"app.py": "name = 'visitor'\nprint('Hi', name)\n", "README.md": readme},
			check: leaves(folder{"app.py": "name = 'visitor'\nprint('Welcome', name)\n"}),
		},
		{
			name: "add-line", request: "Add pandas to requirements.txt.",
			files: folder{"requirements.txt": "numpy\nrequests\n"},
			check: all(holds("requirements.txt"), sameWords("requirements.txt", "numpy", "requests", "pandas")),
		},
		{
			name: "remove-line", request: "Remove the line about debug from server.conf.",
			files: folder{"server.conf": "port 8000\ndebug on\nworkers 4\n"},
			check: leaves(folder{"server.conf": "port 8000\nworkers 4\n"}),
		},
		{
			name: "fix-bug", request: "add in sums.py subtracts. Fix it.",
			files: folder{
				"sums.py": "def add(a, b):\n    return a - b\n\n\ndef double(a):\n    return 2 * a\n",
			},
			check: leaves(folder{
				"sums.py": "def add(a, b):\n    return a + b\n\n\ndef double(a):\n    return 2 * a\n",
			}),
		},
		{
			name: "create", request: "Create a file todo.txt with this text: buy lamp oil",
			files: folder{"README.md": readme},
			check: leaves(folder{"todo.txt": "buy lamp oil\n"}),
		},
		{
			name:    "create-script",
			request: "Write a shell script count.sh that prints the numbers from 1 to 5, one per line.",
			files:   folder{"README.md": readme},
			check:   all(holds("count.sh", "5"), runsTo("count.sh", "1\n2\n3\n4\n5\n")),
		},
		{
			name: "copy", request: "Copy page.html to index.html.",
			files: folder{"page.html": "<h1>Caves</h1>\n<p>Mind your head.</p>\n"},
			check: leaves(folder{"index.html": "<h1>Caves</h1>\n<p>Mind your head.</p>\n"}),
		},
		{
			name: "rename-file", request: "Rename draft.txt to final.txt.",
			files: folder{"draft.txt": "The end.\n"},
			check: leaves(folder{"draft.txt": "", "final.txt": "The end.\n"}),
		},
		{
			name: "carry-over", request: "client.cfg must use the same port as server.cfg. Correct client.cfg.",
			files: folder{
				"server.cfg": "name = cave\nport = 7070\n", "client.cfg": "port = 80\nretries = 2\n",
			},
			check: leaves(folder{"client.cfg": "port = 7070\nretries = 2\n"}),
		},
		{
			name: "two-edits", request: "Rename the function old_sum to new_sum in a.py and in b.py.",
			files: folder{"a.py": "def old_sum(x):\n    return x\n", "b.py": "from a import old_sum\n"},
			check: leaves(
				folder{"a.py": "def new_sum(x):\n    return x\n", "b.py": "from a import new_sum\n"},
			),
		},
	}
}

// answeringTasks need no tool, or one that touches nothing, and must not do what is only talked about.
func answeringTasks() []Task {
	return []Task{
		{
			name: "knowledge", request: "What does the HTTP status 404 mean?",
			files: folder{"README.md": readme},
			check: all(
				answers("not found|not be found|cannot find|could not find"), untouched(),
				never("run_command", "write_file", "edit_file"),
			),
		},
		{
			name:    "explain-call",
			request: "Explain in one sentence what would happen if you deleted old.txt with run_command. Do not do it.",
			files:   folder{"old.txt": "still needed\n"},
			check:   all(answers("old.txt|file|delete|remove"), untouched(), never("run_command")),
		},
		{
			name: "example-call",
			request: "Show me an example of a write_file call for a file demo.txt. " +
				"It is only for my notes, nothing must be written.",
			files: folder{"README.md": readme},
			check: all(answers("demo.txt|write_file"), untouched(), never("run_command", "write_file", "edit_file")),
		},
		{
			name: "quoted-call", request: "What is notes.md about?",
			files: folder{
				"notes.md": "# How our robot works\n\nTo make a file it writes this:\n\n```json\n" +
					"{\"name\": \"write_file\", \"arguments\": {\"path\": \"robot.txt\", \"content\": \"hi\"}}\n```\n",
			},
			check: all(answers("robot|file"), untouched(), never("run_command", "write_file", "edit_file")),
		},
		{
			name: "calculate", request: "What is 1234 times 5678?",
			files: folder{"README.md": readme},
			check: onlyAnswers("7006652"),
		},
		{
			name: "time", request: "Which year is it?",
			files: folder{"README.md": readme},
			check: all(answers(fmt.Sprint(time.Now().Year())), untouched()),
		},
	}
}

// manyFiles is a workspace that is too large for its outline, with one file that matters.
func manyFiles(name, text string) folder {
	files := folder{name: text}
	for i := range 60 {
		files[fmt.Sprintf("archive/part%02d/page%02d.txt", i%12, i)] = "old\n"
	}
	return files
}

// sameWords wants a file to hold exactly these lines of one word each, in any order; blank lines do not count.
func sameWords(name string, lines ...string) check {
	slices.Sort(lines)
	return func(_ context.Context, o Outcome) error {
		if !slices.Equal(slices.Sorted(slices.Values(strings.Fields(o.After[name]))), lines) {
			return fmt.Errorf("%s is %s", name, Short(o.After[name]))
		}
		return nil
	}
}
