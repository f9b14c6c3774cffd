package tasks

func rainfallOutcomes() map[string]judged {
	const (
		files   = "The project has README.md, pyproject.toml, rain/stats.py and tests/test_stats.py."
		unknown = "The files do not say that."
		stats   = "rain/stats.py"
		load    = "rain/load.py"
		clean   = "rain/clean.py"
		needs   = "requirements.txt"
	)
	return map[string]judged{
		"tuple": {
			right: []result{said("A list is mutable, a tuple is immutable."), said("You can't change a tuple once created."), said("Lists can be changed, tuples not.")},
			wrong: []result{said(files), said("A tuple is faster.")},
		},
		"median": {
			right: []result{said("6"), said("Sorted they are 3, 4, 8, 9, so it is (4 + 8) / 2 = 6.0."), said("The median is six.")},
			wrong: []result{said("The median of 3, 9, 4 and 8 is 4."), said(files)},
		},
		"slice": {
			right: []result{said("It reverses x."), said("You get x backwards."), said("A reversed copy of the sequence.")},
			wrong: []result{said("It copies x."), said(files)},
		},
		"french": {
			right: []result{said("la pluie", "la neige"), said("Rain is \"pluie\".", "Snow is **neige**.")},
			wrong: []result{said("la pluie", "la pluie"), said("neige", "neige"), said(files, files)},
		},
		"csv": {
			right: []result{said("```python\nimport csv\nwith open('a.csv') as f:\n    for row in csv.reader(f):\n        print(row)\n```"), said("Use the csv module: csv.DictReader(f).")},
			wrong: []result{said(files), said("Use pandas."), {says: []string{"import csv"}, does: []change{write("read.py", "import csv\n")}}},
		},
		"contact": {
			right: []result{said("Ingrid Solheim in the field office."), said("Ask Ms Solheim.")},
			wrong: []result{said(unknown), said("The field office")},
		},
		"unused": {
			right: []result{said("tools/convert.py"), said("It is `convert.py`, which lies in tools."), said("In the folder tools, the file convert.py.")},
			wrong: []result{said("rain/load.py"), said("rain/convert.py"), said(unknown)},
		},
		"sum": {
			right: []result{said("60.5 mm"), said("11 + 9.5 + 0.5 + 0 + 22.5 + 17 = 60.50")},
			wrong: []result{said("9.0 mm"), said("34"), said(unknown)},
		},
		"rows": {
			right: []result{said("4", "6"), said("There are four readings.", "That one has six (seven lines).")},
			wrong: []result{said("4", "4"), said("5", "7"), said("4", unknown)},
		},
		"highest": {
			right: []result{said("220"), said("At most **220** mm.")},
			wrong: []result{said("180"), said(unknown)},
		},
		"mean": {
			right: []result{
				did(edit(stats, "    return total(rows) / len(rows)", "    if not rows:\n        return 0\n    return total(rows) / len(rows)")),
				did(edit(stats, "return total(rows) / len(rows)", "return total(rows) / len(rows) if rows else 0")),
				did(edit(stats, "    return total(rows) / len(rows)", "    try:\n        return total(rows) / len(rows)\n    except ZeroDivisionError:\n        return 0")),
			},
			wrong: []result{
				did(), did(edit("tests/test_stats.py", "    assert mean([]) == 0\n", "")), did(edit(stats, "return total(rows) / len(rows)", "return 0")),
				did(edit(stats, "return total(rows) / len(rows)", "return total(rows) / (len(rows) + 1)")),
			},
		},
		"docstring": {
			right: []result{
				did(edit(load, "def convert(row):\n", "def convert(row):\n    \"\"\"Give the values of a row their types.\"\"\"\n")),
				did(edit(load, "def convert(row):\n", "def convert(row):\n    '''\n    Turn a row of text into a reading.\n    '''\n\n")),
			},
			wrong: []result{
				said("The docstring should be \"Convert a row\"."), did(edit(load, "def convert(row):\n", "\"\"\"Convert a row.\"\"\"\ndef convert(row):\n")),
				did(edit(load, "def convert(row):\n", "def convert(row):\n    # converts a row\n")), did(edit(load, "Read a file of readings into a list of dicts.", "Convert a row.")),
				did(edit("tools/convert.py", "def convert(line):\n", "def convert(line):\n    \"\"\"Convert.\"\"\"\n")),
			},
		},
		"tmp": {
			right: []result{did(everywhere(clean, "tmp", "by_day"))},
			wrong: []result{did(), did(edit(clean, "    tmp = {", "    by_day = {")), did(everywhere(clean, "tmp", "by_day"), edit("rain/stats.py", "sums = {}", "by_day = {}"))},
		},
		"requirement": {
			right: []result{did(add(needs, "matplotlib\n")), did(add(needs, "matplotlib>=3.8")), did(add(needs, "\nmatplotlib\n"))},
			wrong: []result{did(), did(edit(needs, "tabulate", "matplotlib\ntabulate")), did(edit(needs, "pytest", "matplotlib")), did(write(needs, "matplotlib\n")), did(edit("pyproject.toml", `["tabulate"]`, `["tabulate", "matplotlib"]`))},
		},
		"converter": {
			right: []result{did(remove("tools/convert.py"))},
			wrong: []result{did(), did(write("tools/convert.py", "")), did(remove("tools/convert.py"), remove("rain/load.py"))},
		},
	}
}
