package tasks

// museumTasks are about the records of a museum.
func museumTasks() []Task {
	talks := []Task{
		{
			name: "printing", class: besideFiles,
			request: "who invented the printing press in europe again?",
			check:   says(`\bguten?berg\b`),
		},
		{
			name: "invite", class: besideFiles,
			request: "One sentence for a poster: people should come to the night of the museums.",
			check: all(
				says(
					`\bmuseums?\b`, `\bnight|evening|midnight|after dark`,
					`\b(join|come|invite|visit|welcome|experience|discover|explore|enjoy|step|don't miss|immerse|unlock|unveil|celebrate|embark|see you|spend)`,
				),
				saysNot(`\.(md|csv|json)\b`, `not (specified|mentioned)`),
			),
		},
		{
			name: "provenance", class: besideFiles,
			request: "What does the word provenance mean? Two sentences at most.",
			check: says(
				`\borigins?\b|histor(y|ical)|ownership|owners?\b|where (it|something|an? \w+( \w+)?) (comes?|came|originate)`,
			),
		},
		{
			name: "arrival", class: besideFiles,
			request: "my train leaves at 14:50 and needs 45 minutes. when am I there",
			check:   says(`\b15[:.h]35\b|\b0?3[:.]35\b`),
		},
	}
	reads := []Task{
		{
			name: "lender", class: notLooked,
			request: "who lent us the Hermes Baby?", then: []string{"and how long can we keep it?"},
			check: all(
				turn(1, all(says(`\blindqvist\b`), saysNot(`joensen|esbjerg`))),
				says(
					`2027-0?9-30|\b30(th)?( of)? sep\w*\.?,? 2027|\bsep\w*\.? 30(th)?,? 2027|\b30[./]0?9[./]2027|\b0?9/30/2027|\bend of september,? 2027`,
				),
			),
		},
		{
			name: "children", class: guessedFolder,
			request: "In July 2025, how many children came?",
			unsaved: []change{edit("visitors/2025.csv", "7,402,184,2", "7,402,191,2")},
			check:   says(`\b191\b`),
		},
		{
			name: "oldest", class: calculator,
			request: "whats the oldest piece that we have, of any sort?",
			check: all(
				says(`\binkwell\b|\bIN-001\b`),
				saysNot(`oldest( piece| one)?( that we have)?( of any sort)? is (the |a )?(remington|TW-)`),
			),
		},
		{
			name: "daylight", class: guessedFolder,
			request: "One of our machines must not stand in the light. Which one?",
			check: all(
				says(`\bblickensderfer\b|\bTW-005\b`), saysNot(`\b(remington|underwood|valentine|TW-00[12346789])\b`),
			),
		},
	}
	changes := []Task{
		{
			name: "valentine", class: ambiguous,
			request: "the Valentine stands in room 3 since yesterday, note that in the catalog please",
			touches: []string{"catalogue.csv"},
			check: becomes(
				edit("catalogue.csv", "Valentine,Olivetti,1969,Italy,1,", "Valentine,Olivetti,1969,Italy,3,"),
			),
		},
		{
			name: "draft", class: deleteMove,
			request: "We do not need the draft of the letter of 2023 any more. Throw it away.",
			touches: []string{"letters/2023-thanks-draft.md"},
			check:   becomes(remove("letters/2023-thanks-draft.md")),
		},
		{
			name: "adler", class: announced,
			request: "We got a new machine! TW-009, an Adler 7, made by Adler in 1901, given by Nadia Okafor. " +
				"Please write its file in objects, like the others have one; the catalogue I do myself.",
			touches: []string{"objects/TW-009.md"},
			check: all(
				file(
					"objects/TW-009.md", `(?mi)^# +TW-009\W+(an? )?Adler 7\s*$`,
					`(?mi)^[-*] \**maker:?\**:? +Adler\s*$`, `(?mi)^[-*] \**year:?\**:? +1901\s*$`,
					`(?mi)^[-*] \**given by:?\**:? +Nadia Okafor(,? \d{4})?\.?\s*$`,
				),
				fileNot(
					"objects/TW-009.md", `(?i)remington|underwood|olivetti|gestetner|blickensderfer|Birgit|Thygesen`,
				),
			),
		},
		{
			name: "tour", class: ambiguous,
			request: "How much do we take for a guided tour?", then: []string{
				"400 would be better. Only for the tour!",
			},
			unsaved: []change{edit("prices.json", `"child": 20`, `"child": 30`)},
			touches: []string{"prices.json"},
			check: all(
				turn(1, says(`\b350\b`)), becomes(edit("prices.json", `"guided_tour": 350`, `"guided_tour": 400`)),
			),
		},
	}
	return ofKinds(talks, reads, changes)
}
