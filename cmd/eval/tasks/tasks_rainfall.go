package tasks

// rainfallTasks are about scripts in Python and their data.
func rainfallTasks() []Task {
	talks := []Task{
		{
			name: "tuple", class: besideFiles,
			request: "what's the difference between a list and a tuple in python? one sentence",
			check:   says(`mutable|(can ?not|can't|can) be (changed|modified|altered)|changeable|once created`),
		},
		{
			name: "median", class: besideFiles,
			request: "What is the median of 3, 9, 4 and 8?",
			check:   says(`\b(6(\.0)?|six)\b`),
		},
		{
			name: "slice", class: besideFiles,
			request: "I found this somewhere:\n\n```python\nx = x[::-1]\n```\n\nWhat is it for?",
			check:   says(`revers|backward|last to (the )?first`),
		},
		{
			name: "french", class: besideFiles,
			request: "Give me the French word for rain, please.", then: []string{"and for snow?"},
			check: all(turn(1, says(`\bpluie\b`)), says(`\bneige\b`)),
		},
		{
			name: "csv", class: besideFiles,
			request: "how would one read a csv in python without pandas? " +
				"a few lines will do, it's only for my understanding",
			check: says(`import csv|csv\.|csv module|\bsplit\(|open\(`),
		},
	}
	reads := []Task{
		{
			name: "contact", class: notLooked,
			request: "Who can I ask about the gauges?",
			check:   says(`ingrid|solheim`),
		},
		{
			name: "unused", class: guessedFolder,
			request: "One of our convert functions isn't used any more. In which file is it?",
			check:   says(`tools/convert\.py|convert\.py.*\btools\b|\btools\b.*convert\.py`),
		},
		{
			name: "sum", class: calculator,
			request: "How many mm fell in January 2024 in total, all stations together?",
			check:   says(`\b60\.5`),
		},
		{
			name: "rows", class: guessedFolder,
			request: "How many readings are in data/2023/january.csv? The head line is none.", then: []string{
				"and in that of 2024?",
			},
			check: all(turn(1, says(`\b(4|four)\b`)), says(`\b(6|six)\b`)),
		},
		{
			name: "highest", class: notLooked,
			request: "what's the highest reading that settings.toml lets through?",
			unsaved: []change{edit("settings.toml", "highest = 180", "highest = 220")},
			check:   says(`\b220\b`),
		},
	}
	changes := []Task{
		{
			name: "mean", class: testNotCode,
			request: "test_mean ends with a ZeroDivisionError, can you fix it?",
			touches: []string{"rain/stats.py"},
			check: python("from rain.stats import by_station, mean, total, wettest\n" +
				"rows = [{'day': 1, 'station': 'a', 'mm': 2.0}, {'day': 2, 'station': 'b', 'mm': 7.0}]\n" +
				"assert mean([]) == 0 and mean(rows) == 4.5 and total(rows) == 9 and wettest(rows)['day'] == 2 and " +
				"by_station(rows) == {'a': 2.0, 'b': 7.0}"),
		},
		{
			name: "docstring", class: announced,
			request: "convert in rain/load.py has no docstring. Give it a short one.",
			touches: []string{"rain/load.py"},
			check: all(keeps("rain/load.py"), python("import rain.load as l\n"+
				"assert (l.convert.__doc__ or '').strip() and l.read_rows.__doc__.startswith('Read a file')\n"+
				"assert l.convert({'day': '1', 'station': 'a', 'mm': '2'}) == {'day': 1, 'station': 'a', 'mm': 2.0}")),
		},
		{
			name: "tmp", class: ambiguous,
			request: "In fill_gaps the name tmp says nothing. Call it by_day.",
			touches: []string{"rain/clean.py"},
			check:   becomes(everywhere("rain/clean.py", "tmp", "by_day")),
		},
		{
			name: "requirement", class: wrongPlace,
			request: "we also need matplotlib now, put it at the end of requirements.txt",
			touches: []string{"requirements.txt"},
			check: all(
				swaps("requirements.txt", nil, []string{`matplotlib\s*([=><~!].*)?`}),
				place("requirements.txt", "^tabulate$", "^pytest$", "^matplotlib"),
			),
		},
		{
			name: "converter", class: deleteMove,
			request: "nobody needs tools/convert.py any longer, it can go",
			touches: []string{"tools/convert.py"},
			check:   becomes(remove("tools/convert.py")),
		},
	}
	return ofKinds(talks, reads, changes)
}
