package tasks

func beesOutcomes() map[string]judged {
	const (
		files   = "The project has voelker.csv, varroa.csv and notizen/winter.md."
		unknown = "The files do not say that."
		list    = "notizen/einkauf.txt"
		label   = "vorlagen/etikett.txt"
		program = "werkzeug/auswertung.py"
		letter  = "vorlagen/honigbrief.md"
		july    = "notizen/juli.md"
		jars    = "Wer leere Gläser zurückbringt, bekommt 50 Cent pro Glas."
		open    = "- Zweite Zarge für Schlehe streichen\n- Gläser bestellen\n- Königin bei Linde freilassen\n"
		all     = "Rähmchendraht, Oxalsäure, Gläser 500 g (zwei Kartons) und Deckel."
	)
	return map[string]judged{
		"legs": {
			right: []result{said("Sechs.", "Acht."), said("Eine Biene hat 6 Beine.", "Spinnen haben 8 Beine.")},
			wrong: []result{said("Vier.", "Acht."), said("6", "6 Beine"), said("Sechs", "Achtung, das weiß ich nicht."), said(files, files)},
		},
		"queen": {
			right: []result{said("die Königin"), said("Bienenkönigin"), said("« Koenigin »")},
			wrong: []result{said("der König"), said("die Reine"), said(files)},
		},
		"boiling": {
			right: []result{said("A 100 °C."), said("a cien grados"), said("100°C (212°F)")},
			wrong: []result{said("A 90 grados"), said("0 °C"), said(files)},
		},
		"aunt": {
			right: []result{said("Happy birthday, Aunt Rosa!\nMay your year be sweet."), said("Dear Rosa, all the best on your birthday!")},
			wrong: []result{said("Happy birthday!"), said("Dear Rosa, the honey is ready."), said("Happy birthday, Rosa. See notizen/kontakte.md."), said(files)},
		},
		"cells": {
			right: []result{said("=SUM(B2:B9)"), said("`=SUMME(B2:B9)` in German"), said("Type =sum(b2:b9).")},
			wrong: []result{said("=B2+B9"), said("=SUM(B2,B9)"), said(files)},
		},
		"mites": {
			right: []result{said("Linde, mit 9 Milben pro Tag."), said("Am 20. Juni hatte das Volk **Linde** die meisten (9), Holunder hatte 5.")},
			wrong: []result{said("Holunder mit 11"), said("Das Volk Holunder, vor Linde."), said("Schlehe"), said("Das steht nicht in den Dateien.")},
		},
		"harvest": {
			right: []result{said("62公斤"), said("2025年一共收了62.0 kg。"), said("一共62kg蜂蜜"), said("六十二公斤")},
			wrong: []result{said("41公斤"), said("36公斤"), said("162公斤"), said("文件中没有。")},
		},
		"jar": {
			right: []result{said("6.90ユーロです。"), said("6,90 €"), said("6ユーロ90セント"), said("500 g は 6.9 ユーロ")},
			wrong: []result{said("3.80ユーロ"), said("12.50"), said("6ユーロ"), said("ファイルにはありません。")},
		},
		"vet-office": {
			right: []result{said("0941 55 01 37"), said("Frau Seidl: 0941/550137"), said("+49 941 55 01 37")},
			wrong: []result{said("0941 55 02 94"), said("Frau Seidl 0941 55 01 37, Herr Obermaier 0941 55 02 94"), said(unknown)},
		},
		"swarm": {
			right: []result{said("On 17 May 2026."), said("May 17th"), said("2026-05-17"), said("Am 17. Mai"), said("17.05.2026"), said("On the 17th of May")},
			wrong: []result{said("In May."), said("On 2 May 2026"), said("2026-05-16"), said(unknown)},
		},
		"fondant": {
			right: []result{did(add(list, "2 Eimer Futterteig\n")).after(all), did(add(list, "- Futterteig (2 Eimer)\n")).after("- Rähmchendraht\n- Oxalsäure\n- Gläser 500 g\n- Deckel"), did(edit(list, "Deckel\n", "2 Eimer Futterteig\nDeckel\n")).after(all)},
			wrong: []result{
				did().after(all), said(all, "Futterteig steht jetzt drauf."), did(write(list, "2 Eimer Futterteig\n")).after(all), did(add(list, "Futterteig\n")).after(all), did(add(list, "2 Eimer Futterteig\n")).after("Deckel"),
				did(add("notizen/winter.md", "2 Eimer Futterteig\n")).after(all), did(add(list, "2 Eimer Futterteig\n2 Eimer Futterteig\n")).after(all),
			},
		},
		"best-before": {
			right: []result{did(edit(label, "12/2027", "05/2028")), did(edit(label, "12/2027", "5/2028"))},
			wrong: []result{did(), did(edit(label, "12/2027", "12/2028")), did(edit(label, "12/2027", "05/2027")), did(add(label, "Mindestens haltbar bis: 05/2028\n")), did(edit(label, "12/2027", "05/2028"), edit(label, "500 g", "250 g")), said("変更しました。")},
		},
		"comma": {
			right: []result{
				did(edit(program, "float(text)", "float(text.replace(\",\", \".\"))")), did(edit(program, "    return float(text)", "    if \",\" in text:\n        text = text.replace(\",\", \".\")\n    return float(text)")),
				did(edit(program, "float(text)", "float(text.replace(\",\", \".\"))"), edit("werkzeug/test_auswertung.py", "\n\nif __name__", "\n    def test_komma(self):\n        self.assertEqual(auswertung.zahl(\"7,5\"), 7.5)\n\n\nif __name__")),
			},
			wrong: []result{
				did(), did(edit(program, "float(text)", "float(text.replace(\".\", \",\"))")), did(edit(program, "float(text)", "float(text.split(\",\")[0])")), did(edit(program, "float(text)", "float(text.replace(\",\", \"\"))")),
				did(edit(program, "float(text)", "float(text.replace(\",\", \".\"))"), edit("ernte/2026.csv", "8.5", "8,5")), did(write(program, "def zahl(text):\n    return float(text.replace(\",\", \".\"))\n")), said("text.replace(',', '.')"),
			},
		},
		"translate": {
			right: []result{
				did(edit(letter, jars, "Anyone who returns empty jars gets 50 cents per jar.")), did(edit(letter, jars, "Bring back your empty glasses and get 50 cents each.")),
				did(edit(letter, jars, "If you bring back empty jars,\nyou get fifty cents per jar.")),
			},
			wrong: []result{
				did(), said("Anyone who returns empty jars gets 50 cents per jar."), did(edit(letter, jars+"\n", "")), did(edit(letter, jars, jars+" Anyone who returns empty jars gets 50 cents per jar.")),
				did(edit(letter, jars, "Anyone who returns empty jars gets 50 cents per jar."), edit(letter, "Liebe Nachbarn", "Dear neighbours")), did(edit(letter, jars, "Anyone who returns empty jars gets money.")),
				did(write(letter, "Anyone who returns empty jars gets 50 cents per jar.\n")),
			},
		},
		"july": {
			right: []result{
				did(write(july, "# Juli 2026\n\n"+open)), did(write(july, "# Open from June\n\n- [ ] Paint the second super for Schlehe\n- [ ] Order jars\n- [ ] Release the queen at Linde\n")),
				did(write(july, "## Juli\n\n1. Gläser bestellen\n2. Königin bei Linde freilassen\n3. Zweite Zarge für Schlehe streichen\n")),
			},
			wrong: []result{
				did(), said(open), did(write(july, open)), did(write(july, "# Juli\n\n- Gläser bestellen\n")), did(write(july, "# Juli\n\n- Neue Königin für Linde bestellen\n- Schleuder ausleihen\n")), did(write("juli.md", "# Juli\n\n"+open)),
				did(write(july, "# Juli\n\n"+open), edit("durchsichten/2026-06.md", open, "")), did(write(july, "# Juli\n\n"+open+"- Schleuder ausleihen\n")), did(write(july, "# Juli\n\n")),
			},
		},
	}
}
