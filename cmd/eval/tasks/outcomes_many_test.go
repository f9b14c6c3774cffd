package tasks

import "maps"

// manyOutcomes are right and wrong ones of each task of the set many.
func manyOutcomes() map[string]judged {
	all := answersOfMany()
	maps.Copy(all, changesOfMany())
	return all
}

func answersOfMany() map[string]judged {
	return map[string]judged{
		"open-invoices": {
			right: []result{said("5,542.05 EUR"), said("The six open invoices come to **€5542.05** in total."), said("| 2026-003 | 2,175.00 |\n| 2026-005 | 945.00 |\n\nTotal: 5.542,05 €"), said("5 542.05")},
			wrong: []result{said("4,433.64 EUR"), said("11,303.25"), said("15,542.05"), said("554.20"), said("They are in the folder invoices.")},
		},
		"failed-requests": {
			right: []result{
				said("On 2026-10-06, with 7 of them."), said("October 6th: seven"), said("| day | 500s |\n|---|---|\n| 2026-10-05 | 3 |\n| 2026-10-06 | 7 |\n| 2026-10-08 | 6 |\n| 2026-10-10 | 5 |\n\nThe most were on 2026-10-06."),
				said("There were 7 on the 6th of October 2026."), said("On October 6, 2026, with 7 requests."), said("logs/2026-10-06.log has the most: 7 requests."),
			},
			wrong: []result{said("2026-10-08, 10"), said("On October 8 there were 6."), said("2026-10-06: 7\n2026-10-08: 10\nSo it is 2026-10-08."), said("2026-10-06"), said("| 2026-10-05 | 7 |\n| 2026-10-06 | 5 |"), said("On 2026-10-06 there were 17."), said("2026-10-07: 2, 2026-10-06: 22")},
		},
		"untested-modules": {
			right: []result{
				said("cli, ports and stations"), said("These modules have no test file:\n\n- `tidal/cli.py`\n- `tidal/ports.py`\n- `tidal/stations.py`\n\nAll others have one: almanac, buoys, charts."),
				said("## With a test\n\n- almanac\n- moon\n\n## Without a test\n\n- cli\n- ports\n- stations"), said("| module | test |\n|---|---|\n| almanac | ✅ |\n| cli | ❌ |\n| ports | ❌ |\n| render | ✅ |\n| stations | ❌ |"),
				said("cli.py, ports.py and stations.py don't have tests yet. almanac.py and units.py do."),
			},
			wrong: []result{said("cli and ports"), said("cli, ports, stations and render have none."), said("cli"), said("All of them have tests: cli, ports, stations."), said("- almanac\n- cli\n- moon\n- ports\n- stations")},
		},
		"missing-texts": {
			right: []result{
				said("- Französisch (fr): `checkout.voucher`\n- Niederländisch (nl): `account.delete`, `errors.offline`\n- Polnisch (pl): `errors.offline`\n- Schwedisch (sv): `cart.remove`, `checkout.voucher`, `footer.imprint`\n\nDeutsch, Spanisch, Italienisch und Portugiesisch sind vollständig."), //nolint:misspell // German
				said("In vier Sprachen fehlen Texte:\n\n### fr.json\n\n- checkout.voucher\n\n### nl.json\n\n- account.delete\n- errors.offline\n\n### pl.json\n\n- errors.offline\n\n### sv.json\n\n- cart.remove\n- checkout.voucher\n- footer.imprint"),
				said("checkout.voucher: fr, sv\naccount.delete: nl\nerrors.offline: nl und pl\ncart.remove: sv\nfooter.imprint: sv"),
				said("Es fehlen: Französisch checkout.voucher; Niederländisch account.delete und errors.offline; Polnisch errors.offline; Schwedisch cart.remove, checkout.voucher und footer.imprint."),
			},
			wrong: []result{
				said("fr: checkout.voucher\nnl: account.delete, errors.offline\npl: errors.offline\nsv: cart.remove, checkout.voucher"),
				said("fr: checkout.voucher\nnl: account.delete, errors.offline\npl: errors.offline, checkout.voucher\nsv: cart.remove, checkout.voucher, footer.imprint"),
				said("de: nav.home\nfr: checkout.voucher\nnl: account.delete, errors.offline\npl: errors.offline\nsv: cart.remove, checkout.voucher, footer.imprint"),
				said("Es fehlen Texte auf Französisch, Niederländisch, Polnisch und Schwedisch."), said("Es fehlt nichts."),
				said("fr:\n- errors.offline\nnl:\n- account.delete\n- errors.offline\npl:\n- errors.offline\nsv:\n- cart.remove\n- checkout.voucher\n- footer.imprint"),
			},
		},
		"warmest-bed": {
			right: []result{said("Bed 9, with 24.6 °C on average."), said("bed-09: 24.6"), said("The warmest was **bed-09** at an average of 24,60 °C; bed-06 came second with 24.1."), said("The highest average on 17 June was 24.6 °C, in bed 9, ahead of bed 6 with 24.1."), said("Bed 9 was the warmest on 17 June, with 24.6 °C (8 valid readings)."), said("| bed-06 | 24.1 |\n| bed-09 | 24.6 |\n| bed-10 | 23.9 |")},
			wrong: []result{said("Bed 10, 36.12"), said("bed-06 with 24.1"), said("Bed 9"), said("bed-09: 15.68"), said("bed-09 24.6\nbed-10 36.1\nSo bed 10."), said("bed-10: 24.6 and bed-09: 23.9"), said("| bed-08 | 24.6 |\n| bed-09 | 18.9 |")},
		},
		"all-the-eggs": {
			right: []result{said("Il vous faut 32 œufs."), said("32"), said("3 + 6 + 4 + 1 + 3 + 2 + 4 + 5 + 4 = **32** œufs en tout."), said("Trente-deux œufs.")},
			wrong: []result{said("28 œufs"), said("132"), said("Il en faut 33."), said("3,32"), said("Une trentaine.")},
		},
		"same-poem": {
			right: []result{
				said("- harvest.txt and august-evening.txt\n- gate.txt and untitled-4.txt\n- bridge.txt and for-hanna.txt"),
				said("Three of them: `august-evening` is `harvest`, `for-hanna` is `bridge`, `untitled-4` is `gate`. lantern and lantern-2 differ in the last line."),
				said("**harvest.txt**\n- august-evening.txt\n\n**gate.txt**\n- untitled-4.txt\n\n**bridge.txt**\n- for-hanna.txt\n\nThe others (crows, kite) are there once."),
			},
			wrong: []result{
				said("harvest = august-evening, gate = untitled-4"), said("- harvest, august-evening\n- gate, untitled-4\n- bridge, for-hanna\n- lantern, lantern-2"),
				said("- harvest, untitled-4\n- gate, august-evening\n- bridge, for-hanna"), said("- harvest, august-evening\n- gate, untitled-4\n- bridge, for-hanna\n- crows, kite"), said("There are no duplicates."),
			},
		},
		"undocumented-settings": {
			right: []result{
				said("ADMIN_EMAIL, CACHE_TTL, DATABASE_POOL_SIZE, S3_REGION, SENTRY_DSN and SMTP_PASSWORD"),
				said("These are not in .env.example:\n\n| variable | file |\n|---|---|\n| `SMTP_PASSWORD` | src/mail.js |\n| `CACHE_TTL` | src/cache.js |\n| `S3_REGION` | src/storage.js |\n| `SENTRY_DSN` | src/errors.js |\n| `ADMIN_EMAIL` | scripts/invite.js |\n| `DATABASE_POOL_SIZE` | src/db.js |\n\nThe others, such as PORT, are listed there."),
			},
			wrong: []result{
				said("ADMIN_EMAIL, CACHE_TTL, DATABASE_POOL_SIZE, SENTRY_DSN and SMTP_PASSWORD"), said("ADMIN_EMAIL, CACHE_TTL, DATABASE_POOL_SIZE, S3_REGION, SENTRY_DSN, SMTP_PASSWORD, SMTP_USER"),
				said("SMTP_PASSWORD"), said("None, all are there."),
			},
		},
		"most-meetings": {
			right: []result{said("Mirela, to 10."), said("Mirela came to ten of the twelve meetings; Tomas and Joost to nine."), said("| Tomas | 9 |\n| Mirela | 10 |\n\nMirela came most often."), said("10 meetings: Mirela"), said("Mirela (2026-01-13, 2026-01-27 and so on), who missed only two of the 12: 10.")},
			wrong: []result{said("Tomas, 10"), said("Mirela, 9"), said("Mirela came to 9 of 10 meetings."), said("Ravi came to 12."), said("Mirela 10, Tomas 10"), said("Tomas: 11\nMirela: 10"), said("Mirela")},
		},
	}
}

