package main

// heldOut is a small set that no prompt or tool was tuned on: it shows whether improvements are general.
func heldOut() []task {
	return []task{
		{
			"licence", "Tell me the licence of this code.",
			map[string]string{"COPYING": "Mozilla Public License 2.0\n", "tool.rb": "puts 1\n"},
			all(answers("mozilla|mpl"), untouched()),
		},
		{
			"background", "colours.css: the background ought to be navy, not white.",
			map[string]string{"colours.css": "body {\n  background: white;\n  color: black;\n}\n"},
			leaves(map[string]string{"colours.css": "body {\n  background: navy;\n  color: black;\n}\n"}),
		},
		{
			"new-file", "I need CHANGES.md. Its only line should be: Nothing yet",
			map[string]string{"tool.rb": "puts 1\n"},
			leaves(map[string]string{"CHANGES.md": "Nothing yet\n"}),
		},
		{
			"import", "Which of our modules imports sqlite3?",
			map[string]string{"web.py": "import flask\n", "store.py": "import sqlite3\n", "mail.py": "import smtplib\n"},
			all(answers("store"), untouched()),
		},
		{
			"bump", "Please bump setup.cfg to version 1.5.0.",
			map[string]string{"setup.cfg": "[metadata]\nname = kettle\nversion = 1.4.2\n"},
			leaves(map[string]string{"setup.cfg": "[metadata]\nname = kettle\nversion = 1.5.0\n"}),
		},
	}
}
