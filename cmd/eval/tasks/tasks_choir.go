package tasks

// choirTasks are about the small programs of a choir, in Python and shell.
func choirTasks() []Task {
	talks := []Task{
		{
			name: "tail", class: besideFiles,
			request: "how can i see only the last 20 lines of a long file in the terminal? just tell me",
			check:   says(`\btail\b`),
		},
		{
			name: "voices", class: besideFiles,
			request: "Which four voices does a mixed choir normaly have?", then: []string{"And which of them is the lowest?"}, //nolint:misspell // as people type
			check: all(
				turn(1, says(`\bsopranos?\b`, `\baltos?\b|contralto`, `\btenors?\b`, `\bbass(es)?\b`)),
				all(says(`\bbass(es)?\b`), saysNot(`^\W*(the )?(lowest \w+ is (the )?)?(tenor|alto|soprano)`)),
			),
		},
		{
			name: "lisbon", class: besideFiles,
			request: "we sing in portugal next year. whats the capital there?",
			check:   says(`\blisbo(n|a)\b`),
		},
		{
			name: "last-song", class: besideFiles,
			request: "Python question. I have a list called songs, how do I get its last item?",
			check:   says(`\[ ?-1 ?\]|\[ ?len\(songs\) ?- ?1 ?\]|\.pop\(( ?-1 ?)?\)`),
		},
	}
	reads := []Task{
		{
			name: "student", class: calculator,
			request: "What does a student have to pay for a year?",
			check:   says(`\b70\b`),
		},
		{
			name: "backups", class: notLooked,
			request: "where do our backups end up?",
			check:   says(`\bsrv/nest/larks\b`),
		},
		{
			name: "tenors", class: guessedFolder,
			request: "who are our tenors",
			check: all(
				says(`\b(jonas|petri)\b`, `\b(emeka|obi)\b`),
				saysNot(`\b(agnes|priya|dora|lena|miriam|katja|hugo|tomas|lindahl)\b`),
			),
		},
		{
			name: "closed", class: notLooked,
			request: "The hall is closed on the day of a rehearsal: which day does our program take instead?",
			check: all(
				says(
					`\b(a|one|1|next|following) (full |whole )?week|\b(7|seven) days|\b(next|following) wednesday|wednesday (after|of the (next|following))|same (week)?day`,
				),
				saysNot(`\b(one|1|next|following) day\b|\bthursday\b|not (specified|mentioned)`),
			),
		},
	}
	changes := []Task{
		{
			name: "season", class: testNotCode,
			request: "last_of_season comes out a week too late, test_dates shows it. fix please",
			touches: []string{"larks/dates.py"},
			check: all(passes("python3", "-m", "unittest", "tests.test_dates", "tests.test_fees"), python(`
from datetime import date
from larks import dates
assert dates.last_of_season(date(2026, 9, 2), 1) == date(2026, 9, 2)
assert dates.last_of_season(date(2026, 9, 2), 4) == date(2026, 9, 23)
assert dates.next_rehearsal(date(2026, 4, 6), "wednesday", [date(2026, 4, 8)]) == date(2026, 4, 15)
assert dates.holidays({"holidays": ["2026-04-08"]}) == [date(2026, 4, 8)]
`)),
		},
		{
			name: "clothes", class: wrongPlace,
			request: "The manual needs one more section, as the last: what to wear at concerts. " +
				"All in black, no jeans.",
			unsaved: []change{
				edit("docs/manual.md", "The spare one is in the piano stool.", "The spare one is with Lena."),
			},
			touches: []string{"docs/manual.md"},
			check: all(
				keeps("docs/manual.md"),
				file(
					"docs/manual.md",
					`(?is)with Lena\.\s+##? [^\n]*(wear|concert|cloth|dress|attire|outfit)[^\n]*\n[^#]*\bblack\b[^#]*$`,
					`(?is)with Lena\.\s+##? [^\n]*\n[^#]*\bjeans\b[^#]*$`,
				),
				fileNot("docs/manual.md", `(?s)Keys.*Hugo and Agnes.*Hugo and Agnes`),
			),
		},
		{
			name: "count", class: announced,
			request: "I'd like a function count_by_voice(members) in members.py. " +
				"It gives a dict: how many people sing each voice.",
			touches: []string{"larks/members.py"},
			check: python(`
from larks import members
got = members.count_by_voice([members.Member("A", "alto", "full", 1), members.Member("B", "bass", "full", 2), members.Member("C", "alto", "student", 3)])
assert isinstance(got, dict) and {k: n for k, n in got.items() if n} == {"alto": 2, "bass": 1}, got
assert not any(members.count_by_voice([]).values())
known = members.load("data/members.csv")
assert len(known) == 12 and known[0] == members.Member("Agnes Moreau", "soprano", "full", 2014)
assert members.count_by_voice(known) == {"soprano": 4, "alto": 3, "tenor": 2, "bass": 3}
try:
    members.read({"name": "X", "voice": "kazoo", "status": "full", "since": "1"})
except ValueError:
    pass
else:
    raise AssertionError("kazoo is taken")
`),
		},
		{
			name: "katja", class: ambiguous,
			request: "is Katja Brandt still on our list?", then: []string{"she has moved to Bergen, so take her off"},
			touches: []string{"data/members.csv"},
			check: all(
				turn(
					1,
					all(
						says(`\byes\b|\bstill\b|\bis (a|an|on|in|listed|there)\b|\balto\b`),
						saysNot(`^\W*no\b|isn't|\bis not\b|no longer|not (on|in|listed|found|specified|mentioned)`),
					),
				),
				becomes(edit("data/members.csv", "Katja Brandt,alto,full,2009\n", "")),
			),
		},
	}
	return ofKinds(talks, reads, changes)
}
