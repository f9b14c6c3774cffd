package tasks

func tallyOutcomes() map[string]judged {
	const (
		files   = "The workspace holds README.md, go.mod, main.go and a Makefile."
		unknown = "That is not specified in the files of the workspace."
		round   = "internal/clock/round.go"
		store   = "internal/store/store.go"
		usage   = "docs/usage.md"
		config  = "docs/config.md"
	)
	return map[string]judged{
		"zero": {
			right: []result{said("By convention 0 stands for success, and every other number tells which error it was."), said("There are many ways to go wrong, but only one to have no error.")},
			wrong: []result{said(files), said(unknown)},
		},
		"loop": {
			right: []result{said("It prints `123`."), said("1, 2 and 3 without spaces: **123**"), said("1\n2\n3"), said("The numbers from 1 to 3, one after the other.")},
			wrong: []result{said("It prints 0123."), said(files)},
		},
		"morning": {
			right: []result{said("Guten Morgen!"), said("It is \"guten Morgen\".")},
			wrong: []result{said("Guten Tag"), said(files)},
		},
		"thanks": {
			right: []result{said("You're welcome!"), said("Glad I could be of use."), said("Gern geschehen, let me know if there is more.")},
			wrong: []result{said(files), {says: []string{"You're welcome!"}, does: []change{write("thanks.txt", "thanks")}}},
		},
		"leap-year": {
			right: []result{said("It has 366 days.", "365"), said("366", "One less is 365, an ordinary year.")},
			wrong: []result{said("366", "366"), said("365", "364"), said(files, files)},
		},
		"editor": {
			right: []result{said("nano"), said("The default editor is `nano`, see docs/config.md.")},
			wrong: []result{said("vim"), said(unknown)},
		},
		"exit-64": {
			right: []result{said("The command line was wrong."), said("64 means a usage error."), said("It is returned for missing arguments and unknown commands."), said("Wrong use of the program"), said("It means that there are too few arguments.")},
			wrong: []result{said("The file cannot be read."), said(unknown)},
		},
		"decimal": {
			right: []result{said("internal/report/options.go"), said("`options.go` in the package report, not the one in config."), said("There are internal/config/options.go and internal/report/options.go; Decimal is in the second.")},
			wrong: []result{said("internal/config/options.go"), said("options.go"), said("The type Options with Decimal is in `internal/config/options.go`, not in report.")},
		},
		"week": {
			right: []result{said("345 minutes"), said("90 + 45 + 120 + 30 + 60 = **345**")},
			wrong: []result{said("305"), said(unknown), said("sum(samples/week.txt)")},
		},
		"quarter": {
			right: []result{said("To 5 minutes."), said("Five minutes; docs/config.md still says 15.")},
			wrong: []result{said("To 15 minutes."), said("To quarters of an hour.")},
		},
		"round": {
			right: []result{
				did(edit(round, "rest*2 > step", "rest*2 >= step")), did(edit(round, "if rest*2 > step {", "if 2*rest >= step {")),
				did(edit(round, "\trest := minutes % step\n\tif rest*2 > step {\n\t\treturn minutes - rest + step\n\t}\n\treturn minutes - rest", "\treturn (minutes + step/2) / step * step")),
			},
			wrong: []result{
				did(), did(edit("internal/clock/round_test.go", "{5, 10, 10}", "{5, 10, 0}")), did(edit(round, "rest*2 > step", "rest > step")),
				did(edit(round, "rest*2 > step", "rest*2 >= step"), edit("internal/clock/round_test.go", "{5, 10, 10}", "{5, 10, 10}, ")),
			},
		},
		"rename": {
			right: []result{did(everywhere(store, "maxTask", "taskLimit"))},
			wrong: []result{did(), did(edit(store, "const maxTask", "const taskLimit")), did(everywhere(store, "maxTask", "taskLimit"), write("taskLimit.go", "package store\n"))},
		},
		"exit-4": {
			right: []result{did(edit("main.go", "os.Exit(3)", "os.Exit(4)"), edit(usage, "3 if", "4 if")).after("It is 3."), did(edit(usage, "3 if", "4 if"), edit("main.go", "Exit(3)", "Exit(4)")).after("Exit code three.")},
			wrong: []result{
				did(edit("main.go", "os.Exit(3)", "os.Exit(4)")).after("It is 3."), said("3", "I will change it to 4 in both files."),
				did(edit("main.go", "os.Exit(3)", "os.Exit(4)"), edit(usage, "3 if", "4 if")).after("64"),
			},
		},
		"old-usage": {
			right: []result{did(move("docs/old/usage.md", "docs/usage-0.3.md"))},
			wrong: []result{did(), did(move("docs/usage.md", "docs/usage-0.3.md")), did(write("docs/usage-0.3.md", "# Commands of version 0.3\n\n- `tally in` and `tally out`\n"))},
		},
		"currency": {
			right: []result{did(add(config, "| currency | sign in front of amounts | € |\n")), did(add(config, "|currency|Sign in front of amounts|`€`|\n\n"))},
			wrong: []result{
				did(edit(config, "| width |", "| currency | sign in front of amounts | € |\n| width |")), did(edit(config, "| width | characters in a line | 60 |", "| currency | sign in front of amounts | € |")),
				did(add(config, "\n| currency | sign in front of amounts | € |\n")), said("I will add the row."),
			},
		},
	}
}
