package tasks

func museumOutcomes() map[string]judged {
	const (
		files     = "The project has catalogue.csv, loans.csv and prices.json."
		unknown   = "This is not specified in the files."
		catalogue = "catalogue.csv"
		adler     = "objects/TW-009.md"
		prices    = "prices.json"
		valentine = "Valentine,Olivetti,1969,Italy,"
		record    = "# TW-009 Adler 7\n\n- maker: Adler\n- year: 1901\n- given by: Nadia Okafor\n"
	)
	return map[string]judged{
		"printing": {
			right: []result{said("Johannes Gutenberg, around 1440."), said("It was Gutenberg.")},
			wrong: []result{said("James Watt"), said("The Gestetner duplicator is from 1931."), said(files)},
		},
		"invite": {
			right: []result{said("Come to the Night of the Museums and see history by lamplight!"), said("Discover our museum at night."), said("Join us for an evening at the museum.")},
			wrong: []result{said(files), said("The museum is closed on Mondays."), said("Come to the Night of the Museums, see signs/room-1.md."), said(unknown)},
		},
		"provenance": {
			right: []result{said("It is the origin of an object."), said("The record of who owned a thing: its history."), said("Provenance says where something comes from.")},
			wrong: []result{said(files), said("It means the value of a thing.")},
		},
		"arrival": {
			right: []result{said("15:35"), said("You arrive at 3:35 pm."), said("14:50 + 45 minutes = 15.35")},
			wrong: []result{said("15:25"), said("14:95"), said(unknown)},
		},
		"lender": {
			right: []result{said("Ingrid Lindqvist", "Until 2027-09-30."), said("It was lent by Ingrid Lindqvist.", "Till September 30, 2027"), said("Lindqvist", "the 30th of September 2027")},
			wrong: []result{said("Pauli Joensen", "2028-05-31"), said("Ingrid Lindqvist", "2024-04-01"), said("Paillard", "2027-09-30"), said(unknown, unknown)},
		},
		"children": {
			right: []result{said("191"), said("191 children came in July 2025.")},
			wrong: []result{said("184"), said("163"), said("402"), said(unknown)},
		},
		"oldest": {
			right: []result{said("The inkwell with a lid, from 1861."), said("IN-001 (1861)"), said("The oldest is the Inkwell; the oldest typewriter is the Remington No. 2.")},
			wrong: []result{said("The Remington No. 2 of 1878."), said("The oldest piece is the Remington No. 2, and an inkwell is there too."), said(unknown)},
		},
		"daylight": {
			right: []result{said("The Blickensderfer 7."), said("TW-005: its keys turn yellow.")},
			wrong: []result{said("The Olivetti Valentine."), said("Blickensderfer 7 and Underwood 5"), said(unknown)},
		},
		"valentine": {
			right: []result{did(edit(catalogue, valentine+"1", valentine+"3")), did(edit(catalogue, valentine+"1,good\n", valentine+"3,good\n\n"))},
			wrong: []result{
				did(), said("The Valentine is in room 3 now."), did(edit(catalogue, "Lettera 22,Olivetti,1950,Italy,1", "Lettera 22,Olivetti,1950,Italy,3")), did(everywhere(catalogue, "Italy,1", "Italy,3")),
				did(add(catalogue, "TW-004,Olivetti Valentine,Olivetti,1969,Italy,3,good\n")), did(edit(catalogue, valentine+"1", valentine+"3"), add("objects/TW-004.md", "- room: 3\n")),
			},
		},
		"draft": {
			right: []result{did(remove("letters/2023-thanks-draft.md"))},
			wrong: []result{did(), did(remove("letters/2023-thanks.md")), did(remove("letters/2023-thanks.md"), remove("letters/2023-thanks-draft.md")), did(write("letters/2023-thanks-draft.md", ""))},
		},
		"adler": {
			right: []result{did(write(adler, record)), did(write(adler, record+"\nA machine whose types thrust forward.\n")), did(write(adler, "# TW-009: Adler 7\n\n* **maker:** Adler\n* **year:** 1901\n* **given by:** Nadia Okafor, 2026\n"))},
			wrong: []result{
				did(), said(record), did(write("TW-009.md", record)), did(write(adler, "Adler 7, 1901, Nadia Okafor\n")), did(write(adler, record), add(catalogue, "TW-009,Adler 7,Adler,1901,Germany,1,good\n")),
				did(write(adler, "# TW-009 Adler 7\n\n- maker: Adler\n- year: 1912\n- given by: Nadia Okafor\n")), did(write(adler, record+"\nIt stood beside the Underwood 5.\n")), did(write("objects/TW-007.md", record)),
			},
		},
		"tour": {
			right: []result{did(edit(prices, `"guided_tour": 350`, `"guided_tour": 400`)).after("350 DKK"), did(edit(prices, `"guided_tour": 350`, `"guided_tour": 400`)).after("A guided tour is 350.")},
			wrong: []result{
				did().after("350"), said("350", "It is 400 now."), did(everywhere(prices, "350", "400")).after("350"), did(edit(prices, `"school_class": 350`, `"school_class": 400`)).after("350"),
				did(edit(prices, `"guided_tour": 350`, `"guided_tour": 400`)).after("60"), did(edit(prices, `"guided_tour": 350`, `"guided_tour": 400`), edit(prices, `"child": 30`, `"child": 20`)).after("350"),
				did(edit(prices, `"guided_tour": 350`, `"guided_tour": "400"`)).after("350"),
			},
		},
	}
}
