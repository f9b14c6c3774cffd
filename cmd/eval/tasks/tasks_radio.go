package tasks

// radioTasks are about the schedule and the play log of a community radio, in Python.
func radioTasks() []Task {
	talks := []Task{
		{
			name:    "fm",
			request: "what does the fm in fm radio actually stand for",
			check:   says(`frequency[- ]modulat|modulated frequency`),
		},
		{
			name:    "undo",
			request: "how do i take back my last git commit but keep what i changed?",
			check:   says(`git reset (--(soft|mixed) )?["']?(HEAD|@)(~1?|\^)`),
		},
		{
			name:    "birthday",
			request: "A listener turns 40 in 2031. Which year was she born in?",
			then:    []string{"and how old did she get in 2003?"},
			check:   all(turn(1, says(`\b1991\b`)), says(`\b12(th)?\b|\btwel(ve|fth)\b`)),
		},
		{
			name:    "microphones",
			request: "c'est quoi la différence entre un micro dynamique et un micro à condensateur ? 2 phrases svp",
			check: all(
				says(
					`condensateur|[ée]lectrostatique|condenser|statique`, `dynamique|dynamic`,
					`alimentation|fant[ôo]me|phantom|\b48\b|`+
						`sensib|sensitiv|robust|bobine|\bcoil|d[ée]tail|fragile|fid[èe]l|pr[ée]cis`,
				), saysNot(`\.(py|csv|md|json|ini)\b`),
			),
		},
		{
			name:    "waiting",
			request: "как по-английски сказать «спасибо за ожидание»?",
			check:   says(`thank(s| you)( so much| very much)? for (your |being )?(wait|patien|hold)`),
		},
	}
	reads := []Task{
		{
			name:    "records",
			request: "who does the show with the old records?",
			check: all(
				says(`marguerite|\bstone\b`),
				saysNot(`\b(nadia|samuel|ruth|ben|ivor|leontyne|tamsin)\b`),
			),
		},
		{
			name:    "recordings",
			request: "how long do we keep the recordings befor they get deleted",
			then:    []string{"And in which folder are they until then?"},
			check: all(
				turn(1, says(`\b35\b|thirty[- ]five|\b(5|five) weeks`)), says(`/mnt/archive/recordings`),
			),
		},
		{
			name:    "exit-code",
			request: "Which exit code does the check end with when two shows overlap?",
			check: all(
				says(`\b4\b|\bfour\b`),
				saysNot(`^\W*((the |it )?(exits?|ends|returns)?`+
					`( with)?( an?| the)? ?(exit )?(code|status)?( is| of|:)? ?)?(0|1|2|3)\b`),
			),
		},
		{
			name:    "jazz",
			request: "¿a qué hora empieza el programa de jazz y cuánto dura?",
			check: says(
				`\b21[:.h] ?30|\b9[:.]30|nueve y media`,
				`\b75( ?min|\b)|setenta y cinco|hora y cuarto|`+
					`\b1 ?h(oras?)? ?(y )?15|\b1[:.]15\b|22[:.h] ?45|hora y (quince|15)`,
			),
		},
		{
			name:    "most-played",
			request: "三月份哪首歌播放的次数最多?",
			check: all(
				says(`paper lanterns|纸灯笼`),
				saysNot(`^[^\p{L}]*(slow ferry|moth waltz|low water|glass floor|bicycle summer)`),
			),
		},
	}
	changes := []Task{
		{
			name:    "midnight",
			request: "test_timefmt is red: 90 min from 23:00 should end at 00:30 and not at 24:30. can you fix",
			touches: []string{"onair/timefmt.py"},
			check: all(passes("python3", "-m", "unittest", "discover", "-s", "tests", "-t", "."), python(`
from onair import timefmt
assert timefmt.end_time("22:00", 120) == "00:00"
assert timefmt.end_time("23:59", 1) == "00:00"
assert timefmt.end_time("23:00", 125) == "01:05"
assert timefmt.end_time("09:15", 50) == "10:05" and timefmt.end_time("13:00", 30) == "13:30"
assert timefmt.to_text(450) == "07:30" and timefmt.to_minutes("23:30") == 1410
`)),
		},
		{
			name:    "empty",
			request: "average_minutes crashes when there is no slot at all. it should just be 0 then",
			touches: []string{"onair/schedule.py", "tests/test_schedule.py"},
			check: all(
				keeps("tests/test_schedule.py"), passes("python3", "-m", "unittest", "tests.test_schedule"), python(`
from onair import schedule
from onair.schedule import Slot
assert schedule.average_minutes([]) == 0
assert schedule.average_minutes([Slot("monday", "07:00", 60, "a"), Slot("monday", "09:00", 91, "b")]) == 75.5
assert len(schedule.load("data/schedule.csv")) == 14
schedule.check(schedule.load("data/schedule.csv"))
`),
			),
		},
		{
			name:    "nadia",
			request: "Nadia Holt hat geheiratet und heißt jetzt Nadia Berger. Bitte überall ändern, wo sie vorkommt",
			touches: []string{"data/shows.json", "docs/new-presenters.md"},
			check: becomes(
				everywhere("data/shows.json", "Nadia Holt", "Nadia Berger"),
				everywhere("docs/new-presenters.md", "Nadia Holt", "Nadia Berger"),
			),
		},
		{
			name:    "tuesday",
			request: "火曜日の vinyl-attic は20時じゃなくて21時からになりました。スケジュールを直してください",
			touches: []string{"data/schedule.csv"},
			check:   becomes(edit("data/schedule.csv", "tuesday,20:00,90,vinyl-attic", "tuesday,21:00,90,vinyl-attic")),
		},
		{
			name:    "by-artist",
			request: "добавь в playlog функцию plays_by_artist(rows): словарь, сколько раз звучал каждый исполнитель",
			touches: []string{"onair/playlog.py", "tests/test_playlog.py"},
			check: all(
				keeps("tests/test_playlog.py"), passes("python3", "-m", "unittest", "tests.test_playlog"), python(`
from onair import playlog
rows = [{"show": "a", "artist": n, "title": t, "seconds": 9} for n, t in (("X", "1"), ("Y", "2"), ("X", "3"))]
got = playlog.plays_by_artist(rows)
assert isinstance(got, dict) and got == {"X": 2, "Y": 1}, got
assert not playlog.plays_by_artist([])
known = playlog.load("data/playlog-2026-03.csv")
assert len(known) == 18 and playlog.total_seconds(known) == sum(r["seconds"] for r in known)
assert playlog.plays_by_artist(known)["Adaeze"] == 4 and len(playlog.of_show(known, "blue-room")) == 3
`),
			),
		},
	}
	return ofKinds(talks, reads, changes)
}
