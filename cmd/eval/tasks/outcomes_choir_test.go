package tasks

func choirOutcomes() map[string]judged {
	const (
		files   = "The project has larks.yaml, data/members.csv and docs/manual.md."
		unknown = "The files do not say that."
		dates   = "larks/dates.py"
		manual  = "docs/manual.md"
		members = "larks/members.py"
		list    = "data/members.csv"
		brandt  = "Katja Brandt,alto,full,2009\n"
		wear    = "\n## What to wear at concerts\n\nAll in black, no jeans.\n"
		count   = "\n\ndef count_by_voice(members):\n    counts = {}\n    for m in members:\n        counts[m.voice] = counts.get(m.voice, 0) + 1\n    return counts\n"
	)
	return map[string]judged{
		"tail": {
			right: []result{said("tail -n 20 file.txt"), said("With `tail -20 FILE`.")},
			wrong: []result{said("head -n 20 file.txt"), said(files)},
		},
		"voices": {
			right: []result{said("Soprano, alto, tenor and bass.", "The bass."), said("Sopranos, altos, tenors, basses", "Bass is the lowest, tenor comes above it.")},
			wrong: []result{said("Soprano, alto, tenor, bass", "Tenor"), said("soprano, alto and tenor", "bass"), said("soprano, alto, tenor, bass", "The lowest voice is the alto, then bass."), said(files, files)},
		},
		"lisbon": {
			right: []result{said("Lisbon."), said("The capital is Lisboa.")},
			wrong: []result{said("Porto"), said("Madrid"), said(unknown)},
		},
		"last-song": {
			right: []result{said("songs[-1]"), said("`last = songs[-1]`"), said("Use songs[len(songs) - 1].")},
			wrong: []result{said("songs[0]"), said("data/pieces.yaml has Sleep as its last."), said(files)},
		},
		"student": {
			right: []result{said("70 EUR"), said("Half of 140, which is 70.00 euros.")},
			wrong: []result{said("140"), said("50 %"), said("170"), said(unknown)},
		},
		"backups": {
			right: []result{said("/srv/nest/larks"), said("In the folder `/srv/nest/larks/`.")},
			wrong: []result{said("scripts/backup.sh"), said("In data/"), said(unknown)},
		},
		"tenors": {
			right: []result{said("Jonas Petri and Emeka Obi"), said("- Jonas Petri\n- Emeka Obi")},
			wrong: []result{said("Jonas Petri"), said("Jonas Petri, Emeka Obi and Hugo Saar"), said(unknown)},
		},
		"closed": {
			right: []result{said("The same weekday a week later."), said("It adds 7 days until the hall is open."), said("the next Wednesday"), said("one week later")},
			wrong: []result{said("The next day."), said("Thursday"), said("It is not specified."), said("No day: nobody gets a mail.")},
		},
		"season": {
			right: []result{
				did(edit(dates, "weeks=weeks)", "weeks=weeks - 1)")), did(edit(dates, "timedelta(weeks=weeks)", "timedelta(days=7 * (weeks - 1))")),
				did(edit(dates, "return first + timedelta(weeks=weeks)", "return first + timedelta(weeks=weeks) - timedelta(weeks=1)")),
			},
			wrong: []result{
				did(), did(edit("tests/test_dates.py", "date(2026, 3, 11)", "date(2026, 3, 18)")), did(edit(dates, "weeks=weeks)", "weeks=9)")), did(edit(dates, "weeks=weeks)", "days=weeks)")),
				did(edit(dates, "weeks=weeks)", "weeks=weeks - 1)"), edit("tests/test_dates.py", "), 10)", "), 9)")),
				did(edit(dates, "weeks=weeks)", "weeks=weeks - 1)"), edit(dates, "timedelta(days=7)", "timedelta(days=1)")),
			},
		},
		"clothes": {
			right: []result{did(add(manual, wear)), did(add(manual, "\n## Concerts\n\n- black clothes\n- no jeans\n")), did(add(manual, "\n## Dress code\n\nNo jeans, everything in black.\n"))},
			wrong: []result{
				did(), said(wear), did(edit(manual, "## Keys\n", wear+"\n## Keys\n")), did(add(manual, "\nAll in black, no jeans.\n")), did(write(manual, wear)), did(add(manual, "\n## What to wear at concerts\n\nAll in black.\n")),
				did(edit(manual, "The spare one is with Lena.", "The spare one is in the piano stool."), add(manual, wear)), did(add("README.md", wear)),
			},
		},
		"count": {
			right: []result{
				did(add(members, count)), did(edit(members, "import csv\n", "import csv\nfrom collections import Counter\n"), add(members, "\n\ndef count_by_voice(members):\n    return Counter(m.voice for m in members)\n")),
				did(add(members, "\n\ndef count_by_voice(members):\n    return {v: sum(1 for m in members if m.voice == v) for v in VOICES}\n")),
			},
			wrong: []result{
				did(), said(count), did(write(members, count)), did(add(members, "\n\ndef count_by_voice(members):\n    return len(members)\n")), did(write("members.py", count)),
				did(add(members, "\n\ndef count_by_voice(members):\n    return {m.voice: 1 for m in members}\n")), did(add(members, "\n\ndef count_by_voice(members):\n    return Counter(m.voice for m in members)\n")),
				did(add(members, count), edit(list, brandt, "")),
			},
		},
		"katja": {
			right: []result{did(edit(list, brandt, "")).after("Yes, as an alto since 2009."), did(edit(list, brandt, "\n")).after("She is still on the list.")},
			wrong: []result{
				did().after("Yes."), said("Yes.", "I have taken her off the list."), did(edit(list, "Katja Lund,soprano,student,2024\n", "")).after("Yes."),
				did(edit(list, brandt, ""), edit(list, "Katja Lund,soprano,student,2024\n", "")).after("Yes."), did(edit(list, "Katja Brandt,alto,full", "Katja Brandt,alto,moved")).after("Yes."),
				did(edit(list, brandt, "")).after("No, she is not on the list."), did(edit(list, "Katja Brandt,", ",")).after("Yes."),
			},
		},
	}
}
