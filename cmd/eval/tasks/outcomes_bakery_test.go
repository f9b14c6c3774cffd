package tasks

func bakeryOutcomes() map[string]judged {
	const (
		files   = "There are index.html, contact.html, css/style.css and js/menu.js."
		unknown = "This is not specified in the files."
		cart    = "js/cart.js"
		index   = "index.html"
		style   = "css/style.css"
		contact = "contact.html"
		loop    = "  for (let i = 1; i < items.length; i++) {\n    s += items[i].cents * items[i].count;\n  }\n"
	)
	return map[string]judged{
		"rem": {
			right: []result{said("The font size of the root element, usually 16px."), said("16 pixels by default")},
			wrong: []result{said(files), said("The size of h1 is 2rem.")},
		},
		"pain": {
			right: []result{said("le pain"), said("Brot heißt \"pain\".")},
			wrong: []result{said("Baguette"), said(files)},
		},
		"map": {
			right: []result{said("[2, 4, 6]"), said("An array with 2, 4 and 6.")},
			wrong: []result{said("[1, 2, 3]"), said(files)},
		},
		"loaves": {
			right: []result{said("7"), said("You have seven loaves left."), said("12 - 5 = 7")},
			wrong: []result{said("17"), said(files)},
		},
		"centre": {
			right: []result{said("With display: flex and justify-content: center."), said("margin: 0 auto; does it.")},
			wrong: []result{said(files), {says: []string{"I used flex."}, does: []change{edit(style, "margin: 10px;\n}\n\n.small", "margin: auto;\n}\n\n.small")}}},
		},
		"saturday": {
			right: []result{said("Until 13:00."), said("6:30 to 13:00"), said("We close at 1 pm on Saturdays.")},
			wrong: []result{said("Until 18:00."), said(unknown)},
		},
		"folders": {
			right: []result{said("css, data, js, old and shop"), said("- css/\n- data/\n- data/archive/\n- js/\n- old/\n- shop/")},
			wrong: []result{said(".assent, css, data, js, old, shop"), said("css and js"), said(unknown)},
		},
		"colours": {
			right: []result{said("#8b4513, a brown.", "black"), said("Saddle brown", "The print style sets color: black.")},
			wrong: []result{said("purple", "black"), said("#8b4513", "#333"), said(unknown, unknown)},
		},
		"order": {
			right: []result{said("800 cents"), said("8.00 €"), said("4.80 + 3.20 = 8 euros")},
			wrong: []result{said("710 cents"), said("480 and 320"), said(unknown)},
		},
		"euro": {
			right: []result{said("In the function price of js/menu.js."), said("`menu.js`, line 14")},
			wrong: []result{said("js/cart.js"), said("data/products.json"), said(unknown)},
		},
		"cart": {
			right: []result{
				did(edit(cart, "let i = 1;", "let i = 0;")), did(edit(cart, loop, "  for (const item of items) {\n    s += item.cents * item.count;\n  }\n")),
				did(edit(cart, "  let s = 0;\n"+loop+"  return s;\n", "  return items.reduce((s, i) => s + i.cents * i.count, 0);\n")),
			},
			wrong: []result{
				did(), did(edit(cart, "i < items.length", "i <= items.length")), did(edit("js/cart.test.js", "450", "50")), did(write(cart, "function sum(items) { for (const i of items) {} }\n")),
				did(edit(cart, "let i = 1;", "let i = 0;"), edit("js/cart.test.js", "450", "50")),
			},
		},
		"about": {
			right: []result{
				did(edit(index, "Contact</a></li>\n", "Contact</a></li>\n    <li><a href=\"about.html\">About us</a></li>\n")),
				did(edit(index, "Contact</a></li>\n", "Contact</a></li>\n\t<li><a href='./about.html'>About us</a></li>\n")),
			},
			wrong: []result{
				did(), did(edit(index, "<ul class=\"nav\">\n", "<ul class=\"nav\">\n    <li><a href=\"about.html\">About us</a></li>\n")), did(edit(index, "<li><a href=\"contact.html\">Contact</a></li>", "<li><a href=\"about.html\">About us</a></li>")),
				did(edit(index, "</ul>", "</ul>\n<li><a href=\"about.html\">About us</a></li>")), did(edit("shop/index.html", "<h1>Shop</h1>", "<h1>Shop</h1>\n<li><a href=\"about.html\">About us</a></li>")),
			},
		},
		"margin": {
			right: []result{did(edit(style, ".small {\n  margin: 10px;", ".small {\n  margin: 4px;")).after("10px"), did(edit(style, ".small {\n  margin: 10px;", ".small {\n  margin: 4px;")).after("It is 10 px on all sides.")},
			wrong: []result{
				did(edit(style, ".nav {\n  margin: 10px;", ".nav {\n  margin: 4px;")).after("10px"), did(everywhere(style, "margin: 10px", "margin: 4px")).after("10px"),
				did().after("10px"), did(edit(style, ".small {\n", ".small {\n  margin: 4px;\n")).after("10px"),
			},
		},
		"todo": {
			right: []result{did(move("TODO.txt", "notes/TODO.txt"))},
			wrong: []result{did(), did(move("TODO.txt", "notes")), did(write("notes/TODO.txt", "new photo of the oven\ntranslate the contact page\n")), did(remove("TODO.txt"), write("notes/TODO.txt", ""))},
		},
		"monday": {
			right: []result{did(edit(contact, "<td>closed</td>", "<td>8:00 to 12:00</td>")), did(edit(contact, "<td>closed</td>", "<td>08:00 – 12:00</td>"))},
			wrong: []result{
				said("I will change Monday to 8:00 to 12:00."), did(edit(contact, "closed", "closed 8:00 to 12:00")), did(edit(contact, "closed", "8:00 to 12:00"), edit(contact, "555 0199", "555 0142")),
				did(edit(contact, "7:00 to 18:00", "8:00 to 12:00")),
			},
		},
	}
}
