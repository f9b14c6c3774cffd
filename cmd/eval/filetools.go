package main

// fileTools are tasks that the tools for files of the second generation are meant for: deleting, moving, inserting, replacing
// everywhere, several files at once. No prompt or tool was tuned on them. Some of those tools are found by a search alone.
func fileTools() []task {
	const server = "[main]\nport = 8081\n\n[spare]\nport = 8081\n"
	return []task{
		{
			"delete", "The file legacy.txt is of no use any more. Get rid of it.",
			map[string]string{"legacy.txt": "old\n", "keep.txt": "new\n"},
			leaves(map[string]string{"legacy.txt": ""}),
		},
		{
			"move", "jotter.txt belongs into the folder archive. Move it there.",
			map[string]string{"jotter.txt": "buy lamps\n", "archive/2024.txt": "buy rope\n"},
			leaves(map[string]string{"jotter.txt": "", "archive/jotter.txt": "buy lamps\n"}),
		},
		{
			"everywhere", "server.ini still says port 8081 twice. It has to be 9191 in both places.",
			map[string]string{"server.ini": server},
			leaves(map[string]string{"server.ini": "[main]\nport = 9191\n\n[spare]\nport = 9191\n"}),
		},
		{
			"append", "Put the line \"Printed on recycled paper.\" at the end of colophon.txt.",
			map[string]string{"colophon.txt": "Set in Garamond.\nBound by hand.\n"},
			leaves(map[string]string{"colophon.txt": "Set in Garamond.\nBound by hand.\nPrinted on recycled paper.\n"}),
		},
		{
			"insert", "recipe.txt: after the line about flour there should be one that says: 2 eggs",
			map[string]string{"recipe.txt": "200 g flour\n1 l milk\nsalt\n"},
			leaves(map[string]string{"recipe.txt": "200 g flour\n2 eggs\n1 l milk\nsalt\n"}),
		},
		{
			"both-files", "Our mascot is no longer called Rex but Bello. Correct zoo.txt and banner.txt.",
			map[string]string{"zoo.txt": "Mascot: Rex\n", "banner.txt": "Come and see Rex!\n"},
			leaves(map[string]string{"zoo.txt": "Mascot: Bello\n", "banner.txt": "Come and see Bello!\n"}),
		},
	}
}
