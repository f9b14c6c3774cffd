package tasks

func sharesOutcomes() map[string]judged {
	const (
		files   = "The project has go.mod, ledger/read.go and trips/alps.csv."
		unknown = "The files do not say that."
		settle  = "settle/settle.go"
		read    = "ledger/read.go"
		money   = "money/money.go"
		split   = "split/split.go"
		test    = "split/split_test.go"
		corsica = "trips/corsica.csv"
		prints  = "\treturn fmt.Sprintf(\"%d.%02d\", c/100, c%100)\n"
	)
	return map[string]judged{
		"map-key": {
			right: []result{said("v, ok := m[\"key\"]"), said("Use the comma ok idiom:\n```go\nif _, ok := m[key]; ok {\n}\n```"), said("value, exists := ages[name]")},
			wrong: []result{said("m.has(key)"), said("if m[key] != nil"), said(files)},
		},
		"tip": {
			right: []result{said("12.60 euros", "96.60 euros"), said("It is 12.6.", "84 + 12.60 = **96.60**")},
			wrong: []result{said("12.60", "99.60"), said("15 euros", "96.60"), said(files, unknown)},
		},
		"australia": {
			right: []result{said("堪培拉"), said("澳大利亚的首都是堪培拉,不是悉尼。"), said("Canberra")},
			wrong: []result{said("悉尼"), said("墨尔本,堪培拉是另一个城市"), said(files)},
		},
		"dutch": {
			right: []result{said("Let's split the bill."), said("「Let's go Dutch」と言います。"), said("How about splitting the check?")},
			wrong: []result{said("Let's pay the bill."), said("shares です。"), said(files)},
		},
		"seconds": {
			right: []result{said("7200"), said("7 200 секунд"), said("В двух часах 7,200 секунд."), said("7200сек")},
			wrong: []result{said("3600"), said("720"), said(files)},
		},
		"ski-passes": {
			right: []result{said("Ilse"), said("Ilse paid 412 francs for herself, Tom and Yusuf."), said("Ilse; Tom paid for the cabin.")},
			wrong: []result{said("Tom"), said("Tom paid for Ilse."), said("They were paid by Yusuf for Ilse."), said(unknown)},
		},
		"odd-cent": {
			right: []result{
				said("The payer."), said("Whoever paid the bill bears it."), said("The person who paid, or the first name if the payer has no part."), said("It goes to the one who pays."),
			},
			wrong: []result{said("The first person in the list."), said("Nobody, it is lost."), said("Ana"), said(unknown)},
		},
		"comments": {
			right: []result{said("Yes: a line that starts with a semicolon."), said("Yes, begin the line with `;`."), said("Yes: `; the first evening`"), said("Lines beginning with ';' are skipped."), said("Yes. Use the `;` character at the start of the line instead of #.")},
			wrong: []result{said("Yes, with a # at the start."), said("No."), said("Comments are not supported; see docs/format.md."), said("No, semicolons are not allowed."), said(unknown)},
		},
		"corsica-total": {
			right: []result{said("986.40 euros"), said("En total, 986,40 €."), said("986,4€")},
			wrong: []result{said("924.70"), said("640.00"), said("No lo sé."), said("986")},
		},
		"version": {
			right: []result{said("0.7.2"), said("Сейчас версия **0.7.2**, до неё была 0.7.1.")},
			wrong: []result{said("0.7.1"), said("Версия 0.6.0, потом 0.7.2"), said("В файлах этого нет.")},
		},
		"one-owes-two": {
			right: []result{
				did(edit(settle, "amount := d.cents", "amount := min(d.cents, c.cents)")),
				did(edit(settle, "amount := d.cents\n", "amount := d.cents\n\t\tif c.cents < amount {\n\t\t\tamount = c.cents\n\t\t}\n")),
			},
			wrong: []result{
				did(), did(edit(settle, "amount := d.cents", "amount := c.cents")), did(edit("settle/settle_test.go", "{{\"Cem\", \"Ana\", 1000}, {\"Cem\", \"Ben\", 2000}}", "{{\"Cem\", \"Ana\", 3000}}")),
				did(edit(settle, "amount := d.cents", "amount := max(d.cents, c.cents)")), said("Use min(d.cents, c.cents)."), did(edit(settle, "amount := d.cents", "amount := min(d.cents, 1000)")),
			},
		},
		"long-names": {
			right: []result{did(edit(read, "maxName = 12", "maxName = 20")).after("12 letters."), did(edit(read, "maxName = 12", "maxName = 20")).after("At most twelve.")},
			wrong: []result{
				did().after("12"), did(edit(read, "maxName = 12", "maxName = 20")).after("20"), did(edit(read, "columns = 6", "columns = 20")).after("12"), did(edit(read, "> maxName", "> 20")).after("12"),
				did(edit(read, "maxName = 12", "maxName = 200")).after("12"), said("12", "Done, it is 20 now."),
			},
		},
		"minus": {
			right: []result{
				did(edit(money, prints, "\tif c < 0 {\n\t\treturn \"-\" + (-c).String()\n\t}\n"+prints)),
				did(edit(money, prints, "\tsign := \"\"\n\tif c < 0 {\n\t\tsign, c = \"-\", -c\n\t}\n\treturn fmt.Sprintf(\"%s%d.%02d\", sign, c/100, c%100)\n"), edit("money/money_test.go", "5: \"0.05\",", "5: \"0.05\", -5: \"-0.05\",")),
				did(edit(money, prints, "\treturn strconv.FormatFloat(float64(c)/100, 'f', 2, 64)\n")),
			},
			wrong: []result{
				did(), did(edit(money, prints, "\tif c < 0 {\n\t\tc = -c\n\t}\n"+prints)), did(edit(money, prints, "\tif c == -5 {\n\t\treturn \"-0.05\"\n\t}\n"+prints)), did(edit(money, "c%100)", "-c%100)")),
				did(edit(money, prints, "\tif c < 0 {\n\t\treturn \"-\" + (-c).String()\n\t}\n"+prints), write("money/money_test.go", "package money\n")), said("Use the absolute value."),
			},
		},
		"evenly": {
			right: []result{
				did(everywhere(split, "Equal", "Evenly"), edit(test, "got := Equal(1000, []string", "got := Evenly(1000, []string"), edit(test, "got := Equal(1000, nil", "got := Evenly(1000, nil"), edit(settle, "split.Equal", "split.Evenly")),
				did(edit(split, "func Equal", "func Evenly"), edit(test, "func TestEqual", "func TestEvenly"), edit(test, "got := Equal(1000, []string", "got := Evenly(1000, []string"), edit(test, "got := Equal(1000, nil", "got := Evenly(1000, nil"), edit(settle, "split.Equal", "split.Evenly")),
			},
			wrong: []result{
				did(), did(everywhere(split, "Equal", "Evenly")), did(everywhere(split, "Equal", "Evenly"), everywhere(test, "Equal", "Evenly"), edit(settle, "split.Equal", "split.Evenly")),
				did(everywhere(split, "Equal", "Evenly"), edit(settle, "split.Equal", "split.Evenly")), did(add(split, "\nfunc Evenly(amount money.Cents, names []string, payer string) map[string]money.Cents {\n\treturn Equal(amount, names, payer)\n}\n")),
				did(everywhere(split, "Equal", "Evenly"), edit(test, "got := Equal(1000, []string", "got := Evenly(1000, []string"), edit(test, "got := Equal(1000, nil", "got := Evenly(1000, nil")),
			},
		},
		"ice-cream": {
			right: []result{
				did(add(corsica, "2026-06-14,Tom,ice cream,18.40,EUR,all\n")), did(add(corsica, "2026-06-14,Tom,冰淇淋,18.40,EUR,all")),
				did(edit(corsica, "; ferry", "2026-06-14,Tom,Ice cream,18.40,EUR,all\n; ferry")),
			},
			wrong: []result{
				did(), did(add(corsica, "2026-06-14,Tom,ice cream,18.40,EUR,Tom\n")), did(add(corsica, "6月14日,Tom,冰淇淋,18.40,EUR,all\n")), did(add("trips/alps.csv", "2026-06-14,Tom,ice cream,18.40,EUR,all\n")),
				did(write(corsica, "2026-06-14,Tom,ice cream,18.40,EUR,all\n")), did(add(corsica, "2026-06-14,Tom,ice cream,18.40\n")), said("已经补上了。"),
			},
		},
	}
}
