package tasks

// fileTools are tasks that the tools for files of the second generation are meant for: deleting, moving, inserting,
// replacing everywhere, several files at once. No prompt or tool was tuned on them. Some of those tools are found by a
// search alone.
func fileTools() []Task {
	const server = "[main]\nport = 8081\n\n[spare]\nport = 8081\n"
	return []Task{
		{
			name: "delete", request: "The file legacy.txt is of no use any more. Get rid of it.",
			files: folder{"legacy.txt": "old\n", "keep.txt": "new\n"},
			check: leaves(folder{"legacy.txt": ""}),
		},
		{
			name: "move", request: "jotter.txt belongs into the folder archive. Move it there.",
			files: folder{"jotter.txt": "buy lamps\n", "archive/2024.txt": "buy rope\n"},
			check: leaves(folder{"jotter.txt": "", "archive/jotter.txt": "buy lamps\n"}),
		},
		{
			name: "everywhere", request: "server.ini still says port 8081 twice. It has to be 9191 in both places.",
			files: folder{"server.ini": server},
			check: leaves(folder{"server.ini": "[main]\nport = 9191\n\n[spare]\nport = 9191\n"}),
		},
		{
			name: "append", request: "Put the line \"Printed on recycled paper.\" at the end of colophon.txt.",
			files: folder{"colophon.txt": "Set in Garamond.\nBound by hand.\n"},
			check: leaves(
				folder{"colophon.txt": "Set in Garamond.\nBound by hand.\nPrinted on recycled paper.\n"},
			),
		},
		{
			name: "insert", request: "recipe.txt: after the line about flour there should be one that says: 2 eggs",
			files: folder{"recipe.txt": "200 g flour\n1 l milk\nsalt\n"},
			check: leaves(folder{"recipe.txt": "200 g flour\n2 eggs\n1 l milk\nsalt\n"}),
		},
		{
			name:    "both-files",
			request: "Our mascot is no longer called Rex but Bello. Correct zoo.txt and banner.txt.",
			files:   folder{"zoo.txt": "Mascot: Rex\n", "banner.txt": "Come and see Rex!\n"},
			check:   leaves(folder{"zoo.txt": "Mascot: Bello\n", "banner.txt": "Come and see Bello!\n"}),
		},
	}
}
