package tasks

// veloTasks are about the site of a cycling club, in JavaScript. Nothing of it is run, since Node may be missing.
func veloTasks() []Task {
	talks := []Task{
		{
			name:    "center",
			request: "css: how do I center a div horizontally again",
			check: says(
				`margin(-inline|-left)?: ?([\w.]+ )?auto|` +
					`justify-(content|items|self): ?center|place-(items|content): ?center`,
			),
		},
		{
			name:    "miles",
			request: "62 miles, whats that in km roughly",
			check:   says(`\b(99|100)( ?km|\b)|\bhundred\b`),
		},
		{
			name:    "number",
			request: "in javascript i have the string \"42\", how do i get a number out of it?",
			then:    []string{"and the other way round?"},
			check: all(
				turn(1, says(`\bnumber\(|parseint\(|parsefloat\(|unary`)),
				says(`\bstring\(|tostring\(|\$\{|\+ ?(""|'')|(""|'') ?\+|template (string|literal)`),
			),
		},
		{
			name:    "puncture",
			request: "¿cómo se dice «pinchazo» en inglés? lo de la rueda de la bici",
			check:   says(`\bpuncture|\bflat\b`),
		},
		{
			name:    "leader",
			request: "环法自行车赛总成绩领先的车手穿什么颜色的衣服?",
			check:   all(says(`黄|yellow|jaune`), saysNot(`^[^\p{L}]*(绿|白|红|green|white|red)`)),
		},
	}
	reads := []Task{
		{
			name:    "teenager",
			request: "my daughter is 15, what would she pay a year?",
			check: all(
				says(`\b12\b|\btwelve\b`),
				saysNot(`(she|daughter)( would| will| has to|'d)? pays? (45|80|20)\b`),
			),
		},
		{
			name:    "long-rides",
			request: "which of our rides have more than 80 km",
			then:    []string{"and when does the longest of them start?"},
			check: all(
				turn(1, all(
					says(`lough loop`, `mast and back`),
					saysNot(`coffee spin|hill climb|abbey ride|family mile`),
				)),
				says(`\b0?7[:.]30|half past seven|half[- ]seven`),
			),
		},
		{
			name:    "jerseys",
			request: "Wer kümmert sich bei uns eigentlich um die Trikots?",
			check:   all(says(`fergal|tynan`), saysNot(`\b(orla|dermot|sinead|aoife)\b`)),
		},
		{
			name:    "output",
			request: "dans quel dossier le site est-il généré ?",
			check:   says(`htdocs`),
		},
		{
			name:    "meeting",
			request: "3月7日のライドは何時にどこ集合ですか?",
			check: says(
				`corn market|コーン[ ・]*マーケット|穀物市場|穀物取引所|トウモロコシ市場|とうもろこし市場`,
				`\b0?9[:.\x{ff1a}]00|9 ?時|九時|\x{ff19}時|\b9 ?(am|a\.m\.)`,
			),
		},
	}
	changes := []Task{
		{
			name:    "rounding",
			request: "61.8 km show up as 61 on the ride pages, it should be rounded properly. theres a test for it",
			touches: []string{"src/distance.js"},
			check: file(
				"src/distance.js",
				`^const METRES_PER_MILE = 1609\.344;\s*(/\*\*[^*]*\*/\s*)?`+
					`export function kilometres\(metres\) \{\s*(//[^\n]*\s*)?`+
					`(return (Math\.round\(\(?metres ?/ ?(1_?000|1e3)\)?\)|Math\.round\(metres \* 0?\.001\)|`+
					`Math\.floor\(\(?metres / 1_?000\)? \+ 0?\.5\)|`+
					`Math\.floor\(\(metres \+ 500\) / 1_?000\)|`+
					`(Number|parseInt|\+)\(?\(metres / 1_?000\)\.toFixed\(0?\)(, 10)?\)?)|`+
					`(const|let) \w+ = metres / 1_?000;?\s*return Math\.round\(\w+\));?(\s*//[^\n]*)?\s*\}\s*`+
					`/\*\* Miles with one decimal, for visitors from abroad\. \*/\s*`+
					`export function miles\(metres\) \{\s*`+
					`return Number\(\(metres / METRES_PER_MILE\)\.toFixed\(1\)\);\s*\}\s*$`,
			),
		},
		{
			name: "postponed",
			request: "The hill climb had to be moved to the 26th of April, a week later. " +
				"Change it in the rides and in the news please.",
			touches: []string{"content/rides.json", "content/news/2026-04-hill-climb.md"},
			check: either(
				becomes(
					edit("content/rides.json", "2026-04-19", "2026-04-26"),
					edit("content/news/2026-04-hill-climb.md", "19 April", "26 April"),
				),
				becomes(
					edit("content/rides.json", "2026-04-19", "2026-04-26"),
					edit("content/news/2026-04-hill-climb.md", "19 April", "26th April"),
				),
				becomes(
					edit("content/rides.json", "2026-04-19", "2026-04-26"),
					edit("content/news/2026-04-hill-climb.md", "19 April", "26th of April"),
				),
			),
		},
		{
			name:    "typo",
			request: "il y a une faute de frappe dans la page sur la sécurité, « brigth ». corrige stp",
			touches: []string{"content/pages/safety.md"},
			check:   becomes(edit("content/pages/safety.md", "brigth", "bright")),
		},
		{
			name:    "webmaster",
			request: "añade a Noelia Prado al comité, su rol es webmaster y su correo noelia@wheelers.example",
			touches: []string{"content/committee.json"},
			check: python(`
import json
people = json.load(open("content/committee.json", encoding="utf-8"))
new = [p for p in people if p.get("name") == "Noelia Prado"]
rest = [p for p in people if p.get("name") != "Noelia Prado"]
assert len(new) == 1 and sorted(new[0]) == ["mail", "name", "role"], new
assert new[0]["role"].lower() == "webmaster" and new[0]["mail"] == "noelia@wheelers.example", new
assert [(p["role"], p["name"], p["mail"]) for p in rest] == [
    ("chair", "Orla Feeney", "chair@wheelers.example"),
    ("treasurer", "Dermot Quill", "money@wheelers.example"),
    ("rides", "Sinead Marlow", "rides@wheelers.example"),
    ("jerseys and other kit", "Fergal Tynan", "kit@wheelers.example"),
    ("youth", "Aoife Brannick", "youth@wheelers.example"),
], rest
`),
		},
		{
			name:    "headings",
			request: "сделай заголовки на сайте тёмно-зелёными: #1b4d3e",
			touches: []string{"public/style.css"},
			check: either(
				swaps(
					"public/style.css", []string{`  --heading: #8c1c13;`},
					[]string{`(?i)  --heading: #1b4d3e;( /\*.*)?`},
				),
				swaps(
					"public/style.css", []string{`  color: var\(--heading\);`},
					[]string{`(?i)  color: #1b4d3e;( /\*.*)?`},
				),
				swaps(
					"public/style.css", []string{`  --heading: #8c1c13;`, `  color: var\(--heading\);`},
					[]string{`(?i)  color: #1b4d3e;( /\*.*)?`},
				),
				swaps(
					"public/style.css", []string{`  --heading: #8c1c13;`, `  color: var\(--heading\);`},
					[]string{`(?i)  --heading: #1b4d3e;( /\*.*)?`, `(?i)  color: #1b4d3e;( /\*.*)?`},
				),
				all(keeps("public/style.css"), file(
					"public/style.css",
					`(?i)0\.8rem;\s*\}[^{]*\bh1,\s*h2(,\s*h\d)*\s*\{\s*color:\s*#1b4d3e;?\s*\}\s*$`,
				)),
			),
		},
	}
	return ofKinds(talks, reads, changes)
}
