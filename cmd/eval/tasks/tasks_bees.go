package tasks

// beesTasks are about the notes and tables of a beekeeper, in German.
func beesTasks() []Task {
	talks := []Task{
		{
			name:    "legs",
			request: "wie viele Beine hat eine Biene eigentlich?",
			then:    []string{"und eine spinne?"},
			check:   all(turn(1, says(`\b6\b|\bsechs\b|\bsix\b`)), says(`\b8\b|\bacht\b|\beight\b`)),
		},
		{
			name:    "queen",
			request: "comment on dit « reine » en allemand ? (celle des abeilles)",
			check:   says(`k(ö|oe|o)nigin|\bweisel\b`),
		},
		{
			name:    "boiling",
			request: "¿a cuántos grados hierve el agua al nivel del mar?",
			check:   says(`\b100( ?[c°º]|\b)|\bcien\b|\b212\b`),
		},
		{
			name:    "aunt",
			request: "write a short birthday wish for my aunt Rosa, two lines at most",
			check: all(
				says(`birthday|another year|many happy returns|geburtstag`, `\brosa\b|\baunt`),
				saysNot(`\.(md|csv|txt|py)\b`, `\b(not|n't) (specified|mentioned)`),
			),
		},
		{
			name:    "cells",
			request: "in a spreadsheet, how do i add up the cells B2 to B9?",
			check:   says(`\bsumm?e?\( ?\$?b\$?2 ?[:.]+ ?\$?b\$?9 ?\)`),
		},
	}
	reads := []Task{
		{
			name:    "mites",
			request: "welches volk hatte bei der letzten zählung die meisten milben?",
			check: all(
				says(`\blinde\b`),
				saysNot(
					`^\W*(das )?(volk )?\W*(ahorn|esche|holunder|schlehe)\b`,
					`\b(ahorn|esche|holunder|schlehe) (hatte|hat|mit) (am meisten|die meisten|den meisten)`,
				),
			),
		},
		{
			name:    "harvest",
			request: "2025年一共收了多少公斤蜂蜜?",
			check:   says(`\b62([.,]0+)?( ?kg|\b)|六十二`),
		},
		{
			name:    "jar",
			request: "はちみつ500gの瓶はいくらで売ってる?",
			check:   says(`\b6[.,]90?(\D|$)|\b6 ?(ユーロ|€|euros?) ?(と ?)?90`),
		},
		{
			name:    "vet-office",
			request: "I need the number of the lady at the veterinary office",
			check:   all(says(`\b0?\(?941\)?\D{0,3}55\D{0,2}01\D{0,2}37\b`), saysNot(`02\D{0,2}94`)),
		},
		{
			name:    "swarm",
			request: "When did we catch the swarm this year? The exact day please",
			check: says(
				`\b17(th|\.)?( of|,)? ?(may|mai)\b|\b(may|mai),? (the )?17(th)?\b|\b0?5[-/.]17\b|\b17[-/.] ?0?5\b`,
			),
		},
	}
	changes := []Task{
		{
			name:    "fondant",
			request: "was steht gerade alles auf der einkaufsliste?",
			then:    []string{"dann noch 2 Eimer Futterteig drauf"},
			touches: []string{"notizen/einkauf.txt"},
			check: all(
				turn(1, says(`draht`, `oxals(ä|ae?)ure`, `gl(ä|ae?)ser`, `deckel`)),
				keeps("notizen/einkauf.txt"),
				swaps(
					"notizen/einkauf.txt", nil,
					[]string{`(?i)[-*• ]*(` +
						`Futterteig[,:]? *\(?(2x?|zwei) Eimer\)?|(2x?|zwei) Eimer (mit )?Futterteig)[.,]?`},
				),
			),
		},
		{
			name:    "best-before",
			request: "ラベルの賞味期限を2028年5月に変えておいて",
			touches: []string{"vorlagen/etikett.txt"},
			check: swaps(
				"vorlagen/etikett.txt", []string{`Mindestens haltbar bis: 12/2027`},
				[]string{`Mindestens haltbar bis: 0?5/2028`},
			),
		},
		{
			name:    "comma",
			request: "auswertung chokes on numbers like 7,5 with a comma. it should understand 7,5 and 7.5 both",
			touches: []string{"werkzeug/auswertung.py", "werkzeug/test_auswertung.py"},
			check: all(
				file(
					"werkzeug/test_auswertung.py", `def test_je_volk\(self\)`,
					`def test_gesamt\(self\)`, `\{"Ahorn": 12\.5, "Linde": 4\}`,
				),
				passes("python3", "-m", "unittest", "discover", "-s", "werkzeug"), python(`
import sys
sys.path.insert(0, "werkzeug")
import auswertung
rows = [{"volk": "A", "kg": "7,5"}, {"volk": "B", "kg": "7.5"}, {"volk": "A", "kg": "4"}]
assert auswertung.gesamt(rows) == 19, auswertung.gesamt(rows)
assert auswertung.je_volk(rows) == {"A": 11.5, "B": 7.5}
assert auswertung.zahl("12,25") == 12.25 and auswertung.zahl("0.5") == 0.5
assert auswertung.gesamt(auswertung.lesen("ernte/2026.csv")) == 41
`),
			),
		},
		{
			name: "translate",
			request: "in the honey letter, put the sentence about the empty jars into English. " +
				"Leave all the rest in German",
			touches: []string{"vorlagen/honigbrief.md"},
			check: all(
				either(
					swaps("vorlagen/honigbrief.md", []string{`Wer leere Gläser.*`}, []string{`.*`}),
					swaps("vorlagen/honigbrief.md", []string{`Wer leere Gläser.*`}, []string{`.*`, `.*`}),
				),
				file(
					"vorlagen/honigbrief.md",
					`(?is)Gartentor\.\s+[^#]*\b(jars?|glass(es)?)\b[^#]*Eure Imkerei Brandl\s*$`,
					`(?is)Gartentor\.\s+[^#]*\b(50|fifty)\b[^#]*cents?\b[^#]*Eure`,
					`(?is)Gartentor\.\s+[^#]*\b(return|bring|brought|hand|give)[^#]*Eure`,
				),
				fileNot("vorlagen/honigbrief.md", `(?i)Gläser|bekommt|pro Glas`),
			),
		},
		{
			name: "july",
			request: "Start notizen/juli.md for me: a heading, and below it a list of what is still open " +
				"from the inspection in June.",
			touches: []string{"notizen/juli.md"},
			check: all(
				file(
					"notizen/juli.md", `^\s*#+ \S|^\s*\S[^\n]*\n[=-]{3}`,
					`(?im)^\s*([-*+]|\d+\.) .*(zarge|super|box|brood).*schlehe|`+
						`^\s*([-*+]|\d+\.) .*schlehe.*(zarge|super|box|brood)`,
					`(?im)^\s*([-*+]|\d+\.) .*(gläser|jars|glasses)`,
					`(?im)^\s*([-*+]|\d+\.) .*(königin.*linde|queen.*linde|linde.*(königin|queen))`,
				),
				fileNot(
					"notizen/juli.md",
					`(?i)schleuder|mäusegitter|absperrgitter|königin für linde bestellen|ahorn|holunder`,
				),
			),
		},
	}
	return ofKinds(talks, reads, changes)
}
