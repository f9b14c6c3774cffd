package tasks

func kitchenOutcomes() map[string]judged {
	const (
		files   = "You have soups/leek.md, breads/rye.md and menus/week1.csv."
		unknown = "This is not specified in the files."
		list    = "notes/shopping.txt"
		larder  = "larder.csv"
		week    = "menus/week1.csv"
		cakes   = "cakes/index.md"
		index   = "# Cakes\n\n- [Plum cake](plum.md)\n- [Almond cake](almond.md)\n"
		sweet   = "# Sweet things\n\n- [Plum cake](plum.md)\n- [Almond cake](almond.md)\n"
	)
	return map[string]judged{
		"egg": {
			right: []result{said("About 5 minutes."), said("Four to six minutes in boiling water."), said("4-6 min")},
			wrong: []result{said(files), said("20 minutes")},
		},
		"simmer": {
			right: []result{said("To cook just below boiling."), said("Cook something slowly over low heat.")},
			wrong: []result{said(files), said("To roast in the oven.")},
		},
		"vegetable": {
			right: []result{said("Carrot", "Orange."), said("Leeks", "White and green.")},
			wrong: []result{said("Carrot", "Carrot"), said("soups/leek.md", "green"), said(files, files)},
		},
		"italian": {
			right: []result{said("La zuppa è troppo calda."), said("\"La minestra è troppo calda\"")},
			wrong: []result{said("La soupe est trop chaude."), said(files)},
		},
		"half": {
			right: []result{said("125 g and 200 ml"), said("Half of 250 g is 125 g; a third of 600 ml is 200 ml.")},
			wrong: []result{said("125 g and 300 ml"), said(files)},
		},
		"longer": {
			right: []result{said("The rye bread: 20 hours instead of 3."), said("Rye."), said("Rye bread takes longer than focaccia.")},
			wrong: []result{said("Focaccia takes longer than rye bread."), said("Focaccia"), said(unknown)},
		},
		"guests": {
			right: []result{said("Tomasz, because of the nuts."), said("Only Tomasz. Freya can have it: there is no flour in it.")},
			wrong: []result{said("Freya"), said("Tomasz, Aylin, Bruno and Freya"), said(unknown)},
		},
		"cups": {
			right: []result{said("720 ml"), said("3 × 240 = 720")},
			wrong: []result{said("750 ml"), said("240 ml"), said(unknown)},
		},
		"eggs": {
			right: []result{said("Plum cake and almond cake"), said("- cakes/plum.md: 3 eggs\n- cakes/almond.md: 5 eggs")},
			wrong: []result{said("Plum cake"), said("Plum cake, almond cake and focaccia"), said(unknown)},
		},
		"count": {
			right: []result{said("5: breads, cakes, menus, notes and soups"), said("There are five:\n- breads\n- cakes\n- menus\n- notes\n- soups")},
			wrong: []result{said("6: .assent, breads, cakes, menus, notes, soups"), said("breads, cakes"), said("7 folders: breads, cakes, menus, notes, notes/old, soups")},
		},
		"shopping": {
			right: []result{did(add(list, "flour\n")), did(edit(list, "coffee\n", "coffee\nFlour\n"))},
			wrong: []result{did(), did(add("notes/old/shopping.txt", "flour\n")), did(edit(list, "eggs\n", "flour\n")), did(write(list, "flour\n"))},
		},
		"honey": {
			right: []result{did(edit(larder, "honey,1,jar,2029-05\n", "")), did(edit(larder, "honey,1,jar,2029-05\n", "\n"))},
			wrong: []result{said("The honey should be taken out."), did(edit(larder, "honey,1,jar", "honey,0,jar")), did(edit(larder, "lentils,750,g,2027-08\n", "")), did(remove(larder))},
		},
		"friday": {
			right: []result{did(edit(week, "Friday,salad,pizza", "Friday,tomato soup,pizza"))},
			wrong: []result{
				did(), did(everywhere(week, "salad", "tomato soup")), did(edit(week, "Tuesday,salad", "Tuesday,tomato soup")), did(edit("menus/week2.csv", "Friday,salad", "Friday,tomato soup")),
				did(edit(week, "Friday,salad,pizza", "Friday,salad,tomato soup")),
			},
		},
		"cakes": {
			right: []result{
				{first: []change{write(cakes, index)}, does: []change{edit(cakes, "# Cakes", "# Sweet things")}},
				{first: []change{write(cakes, "# Cakes\n\n* [Almond cake](./almond.md)\n* [Plum cake](./plum.md)\n")}, does: []change{edit(cakes, "# Cakes", "# Sweet Things")}},
			},
			wrong: []result{
				{first: []change{write(cakes, index)}},
				{does: []change{write(cakes, sweet)}},
				{first: []change{write("cakes/Index.md", index)}},
				{first: []change{write(cakes, index)}, does: []change{write(cakes, "# Sweet things\n")}},
				said("I will make cakes/index.md.", "The heading is Sweet things now."),
				{first: []change{write(cakes, index), add("soups/index.md", "- cakes\n")}, does: []change{edit(cakes, "# Cakes", "# Sweet things"), edit("soups/index.md", "- cakes\n", "")}},
			},
		},
		"past": {
			right: []result{did(move(week, "menus/past/week1.csv"))},
			wrong: []result{did(), did(move(week, "menus/past")), did(move("menus/week2.csv", "menus/past/week2.csv")), did(remove(week))},
		},
	}
}
