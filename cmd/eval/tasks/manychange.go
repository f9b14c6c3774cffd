package tasks

import (
	"fmt"
	"regexp"
	"strings"
)

// changingMany want changes of many files, or a file made of many.
func changingMany() []Task {
	getRate := regexp.MustCompile(`\bget_rate\b`)
	date := regexp.MustCompile(`\b(\d{1,2})/(\d{1,2})/(\d{4})\b`)
	return []Task{
		{
			name: "first-line",
			request: "Every file in lib should begin with this line:\n" + haldenLine +
				"\nMost have an older one, that one goes. Some have none at all.",
			touches: each(
				"lib/%s.js", "bounds colour contour distance grid label layer legend lerp projection tile zoom",
			),
			check: rewrites("lib/", withHaldenLine),
		},
		{
			name: "exchange-rate",
			request: "Please rename the function get_rate to exchange_rate everywhere, in tests and docs too. " +
				"get_rate_table is a different one and stays.",
			touches: each(
				"%s", "ratebook/rates.py ratebook/convert.py ratebook/alerts.py ratebook/history.py "+
					"ratebook/table.py ratebook/server.py tests/test_rates.py tests/test_convert.py "+
					"docs/usage.md docs/alerts.md",
			),
			check: rewrites("", func(text string) string { return getRate.ReplaceAllString(text, "exchange_rate") }),
		},
		{
			name: "article-index",
			request: "I need an INDEX.md beside the README: a table of all articles with title, author and date, " +
				"newest at the top. Without the drafts.",
			touches: []string{"INDEX.md"},
			check: hasTable(
				"INDEX.md", "title", "author", "date",
				"Newts on the road|Priya Nair|2026-03-12", "The otters are back|Priya Nair|2026-01-25",
				"Fungi, a beginner's walk|Joan Mbeki|2025-10-19", "A box for owls|Lena Ortiz|2025-09-30",
				"Mowing the meadow|Sam Whitlock|2025-07-24", "Orchids in the quarry|Tom Aldous|2025-06-11",
				"Swifts need holes|Lena Ortiz|2025-05-29", "How we count bats|Lena Ortiz|2025-04-18",
				"The last elm|Sam Whitlock|2025-02-07", "Feeding birds in winter|Joan Mbeki|2024-12-15",
				"What the moor keeps|Sam Whitlock|2024-11-02", "Why hedges matter|Tom Aldous|2024-06-21",
			),
		},
		{
			name: "year-of-sales",
			request: "Add up all twelve months in sales for each product and save it as sales/2025.csv with the " +
				"columns product,units,revenue. Highest revenue first.",
			touches: []string{"sales/2025.csv"},
			check: hasTable(
				"sales/2025.csv", "product", "units", "revenue",
				"propolis drops|254|2994.04", "beeswax candle|218|1560.24", "wood polish|162|1512.46",
				"honey soap|196|873.45", "pollen|110|716.10", "lip balm|178|670.70",
			),
		},
		{
			name: "phone-list",
			request: "Make phone-list.md from the files in members: a heading for each village, below it our " +
				"active members with phone number, sorted by last name.",
			touches: []string{"phone-list.md"},
			check: phoneList("phone-list.md", map[string][]string{
				"Nesby": {"Tove Berg 22155", "Karin Dahl 22964", "Bert Quist 22340", "Arne Solberg 22017"},
				"Oster": {"Sofia Berg 30077", "Lucia Marek 30955", "Marta Nowak 30688", "Piet Visser 30240"},
				"Vik":   {"Hilde Amundsen 41109", "Jonas Eide 41250", "Greta Lund 41873"},
			}),
		},
		{
			name: "todo-list",
			request: "Gather all the TODO comments of the Go code in TODO.md. One line for each: file, line number, " +
				"and what's to be done.",
			touches: []string{"TODO.md"},
			check: places(
				"TODO.md", `\w\.go\b`,
				"ferry/boat.go 7 count half lanes for motorcycles",
				"ferry/crossing.go 13 ask the harbour about low tide",
				"ferry/queue.go 3 let ambulances go first", "ferry/season.go 7 begin at Easter",
				"ferry/ticket.go 12 print the name of the boat in bold", "ferry/ticket.go 13 add a QR code",
				"office/print.go 7 say when there is no paper", "office/shift.go 12 a shift may end after midnight",
				"main.go 6 read the timetable from a file",
			),
		},
		{
			name: "release-three",
			request: "We're releasing 3.0.0. All the packages in packages get this version, and where they depend on " +
				"one another it should say ^3.0.0.",
			touches: each(
				"packages/%s/package.json", "core icons forms charts theme table dialog router docs cli",
			),
			check: releases("packages/", "3.0.0", "@kelp/"),
		},
		{
			name:    "spanish-dates",
			request: "En las actas las fechas están escritas así: 14/1/2026. Cámbialas todas a la forma 2026-01-14.",
			touches: each("actas/acta-%s.md", "01 02 03 04 05 06 07 08 09 10 11"),
			check: rewrites("actas/", func(text string) string {
				return date.ReplaceAllStringFunc(text, func(found string) string {
					m := date.FindStringSubmatch(found)
					return m[3] + "-" + ("0" + m[2])[len(m[2])-1:] + "-" + ("0" + m[1])[len(m[1])-1:]
				})
			}),
		},
		{
			name: "letter-names",
			request: "The scans in inbox need better names: date and sender, like 2026-03-04-water-board.txt. " +
				"Both are in each letter.",
			touches: append(
				each("inbox/scan-%s.txt", "01 02 03 04 05 06 07 08 09 10 11 12"), each("inbox/%s.txt", letters)...,
			),
			check: becomes(letterMoves()...),
		},
		{
			name: "stock-count",
			request: "We've counted everything, one sheet per shelf in count. Please correct the quantities in " +
				"inventory.csv. Articles on several shelves are added up, and what isn't on any sheet is 0.",
			touches: []string{"inventory.csv"},
			check: hasTable(
				"inventory.csv", "article", "name", "quantity", "price",
				"A104|brass hinge|25|3.20", "A117|oak knob|35|2.75", "A120|steel hook|60|0.95",
				"A131|drawer rail|12|8.40", "A145|cane sheet|0|19.90", "A150|wood glue|13|6.10",
				"A162|felt pad|120|0.40", "A170|door stop|0|3.05", "A188|shelf pin|435|0.15",
				"A193|wall plug|750|0.08", "A205|cup pull|25|4.60", "A211|caster|26|5.25",
				"A226|corner plate|48|1.10", "A240|bolt latch|0|7.80",
			),
		},
		{
			name: "linked-from",
			request: "At the end of each wiki page I'd like a line that says which wiki pages link to it, in " +
				"alphabetical order, like this:\nLinked from: apples.md, bees.md\n" +
				"Pages that no other page links to don't get one.",
			touches: each(
				"wiki/%s.md", "apples bees compost frost meadow money mulch pruning shed tomatoes water",
			),
			check: lastLines(`^[\s*_>-]*Linked from:`, map[string]string{
				"wiki/apples.md": "bees.md pruning.md", "wiki/bees.md": "apples.md meadow.md visitors.md",
				"wiki/compost.md": "mulch.md tomatoes.md", "wiki/frost.md": "tomatoes.md",
				"wiki/meadow.md": "bees.md visitors.md", "wiki/money.md": "visitors.md", "wiki/mulch.md": "slugs.md",
				"wiki/pruning.md": "apples.md", "wiki/shed.md": "compost.md fence.md pruning.md",
				"wiki/tomatoes.md": "frost.md slugs.md", "wiki/water.md": "frost.md shed.md tomatoes.md",
			}),
		},
	}
}

// each puts each of the names, which have spaces between them, into a format.
func each(format, names string) []string {
	var all []string
	for name := range strings.FieldsSeq(names) {
		all = append(all, fmt.Sprintf(format, name))
	}
	return all
}

const haldenLine = "// Copyright 2019-2026 Halden Maps"

// withHaldenLine puts the line in front of a text, in the place of an older one.
func withHaldenLine(text string) string {
	if first, rest, _ := strings.Cut(text, "\n"); strings.Contains(first, "Halden Maps") {
		text = rest
	}
	return haldenLine + "\n" + text
}

// letters are the new names of the letters, in the order of the old ones.
const letters = "2026-03-04-water-board 2026-02-17-city-library 2026-01-09-dr-osei 2026-04-22-water-board " +
	"2025-12-20-aunt-carmen 2026-05-15-tax-office 2026-01-31-north-energy 2026-03-19-landlord " +
	"2026-05-06-city-library 2026-04-02-north-energy 2026-02-28-tennis-club 2026-03-30-tax-office"

func letterMoves() []change {
	var moves []change
	for i, name := range each("inbox/%s.txt", letters) {
		moves = append(moves, move(fmt.Sprintf("inbox/scan-%02d.txt", i+1), name))
	}
	return moves
}
