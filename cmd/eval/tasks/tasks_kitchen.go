package tasks

// kitchenTasks are about a collection of recipes.
func kitchenTasks() []Task {
	talks := []Task{
		{
			name: "egg", class: besideFiles,
			request: "how long does a soft-boiled egg take?",
			check:   says(`\b([3-7]|three|four|five|six|seven)\b.*\bmin`),
		},
		{
			name: "simmer", class: besideFiles,
			request: "What does \"to simmer\" mean? English isn't my first language.",
			check:   says(`boil|low heat|gentl|slow|bubbl`),
		},
		{
			name: "vegetable", class: besideFiles,
			request: "Suggest one vegetable for a soup. One word only.", then: []string{"what colour is it usually?"},
			check: all(
				turn(1, says(`\p{L}{3}`)), turn(1, saysNot(`\.(md|csv|txt)\b`)),
				says(`green|orange|\bred\b|white|yellow|purple|brown|golden|pink|violet|beige|cream|pale`),
			),
		},
		{
			name: "italian", class: besideFiles,
			request: "translate \"the soup is too hot\" to Italian",
			check:   says(`zuppa|minestra`),
		},
		{
			name: "half", class: besideFiles,
			request: "half of 250 g is how much? and a third of 600 ml?",
			check:   says(`\b125\b`, `\b200\b`),
		},
	}
	reads := []Task{
		{
			name: "longer", class: notLooked,
			request: "which takes more time, our rye bread or our focaccia?",
			check: all(
				says(`\brye\b`),
				saysNot(
					`focaccia( bread| recipe)? (takes|needs|requires|is) (much |a lot )?(longer|more)`,
					`not (specified|mentioned|stated)`, `^\W*focaccia\W*$`,
				),
			),
		},
		{
			name: "guests", class: notLooked,
			request: "Who of our guests must not get the almond cake?",
			check: all(
				says(`\btomasz\b`),
				saysNot(`tomasz(,| and|, and) (aylin|bruno|freya)`, `(aylin|bruno|freya)(,| and|, and) tomasz`),
			),
		},
		{
			name: "cups", class: calculator,
			request: "How many ml are 3 cups, by our own measures?",
			check:   says(`\b720\b`),
		},
		{
			name: "eggs", class: guessedFolder,
			request: "Which of our recipes need eggs?",
			check:   all(says(`\bplum\b`, `\balmond\b`), saysNot(`\b(leek|tomato|focaccia|rye)\b`)),
		},
		{
			name: "count", class: ownFolder,
			request: "how many folders do we have at the top, and what are they called?",
			check: all(
				says(`\b(5|five)\b`, `\bsoups\b`, `\bbreads\b`, `\bcakes\b`, `\bmenus\b`, `\bnotes\b`),
				saysNot(`\.assent`),
			),
		},
	}
	changes := []Task{
		{
			name: "shopping", class: wrongPlace,
			request: "Put flour on the shopping list.",
			unsaved: []change{add("notes/shopping.txt", "eggs\n")},
			touches: []string{"notes/shopping.txt"},
			check:   all(keeps("notes/shopping.txt"), swaps("notes/shopping.txt", nil, []string{`[Ff]lour`})),
		},
		{
			name: "honey", class: announced,
			request: "the honey is used up, take it out of larder.csv",
			touches: []string{"larder.csv"},
			check:   becomes(edit("larder.csv", "honey,1,jar,2029-05\n", "")),
		},
		{
			name: "friday", class: ambiguous,
			request: "In week 1 there shall be tomato soup instead of salad on Friday, and only then.",
			touches: []string{"menus/week1.csv"},
			check:   becomes(edit("menus/week1.csv", "Friday,salad,pizza", "Friday,tomato soup,pizza")),
		},
		{
			name: "cakes", class: announced,
			request: "The cakes have no index.md. Make one like those of the soups and the breads.", then: []string{
				"The heading should rather be Sweet things.",
			},
			touches: []string{"cakes/index.md"},
			check: all(
				turn(1, file("cakes/index.md", `\]\((\./)?plum\.md\)`, `\]\((\./)?almond\.md\)`)),
				file(
					"cakes/index.md", `(?mi)^# Sweet things\s*$`, `(?m)^[-*] \[[^\]]+\]\((\./)?plum\.md\)`,
					`(?m)^[-*] \[[^\]]+\]\((\./)?almond\.md\)`,
				),
				fileNot("cakes/index.md", `(?m)^# Cakes`, `soup|bread`),
			),
		},
		{
			name: "past", class: deleteMove,
			request: "Week 1 is over. Move menus/week1.csv to menus/past.",
			touches: []string{"menus/week1.csv", "menus/past/week1.csv"},
			check:   becomes(move("menus/week1.csv", "menus/past/week1.csv")),
		},
	}
	return ofKinds(talks, reads, changes)
}
