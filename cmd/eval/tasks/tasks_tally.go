package tasks

// tallyTasks are about a command-line program in Go.
func tallyTasks() []Task {
	talks := []Task{
		{
			name: "zero", class: besideFiles,
			request: "why does a unix program return 0 and not 1 when it worked?",
			check:   says(`success|non-?zero|no errors?\b|without (an )?error|went well|fail`),
		},
		{
			name: "loop", class: besideFiles,
			request: "what does this print?\n\nfor n := 1; n < 4; n++ {\n\tfmt.Print(n)\n}",
			check:   says(`\b1\W*2\W*(and )?3\b|\b(from|numbers) 1 (to|through|up to) 3\b`),
		},
		{
			name: "morning", class: besideFiles,
			request: "how do you say \"good morning\" in German?",
			check:   says(`guten? morgen`),
		},
		{
			name: "thanks", class: besideFiles,
			request: "great, thanks a lot!",
			check:   says(`welcome|glad|pleasure|happy|no problem|any ?time|let me know|help|thank`),
		},
		{
			name: "leap-year", class: besideFiles,
			request: "How many days does a leap year have?", then: []string{"and what is one less than that?"},
			check: all(turn(1, says(`\b366\b`)), says(`\b365\b`)),
		},
	}
	reads := []Task{
		{
			name: "editor", class: notLooked,
			request: "which editor is opened if the user sets none?",
			check:   says(`\bnano\b`),
		},
		{
			name: "exit-64", class: notLooked,
			request: "hey, what does exit code 64 mean here?",
			check: says(
				`command[- ]line|usage|\barguments?\b|(wrong|bad|invalid|missing|unknown|incorrect) (use|command|sub)|not (yet )?(written|implemented)`,
			),
		},
		{
			name: "decimal", class: guessedFolder,
			request: "There are two types called Options. In which file is the one with Decimal?",
			check: all(
				says(`report/options\.go|options\.go.*\breport\b|\breport\b.*options\.go`),
				saysNot(
					`^\W*(it is |it's |the (one|type|options)[^:]{0,40}decimal[^:]{0,30} )?((is )?(defined |located )?in )?\W*internal/config`,
				),
			),
		},
		{
			name: "week", class: calculator,
			request: "samples/week.txt: how many minutes is that altogether?",
			check:   says(`\b345\b`),
		},
		{
			name: "quarter", class: notLooked,
			request: "To how many minutes does config.Default round?",
			unsaved: []change{edit("internal/config/options.go", "Quarter: 15", "Quarter: 5")},
			check:   says(`\b(5|five)\b`),
		},
	}
	changes := []Task{
		{
			name: "round", class: testNotCode,
			request: "TestRound fails for 5 minutes. Please repair that.",
			touches: []string{"internal/clock/round.go"},
			check:   passes("go", "test", "-vet=off", "./internal/clock"),
		},
		{
			name: "rename", class: ambiguous,
			request: "rename maxTask to taskLimit in internal/store/store.go",
			touches: []string{"internal/store/store.go"},
			check:   becomes(everywhere("internal/store/store.go", "maxTask", "taskLimit")),
		},
		{
			name: "exit-4", class: announced,
			request: "Which exit code says that the file of hours cannot be read?",
			then:    []string{"Make it 4, in main.go and in docs/usage.md."},
			touches: []string{"main.go", "docs/usage.md"},
			check: all(
				turn(1, says(`\b(3|three)\b`)),
				becomes(
					edit("main.go", "os.Exit(3)", "os.Exit(4)"),
					edit("docs/usage.md", "3 if the file", "4 if the file"),
				),
			),
		},
		{
			name: "old-usage", class: deleteMove,
			request: "docs/old/usage.md should be docs/usage-0.3.md from now on",
			touches: []string{"docs/old/usage.md", "docs/usage-0.3.md"},
			check:   becomes(move("docs/old/usage.md", "docs/usage-0.3.md")),
		},
		{
			name: "currency", class: wrongPlace,
			request: "docs/config.md needs one more row, as the last of the table: currency, " +
				"sign in front of amounts, €",
			unsaved: []change{add("docs/config.md", "| width | characters in a line | 60 |\n")},
			touches: []string{"docs/config.md"},
			check: all(
				keeps("docs/config.md"), swaps(
					"docs/config.md", nil,
					[]string{`\| *currency *\| *[Ss]ign in front of amounts *\| *\x60?€\x60? *\|`},
				),
				file("docs/config.md", `\| 60 \|[ ]*\n\| *currency`),
			),
		},
	}
	return ofKinds(talks, reads, changes)
}
