package tasks

// bakeryTasks are about a small web site.
func bakeryTasks() []Task {
	talks := []Task{
		{
			name: "rem", class: besideFiles,
			request: "what is 1rem in CSS?",
			check:   says(`\broot\b|16 ?(px|pixel)|html element`),
		},
		{
			name: "pain", class: besideFiles,
			request: "Wie heißt \"Brot\" auf Französisch?",
			check:   says(`\bpain\b`),
		},
		{
			name: "map", class: besideFiles,
			request: "Can you tell me what this gives?\n\n[1, 2, 3].map(x => x * 2)",
			check:   says(`\b2\W+4\W+(and |und )?6\b`),
		},
		{
			name: "loaves", class: besideFiles,
			request: "i have 12 loaves and sell 5, how many are left",
			check:   says(`\b(7|seven)\b`),
		},
		{
			name: "centre", class: besideFiles,
			request: "How would one centre a box on a page, in general? I only want to know, leave our site as it is.",
			check:   says(`flex|margin|grid|justify|text-align|translate`),
		},
	}
	reads := []Task{
		{
			name: "saturday", class: notLooked,
			request: "until when are we open on saturdays?",
			check:   says(`\b13[:.]00|\b13 ?(h|o'clock|uhr)|\b1(:00)? ?p\.?m|\bone (o'clock|p\.?m)|\b13\b`),
		},
		{
			name: "folders", class: ownFolder,
			request: "Which folders are there in this project?",
			check:   all(says(`\bcss\b`, `\bjs\b`, `\bshop\b`, `\bdata\b`, `\bold\b`), saysNot(`\.assent`)),
		},
		{
			name: "colours", class: guessedFolder,
			request: "What colour do big headings have on our site?", then: []string{
				"and the text when somebody prints a page?",
			},
			check: all(turn(1, says(`8b4513|brown`)), says(`\bblack\b|#000`)),
		},
		{
			name: "order", class: calculator,
			request: "What do a rye loaf and a plum cake cost together? See data/products.json.",
			check:   says(`\b800\b|\b8([.,]00?)?\b`),
		},
		{
			name: "euro", class: guessedFolder,
			request: "where do we put the euro sign behind a price?",
			check:   says(`menu\.js`),
		},
	}
	changes := []Task{
		{
			name: "cart", class: testNotCode,
			request: "According to the tests the cart forgets the first item. Fix that.",
			touches: []string{"js/cart.js"},
			check: all(
				file(
					"js/cart.js", `(let|var) i = 0;|\bof items\b|items\.(reduce|forEach)|in items\b`,
					`function withDelivery\(items\) \{\n  const s = sum\(items\);\n  return s >= FREE_FROM \? s : s \+ DELIVERY;`,
					`exports = \{ sum, withDelivery \}`,
				),
				fileNot("js/cart.js", `i = 1;`, `length - 1`, `i <= items\.length;`),
			),
		},
		{
			name: "about", class: wrongPlace,
			request: "The list in index.html should end with a link to about.html, with the text About us.",
			touches: []string{"index.html"},
			check: all(
				keeps("index.html"), swaps(
					"index.html", nil, []string{`\s*<li><a href=["'](\./)?about\.html["']>About us</a></li>`},
				),
				file("index.html", `Contact</a></li>\s*<li><a href=.(\./)?about\.html`),
			),
		},
		{
			name: "margin", class: ambiguous,
			request: "What margin does .nav have in css/style.css?", then: []string{
				"ok. make that of .small 4px, the other one stays",
			},
			touches: []string{"css/style.css"},
			check: all(
				turn(1, says(`10 ?p(x|ixels)`)),
				becomes(edit("css/style.css", ".small {\n  margin: 10px;", ".small {\n  margin: 4px;")),
			),
		},
		{
			name: "todo", class: deleteMove,
			request: "Could you move TODO.txt to a new folder notes?",
			touches: []string{"TODO.txt", "notes/TODO.txt"},
			check:   becomes(move("TODO.txt", "notes/TODO.txt")),
		},
		{
			name: "monday", class: announced,
			request: "We now open on Mondays, too: 8:00 to 12:00. Please change contact.html.",
			unsaved: []change{edit("contact.html", "555 0142", "555 0199")},
			touches: []string{"contact.html"},
			check: swaps(
				"contact.html", []string{`.*Monday.*closed.*`},
				[]string{`\s*<tr><td>Mondays?</td><td>0?8:00 ?(to|-|–|&ndash;) ?12:00</td></tr>`},
			),
		},
	}
	return ofKinds(talks, reads, changes)
}
