package tasks

// heldOut is a small set that no prompt or tool was tuned on: it shows whether improvements are general.
func heldOut() []Task {
	return []Task{
		{
			name: "licence", request: "Tell me the licence of this code.",
			files: map[string]string{"COPYING": "Mozilla Public License 2.0\n", "tool.rb": "puts 1\n"},
			check: all(answers("mozilla|mpl"), untouched()),
		},
		{
			name: "background", request: "colours.css: the background ought to be navy, not white.",
			files: map[string]string{"colours.css": "body {\n  background: white;\n  color: black;\n}\n"},
			check: leaves(map[string]string{"colours.css": "body {\n  background: navy;\n  color: black;\n}\n"}),
		},
		{
			name: "new-file", request: "I need CHANGES.md. Its only line should be: Nothing yet",
			files: map[string]string{"tool.rb": "puts 1\n"},
			check: leaves(map[string]string{"CHANGES.md": "Nothing yet\n"}),
		},
		{
			name: "import", request: "Which of our modules imports sqlite3?",
			files: map[string]string{
				"web.py": "import flask\n", "store.py": "import sqlite3\n", "mail.py": "import smtplib\n",
			},
			check: all(answers("store"), untouched()),
		},
		{
			name: "bump", request: "Please bump setup.cfg to version 1.5.0.",
			files: map[string]string{"setup.cfg": "[metadata]\nname = kettle\nversion = 1.4.2\n"},
			check: leaves(map[string]string{"setup.cfg": "[metadata]\nname = kettle\nversion = 1.5.0\n"}),
		},
	}
}
