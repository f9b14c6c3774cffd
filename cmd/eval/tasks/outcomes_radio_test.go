package tasks

func radioOutcomes() map[string]judged {
	const (
		files    = "The project has station.ini, data/schedule.csv and onair/playlog.py."
		unknown  = "The files do not say that."
		timefmt  = "onair/timefmt.py"
		schedule = "onair/schedule.py"
		slots    = "data/schedule.csv"
		shows    = "data/shows.json"
		welcome  = "docs/new-presenters.md"
		playlog  = "onair/playlog.py"
		average  = "    return sum(s.minutes for s in slots) / len(slots)"
		ends     = "to_text(to_minutes(start) + minutes)"
		plays    = "\n\ndef plays_by_artist(rows):\n    counts = {}\n    for row in rows:\n        counts[row[\"artist\"]] = counts.get(row[\"artist\"], 0) + 1\n    return counts\n"
	)
	return map[string]judged{
		"fm": {
			right: []result{said("Frequency modulation."), said("FM is short for *frequency modulation*.")},
			wrong: []result{said("Fine music"), said("The frequency is 98.3."), said(files)},
		},
		"undo": {
			right: []result{said("git reset --soft HEAD~1"), said("Run `git reset HEAD^`."), said("`git reset --mixed HEAD~`")},
			wrong: []result{said("git reset --hard HEAD~1"), said("git revert HEAD"), said(files)},
		},
		"birthday": {
			right: []result{said("1991", "12"), said("She was born in 1991.", "She turned twelve.")},
			wrong: []result{said("1991", "13"), said("1971", "12"), said(files, unknown)},
		},
		"microphones": {
			right: []result{
				said("Un micro dynamique utilise une bobine mobile et n'a pas besoin d'alimentation. Un micro à condensateur est plus sensible."),
				said("Le dynamique est robuste, l'électrostatique demande l'alimentation fantôme."),
			},
			wrong: []result{said("Un micro dynamique est un micro."), said("Voir docs/studio.md : dynamique, condensateur, sensible."), said(files)},
		},
		"waiting": {
			right: []result{said("Thank you for waiting."), said("«Thanks for your patience»"), said("Можно сказать: Thank you for holding.")},
			wrong: []result{said("Please wait."), said("Спасибо за ожидание"), said(files)},
		},
		"records": {
			right: []result{said("Marguerite Stone"), said("The Attic is presented by **Marguerite Stone**.")},
			wrong: []result{said("Nadia Holt"), said("Marguerite Stone and Ruth Calder"), said(unknown)},
		},
		"recordings": {
			right: []result{said("35 days", "/mnt/archive/recordings"), said("Five weeks.", "In `/mnt/archive/recordings/`.")},
			wrong: []result{said("35 days", "/var/onair/recordings"), said("30 days", "/mnt/archive/recordings"), said(unknown, unknown)},
		},
		"exit-code": {
			right: []result{said("4"), said("It ends with exit code 4, from the Overlap exception."), said("Exit code `4`. With no overlap of two shows it is 0.")},
			wrong: []result{said("It exits with 2."), said("exit code 1"), said("Exit code 0, or 4 if there is a file."), said(unknown)},
		},
		"jazz": {
			right: []result{
				said("Empieza el viernes a las 21:30 y dura 75 minutos."), said("A las 21.30 h; dura una hora y cuarto."), said("The Blue Room: 21:30, 75min"),
				said("Viernes, de 21:30 a 22:45."),
			},
			wrong: []result{said("A las 19:30, 90 minutos"), said("A las 21:30."), said("No se especifica.")},
		},
		"most-played": {
			right: []result{said("《Paper Lanterns》,播放了4次。"), said("是 The Tin Foxes 的 Paper Lanterns")},
			wrong: []result{said("Slow Ferry"), said("Moth Waltz,比 Paper Lanterns 多"), said("文件里没有说明。")},
		},
		"midnight": {
			right: []result{
				did(edit(timefmt, ends, "to_text((to_minutes(start) + minutes) % (24 * 60))")), did(edit(timefmt, "minutes // 60:02", "minutes // 60 % 24:02")),
				did(edit(timefmt, "    return "+ends, "    end = to_minutes(start) + minutes\n    while end >= 1440:\n        end -= 1440\n    return to_text(end)")),
			},
			wrong: []result{
				did(), did(edit("tests/test_timefmt.py", "\"00:30\"", "\"24:30\"")), did(edit(timefmt, ends, "\"00:30\"")), did(edit(timefmt, ends, "to_text((to_minutes(start) + minutes) % 720)")),
				did(edit(timefmt, ends, "to_text((to_minutes(start) + minutes) % (24 * 60))"), edit("tests/test_timefmt.py", "450), \"07:30\"", "451), \"07:31\"")),
				did(edit(timefmt, "    return "+ends, "    end = to_minutes(start) + minutes\n    if end > 1440:\n        end -= 1440\n    return to_text(end)")),
			},
		},
		"empty": {
			right: []result{
				did(edit(schedule, average, "    if not slots:\n        return 0\n"+average)), did(edit(schedule, average, average+" if slots else 0")),
				did(edit(schedule, "/ len(slots)", "/ max(1, len(slots))"), edit("tests/test_schedule.py", "\n\nif __name__", "\n    def test_no_slots(self):\n        self.assertEqual(schedule.average_minutes([]), 0)\n\n\nif __name__")),
			},
			wrong: []result{
				did(), said("if not slots: return 0"), did(edit(schedule, average, "    return 0")), did(edit(schedule, average, "    if not slots:\n        return None\n"+average)),
				did(edit(schedule, average, average+" if slots else 0"), edit(slots, "sunday,11:00,60,garden-line\n", "")), did(edit(schedule, "/ len(slots)", "// max(1, len(slots))")),
			},
		},
		"nadia": {
			right: []result{did(everywhere(shows, "Nadia Holt", "Nadia Berger"), everywhere(welcome, "Nadia Holt", "Nadia Berger"))},
			wrong: []result{
				did(), did(everywhere(shows, "Nadia Holt", "Nadia Berger")), did(everywhere(shows, "Holt", "Berger"), edit(welcome, "- Nadia Holt", "- Nadia Berger")),
				did(everywhere(shows, "Nadia Holt", "Berger"), everywhere(welcome, "Nadia Holt", "Berger")),
				did(everywhere(shows, "Nadia Holt", "Nadia Berger"), everywhere(welcome, "Nadia Holt", "Nadia Berger"), write("data/namen.txt", "Nadia Berger\n")),
			},
		},
		"tuesday": {
			right: []result{did(edit(slots, "tuesday,20:00", "tuesday,21:00")), did(edit(slots, "tuesday,20:00,90,vinyl-attic\n", "tuesday,21:00,90,vinyl-attic\n\n"))},
			wrong: []result{
				did(), said("変更しました。"), did(edit(slots, "thursday,20:00", "thursday,21:00")), did(edit(slots, "sunday,11:00,60,garden-line\n", "sunday,11:00,60,garden-line\ntuesday,21:00,90,vinyl-attic\n")),
				did(everywhere(slots, "20:00", "21:00")), did(edit(slots, "tuesday,20:00,90", "tuesday,21:00,60")),
			},
		},
		"by-artist": {
			right: []result{
				did(add(playlog, plays)), did(edit(playlog, "import csv\n", "import csv\nfrom collections import Counter\n"), add(playlog, "\n\ndef plays_by_artist(rows):\n    return Counter(row[\"artist\"] for row in rows)\n")),
				did(add(playlog, plays), edit("tests/test_playlog.py", "\n\nif __name__", "\n    def test_plays(self):\n        self.assertEqual(playlog.plays_by_artist(ROWS), {\"X\": 1, \"Y\": 1})\n\n\nif __name__")),
			},
			wrong: []result{
				did(), said(plays), did(write(playlog, plays)), did(write("playlog.py", plays)), did(add(playlog, "\n\ndef plays_by_artist(rows):\n    return {row[\"artist\"]: 1 for row in rows}\n")),
				did(add(playlog, "\n\ndef plays_by_artist(rows):\n    return Counter(row[\"artist\"] for row in rows)\n")), did(add("onair/royalties.py", plays)),
			},
		},
	}
}
