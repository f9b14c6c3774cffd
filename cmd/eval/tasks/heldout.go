package tasks

// heldOut is a small set that no prompt or tool was tuned on: it shows whether improvements are general.
func heldOut() []Task {
	return []Task{
		{
			name: "licence", request: "Tell me the licence of this code.",
			files: folder{"COPYING": "Mozilla Public License 2.0\n", "tool.rb": "puts 1\n"},
			check: onlyAnswers("mozilla|mpl"),
		},
		{
			name: "background", request: "colours.css: the background ought to be navy, not white.",
			files: folder{"colours.css": "body {\n  background: white;\n  color: black;\n}\n"},
			check: leaves(folder{"colours.css": "body {\n  background: navy;\n  color: black;\n}\n"}),
		},
		{
			name: "new-file", request: "I need CHANGES.md. Its only line should be: Nothing yet",
			files: folder{"tool.rb": "puts 1\n"},
			check: leaves(folder{"CHANGES.md": "Nothing yet\n"}),
		},
		{
			name: "import", request: "Which of our modules imports sqlite3?",
			files: folder{
				"web.py": "import flask\n", "store.py": "import sqlite3\n", "mail.py": "import smtplib\n",
			},
			check: onlyAnswers("store"),
		},
		{
			name: "bump", request: "Please bump setup.cfg to version 1.5.0.",
			files: folder{"setup.cfg": "[metadata]\nname = kettle\nversion = 1.4.2\n"},
			check: leaves(folder{"setup.cfg": "[metadata]\nname = kettle\nversion = 1.5.0\n"}),
		},
	}
}