func changesOfMany() map[string]judged {
	const (
		sales = "sales/2025.csv"
		rates = "ratebook/rates.py"
		core  = "packages/core/package.json"
		stock = "inventory.csv"
	)
	return map[string]judged{
		"first-line": {
			right: []result{did(solution("first-line")), instead("first-line", everywhere("lib/zoom.js", "\n\n", "\n"))},
			wrong: []result{
				did(), instead("first-line", edit("lib/grid.js", "// A grid of square cells, counted from the south-west.\n", "")), instead("first-line", edit("lib/zoom.js", haldenLine, haldenLine+" AB")),
				instead("first-line", add("lib/contour.js", haldenLine+"\n")), instead("first-line", edit("lib/tile.js", haldenLine, haldenLine+"\n/* Copyright (c) 2019 Halden Maps */")),
				instead("first-line", edit("test/bounds.test.js", "2019", "2019-2026")),
			},
		},
		"exchange-rate": {
			right: []result{did(solution("exchange-rate"))},
			wrong: []result{
				did(), instead("exchange-rate", everywhere(rates, "get_rate_table", "exchange_rate_table")), instead("exchange-rate", everywhere("ratebook/convert.py", "target_rate", "tarexchange_rate")),
				instead("exchange-rate", edit("tests/test_convert.py", "convert.exchange_rate", "convert.get_rate")), instead("exchange-rate", edit(rates, "see exchange_rate", "see get_rate")), instead("exchange-rate", write("rename.py", "print()\n")),
			},
		},
		"article-index": {
			right: []result{
				did(solution("article-index")), instead("article-index", everywhere("INDEX.md", "’", "'")), instead("article-index", edit("INDEX.md", "The last elm", "[The last elm](articles/elm.md)"), edit("INDEX.md", "# Articles\n\n", "")),
			},
			wrong: []result{
				did(), instead("article-index", add("INDEX.md", "| Digging a pond | Joan Mbeki | 2026-05-03 |\n")), instead("article-index", edit("INDEX.md", "| The last elm | Sam Whitlock | 2025-02-07 |\n", "")),
				instead("article-index", edit("INDEX.md", "2026-03-12", "2026-03-21")), instead("article-index", edit("INDEX.md", "| Why hedges matter | Tom Aldous | 2024-06-21 |\n", ""), edit("INDEX.md", "| Newts", "| Why hedges matter | Tom Aldous | 2024-06-21 |\n| Newts")),
				instead("article-index", move("INDEX.md", "articles/INDEX.md")),
			},
		},
		"year-of-sales": {
			right: []result{did(solution("year-of-sales")), instead("year-of-sales", edit(sales, "716.10", "716.1")), instead("year-of-sales", everywhere(sales, ",", ", "))},
			wrong: []result{
				did(), instead("year-of-sales", edit(sales, "2994.04", "2994.40")), instead("year-of-sales", edit(sales, "lip balm,178,670.70\n", "")), instead("year-of-sales", edit(sales, "units,revenue", "revenue,units")),
				instead("year-of-sales", add(sales, "total,1118,8327.09\n")), instead("year-of-sales", edit(sales, "lip balm,178,670.70\n", ""), edit(sales, "propolis", "lip balm,178,670.70\npropolis")),
			},
		},
		"phone-list": {
			right: []result{
				did(solution("phone-list")), instead("phone-list", edit("phone-list.md", "# Phone list\n\n", ""), edit("phone-list.md", "## Vik", "**Vik**")), instead("phone-list", edit("phone-list.md", "- Lund, Greta: 0481 41873", "| Greta Lund | 0481 41873 |")),
			},
			wrong: []result{
				did(), instead("phone-list", add("phone-list.md", "- Zander, Nils: 0481 41536\n")), instead("phone-list", edit("phone-list.md", "22155", "22515")), instead("phone-list", edit("phone-list.md", "- Berg, Sofia: 0481 30077\n", "")),
				instead("phone-list", edit("phone-list.md", "- Amundsen, Hilde: 0481 41109\n", ""), add("phone-list.md", "- Amundsen, Hilde: 0481 41109\n")), instead("phone-list", edit("phone-list.md", "## Oster\n\n", "")),
			},
		},
		"todo-list": {
			right: []result{
				did(solution("todo-list")), instead("todo-list", edit("TODO.md", "main.go:6: read the", "`main.go`, line 6: TODO: Read the"), edit("TODO.md", "# To do\n", "")), instead("todo-list", edit("TODO.md", "- main.go:6: ", "| main.go | 6 | ")),
			},
			wrong: []result{
				did(), instead("todo-list", edit("TODO.md", "ticket.go:13", "ticket.go:12")), instead("todo-list", edit("TODO.md", "- ferry/ticket.go:13: add a QR code\n", "")), instead("todo-list", add("TODO.md", "- office/list.go:9: have a coffee\n")),
				instead("todo-list", edit("TODO.md", "begin at Easter", "begin")), instead("todo-list", edit("ferry/queue.go", "// TODO: let ambulances go first\n\n", "")),
			},
		},
		"release-three": {
			right: []result{did(solution("release-three")), instead("release-three", write(core, "{\"version\": \"3.0.0\", \"name\": \"@kelp/core\", \"main\": \"index.js\", \"dependencies\": {\"nanoid\": \"^5.0.7\"}}"))},
			wrong: []result{
				did(), instead("release-three", edit("packages/table/package.json", "\"vitest\": \"^2.4.1\"", "\"vitest\": \"^3.0.0\"")), instead("release-three", edit("packages/dialog/package.json", "\"@kelp/theme\": \"^3.0.0\"", "\"@kelp/theme\": \">=2.0.0\"")),
				instead("release-three", edit("packages/cli/package.json", "\"kelp-log\": \"^2.4.1\"", "\"kelp-log\": \"^3.0.0\"")), instead("release-three", edit(core, "3.0.0", "3.0.0-rc1")), instead("release-three", edit("package.json", "2.4.1", "3.0.0")), instead("release-three", edit(core, "{\n  \"name", "\n  \"name")),
			},
		},
		"spanish-dates": {
			right: []result{did(solution("spanish-dates"))},
			wrong: []result{
				did(), instead("spanish-dates", edit("actas/acta-02.md", "2026-03-01", "2026-01-03")), instead("spanish-dates", edit("actas/acta-10.md", "2026-02-25", "25/02/2026")), instead("spanish-dates", edit("actas/acta-07.md", "2026-04-30", "2026-4-30")),
				instead("spanish-dates", edit("actas/acta-06.md", "3/2026", "2026-03")),
			},
		},
		"letter-names": {
			right: []result{did(solution("letter-names"))},
			wrong: []result{
				did(), instead("letter-names", move("inbox/2026-03-19-landlord.txt", "inbox/2026-03-19-Landlord.txt")), instead("letter-names", edit("inbox/2026-03-19-landlord.txt", "painted", "cleaned")),
				instead("letter-names", move("inbox/2026-05-06-city-library.txt", "letter.txt"), move("inbox/2026-02-17-city-library.txt", "inbox/2026-05-06-city-library.txt"), move("letter.txt", "inbox/2026-02-17-city-library.txt")),
			},
		},
		"stock-count": {
			right: []result{did(solution("stock-count")), instead("stock-count", edit(stock, "3.05", "3.050"))},
			wrong: []result{
				did(), instead("stock-count", edit(stock, "caster,26", "caster,22")), instead("stock-count", edit(stock, "bolt latch,0", "bolt latch,3")), instead("stock-count", edit(stock, "cane sheet,0", "cane sheet,")), instead("stock-count", edit(stock, "A145,cane sheet,0,19.90\n", "")),
				instead("stock-count", edit(stock, "felt pad,120", "felt pad,40")), instead("stock-count", edit(stock, "8.40", "8.04")),
			},
		},
		"linked-from": {
			right: []result{
				did(solution("linked-from")), instead("linked-from", edit("wiki/bees.md", "Linked from: apples.md,", "Linked from: [apples.md](apples.md),")), instead("linked-from", everywhere("wiki/bees.md", "\n\n", "\n")),
			},
			wrong: []result{
				did(), instead("linked-from", add("wiki/fence.md", "\nLinked from:\n")), instead("linked-from", edit("wiki/bees.md", "apples.md, meadow.md, visitors.md", "apples.md, visitors.md, meadow.md")), instead("linked-from", edit("wiki/compost.md", "mulch.md, t", "mulch.md, mulch.md, slugs.md, t")),
				instead("linked-from", edit("wiki/apples.md", "Linked from: bees.md", "Linked from: README.md, bees.md")), instead("linked-from", edit("wiki/money.md", "Everybody pays", "All pay")), instead("linked-from", edit("wiki/bees.md", ", meadow.md, visitors.md", ", visitors.md")),
			},
		},
	}
}
