package tasks

func veloOutcomes() map[string]judged {
	const (
		files     = "The project has site.json, content/rides.json and public/style.css."
		unknown   = "The files do not say that."
		distance  = "src/distance.js"
		rides     = "content/rides.json"
		climb     = "content/news/2026-04-hill-climb.md"
		safety    = "content/pages/safety.md"
		committee = "content/committee.json"
		css       = "public/style.css"
		floor     = "Math.floor(metres / 1000)"
		last      = "\"mail\": \"youth@wheelers.example\"}\n"
		noelia    = "  {\"role\": \"webmaster\", \"name\": \"Noelia Prado\", \"mail\": \"noelia@wheelers.example\"}"
	)
	return map[string]judged{
		"center": {
			right: []result{said("margin: 0 auto;"), said("`margin-inline: auto` with a width"), said("Use flexbox: display: flex; justify-content: center;"), said("place-items: center")},
			wrong: []result{said("text-align: left"), said("See public/style.css."), said(files)},
		},
		"miles": {
			right: []result{said("about 100 km"), said("62 miles ≈ 99.78km"), said("99,8")},
			wrong: []result{said("38.5 km"), said("62 km"), said(files)},
		},
		"number": {
			right: []result{said("Number(\"42\")", "String(42)"), said("`parseInt('42', 10)`", "`n.toString()`"), said("Use the unary plus: +\"42\"", "Use `${n}`.")},
			wrong: []result{said("Number(\"42\")", "Number(42)"), said("\"42\" is a string.", "String(42)"), said(files, files)},
		},
		"puncture": {
			right: []result{said("puncture"), said("Se dice «flat tyre» o «puncture»."), said("a flat")},
			wrong: []result{said("prick"), said("bicycle"), said(files)},
		},
		"leader": {
			right: []result{said("黄色"), said("穿黄色领骑衫(maillot jaune)。"), said("Yellow")},
			wrong: []result{said("绿色,不是黄色"), said("白色"), said(files)},
		},
		"teenager": {
			right: []result{said("12 euros"), said("Under 18 pays twelve euros, adults pay 45.")},
			wrong: []result{said("45 euros"), said("She pays 20 euros from the age of 12."), said(unknown)},
		},
		"long-rides": {
			right: []result{said("Lough Loop (84.4 km) and Mast and Back (112.5 km)", "At 07:30, from the Mill Bridge"), said("- Mast and Back\n- Lough Loop", "**7:30**")},
			wrong: []result{said("Mast and Back", "07:30"), said("Lough Loop, Mast and Back, Abbey Ride", "07:30"), said("Lough Loop and Mast and Back", "At 08:30"), said(unknown, unknown)},
		},
		"jerseys": {
			right: []result{said("Fergal Tynan"), said("Das macht Fergal (kit@wheelers.example).")},
			wrong: []result{said("Sinead Marlow"), said("Fergal Tynan und Aoife Brannick"), said("Das steht nicht in den Dateien.")},
		},
		"output": {
			right: []result{said("Dans `htdocs`."), said("htdocs/")},
			wrong: []result{said("dist"), said("public"), said("Ce n'est pas précisé.")},
		},
		"meeting": {
			right: []result{said("9時にコーン・マーケット集合です。"), said("09:00、Corn Market"), said("午前9:00に Corn Market です"), said("穀物市場に九時")},
			wrong: []result{said("8時30分に Mill Bridge"), said("Corn Market です。"), said("9時に Mill Bridge"), said("ファイルには書かれていません。")},
		},
		"rounding": {
			right: []result{
				did(edit(distance, floor, "Math.round(metres / 1000)")), did(edit(distance, floor, "Number((metres / 1000).toFixed(0))")), did(edit(distance, floor, "Math.floor(metres / 1000 + 0.5)")),
				did(edit(distance, "return "+floor, "const km = metres / 1000;\n  return Math.round(km)")),
				did(edit(distance, floor, "Math.round(metres / 1000)"), edit(distance, "/** Whole kilometres, as they are on the ride pages. */", "/** Whole kilometres, rounded. */")),
			},
			wrong: []result{
				did(), did(edit(distance, floor, "Math.ceil(metres / 1000)")), did(edit(distance, floor, "Math.round(metres)")), did(edit("test/distance.test.js", "kilometres(61_800), 62", "kilometres(61_800), 61")),
				did(edit(distance, floor, "metres / 1000")), did(edit(distance, floor, "Math.round(metres / 1000)"), edit(distance, "toFixed(1)", "toFixed(0)")), did(write(distance, "export function kilometres(metres) {\n  return Math.round(metres / 1000);\n}\n")),
			},
		},
		"postponed": {
			right: []result{
				did(edit(rides, "2026-04-19", "2026-04-26"), edit(climb, "19 April", "26 April")), did(edit(rides, "2026-04-19", "2026-04-26"), edit(climb, "19 April", "26th April")),
				did(edit(climb, "19 April", "26th of April"), edit(rides, "2026-04-19", "2026-04-26")),
			},
			wrong: []result{
				did(), did(edit(rides, "2026-04-19", "2026-04-26")), did(edit(climb, "19 April", "26 April")), did(edit(rides, "2026-05-03", "2026-04-26"), edit(climb, "19 April", "26 April")),
				did(edit(rides, "2026-04-19", "26 April"), edit(climb, "19 April", "26 April")), did(edit(rides, "2026-04-19", "2026-04-26"), edit(climb, "Sunday 19 April", "Saturday 26 April")),
			},
		},
		"typo": {
			right: []result{did(edit(safety, "brigth", "bright")), did(edit(safety, "a brigth light at", "a bright light at"))},
			wrong: []result{did(), said("Corrigé."), did(edit(safety, "brigth ", "")), did(edit(safety, "brigth light", "bright lamp")), did(edit(safety, "brigth", "bright"), edit(safety, "Helmets", "Helmet"))},
		},
		"webmaster": {
			right: []result{
				did(edit(committee, last, "\"mail\": \"youth@wheelers.example\"},\n"+noelia+"\n")),
				did(edit(committee, last, "\"mail\": \"youth@wheelers.example\"},\n  {\n    \"name\": \"Noelia Prado\",\n    \"role\": \"Webmaster\",\n    \"mail\": \"noelia@wheelers.example\"\n  }\n")),
				did(edit(committee, "[\n", "[\n"+noelia+",\n")),
			},
			wrong: []result{
				did(), did(add(committee, noelia+"\n")), did(edit(committee, last, "\"mail\": \"youth@wheelers.example\"}\n"+noelia+"\n")), did(write(committee, "[\n"+noelia+"\n]\n")),
				did(edit(committee, last, "\"mail\": \"youth@wheelers.example\"},\n  {\"role\": \"webmaster\", \"name\": \"Noelia Prado\", \"email\": \"noelia@wheelers.example\"}\n")), said(noelia),
			},
		},
		"headings": {
			right: []result{
				did(edit(css, "--heading: #8c1c13", "--heading: #1b4d3e")), did(edit(css, "var(--heading)", "#1B4D3E")), did(edit(css, "--heading: #8c1c13", "--heading: #1b4d3e"), edit(css, "var(--heading)", "#1b4d3e")),
				did(add(css, "\nh1, h2, h3 {\n  color: #1b4d3e;\n}\n")),
			},
			wrong: []result{
				did(), did(edit(css, "--link: #1d4e89", "--link: #1b4d3e")), did(edit(css, "--heading: #8c1c13", "--heading: green")), did(write(css, "h1, h2 {\n  color: #1b4d3e;\n}\n")),
				did(edit(css, "--heading: #8c1c13", "--heading: #1b4d3e"), edit(css, "--ink: #222222", "--ink: #1b4d3e")), did(edit("templates/layout.html", "<main>", "<main style=\"color: #1b4d3e\">")),
			},
		},
	}
}
