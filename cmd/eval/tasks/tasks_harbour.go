package tasks

// harbourTasks are about a folder of infrastructure: YAML, ini, shell, Dockerfiles.
func harbourTasks() []Task {
	talks := []Task{
		{
			name: "image", class: besideFiles,
			request: "what's the difference between an image and a container? keep it short",
			check:   says(`running|runs|instance|template|blueprint|executable`),
		},
		{
			name: "chmod", class: besideFiles,
			request: "what does chmod 644 do, roughly?",
			check:   says(`\bread`, `owner|writ`),
		},
		{
			name: "set-e", class: besideFiles,
			request: "What is `set -e` good for in a shell script?",
			check:   says(`exit|stop|abort|terminat|quit|end`, `fail|error|non-?zero`),
		},
		{
			name: "spanish", class: besideFiles,
			request: "Translate into Spanish: the server is down",
			check:   says(`servidor`),
		},
		{
			name: "workers", class: besideFiles,
			request: "4 machines with 3 workers each, how many workers is that?",
			check:   says(`\b(12|twelve)\b`),
		},
	}
	reads := []Task{
		{
			name: "replicas", class: notLooked,
			request: "how many replicas do we run in production?", then: []string{"and in staging?"},
			check: all(turn(1, says(`\b(4|four)\b`)), says(`\b(1|one|single)\b`)),
		},
		{
			name: "on-call", class: notLooked,
			request: "Who is on call this week, and at which number?",
			check:   says(`mirela`, `4417`),
		},
		{
			name: "backups", class: guessedFolder,
			request: "After how many days do we delete a backup?",
			unsaved: []change{edit("scripts/backup.sh", "KEEP_DAYS=14", "KEEP_DAYS=30")},
			check:   says(`\b(30|thirty)\b`),
		},
		{
			name: "pythons", class: guessedFolder,
			request: "do the web and the worker image have the same version of Python?",
			check: all(
				says(`\bno\b|not the same|differ|do not|don't|3\.11.*3\.9|3\.9.*3\.11`),
				saysNot(
					`^\W*yes\b`, `not (specified|mentioned|stated)|(cannot|can't|unable to) (tell|determine|find|say)`,
					`\bboth (use|have|are) (python )?3\.\d+`,
				),
			),
		},
		{
			name: "json", class: ownFolder,
			request: "Is any of our files here a .json file?",
			check: all(
				says(`\bno\b|\bnone\b|\bnot\b|n't\b`),
				saysNot(`\.assent|(settings|permissions)\.json`, `^\W*yes\b`, `not (specified|mentioned|stated)`),
			),
		},
	}
	changes := []Task{
		{
			name: "session", class: ambiguous,
			request: "config/web.ini: sessions should time out after 600, not 1200",
			touches: []string{"config/web.ini"},
			check:   becomes(edit("config/web.ini", "timeout = 1200", "timeout = 600")),
		},
		{
			name: "disk", class: testNotCode,
			request: "tests/check-disk.test.sh fails. Find the mistake and correct it.",
			touches: []string{"scripts/check-disk.sh"},
			check: all(
				passes("sh", "tests/check-disk.test.sh"), file("scripts/check-disk.sh", `WARNING: disk nearly full`),
			),
		},
		{
			name: "postgres", class: announced,
			request: "Which postgres do we start?", then: []string{"Go to 16.2, please."},
			unsaved: []change{edit("compose.yaml", "postgres:15.4", "postgres:15.6")},
			touches: []string{"compose.yaml"},
			check:   all(turn(1, says(`15\.6`)), becomes(edit("compose.yaml", "postgres:15.6", "postgres:16.2"))),
		},
		{
			name: "feature", class: wrongPlace,
			request: "production gets new_calendar, too: add it as the last of the features",
			touches: []string{"deploy/production.yaml"},
			check: all(
				swaps("deploy/production.yaml", nil, []string{`  - ["']?new_calendar["']?`}),
				place("deploy/production.yaml", "^features:", "- waiting_list", "new_calendar"),
			),
		},
		{
			name: "leftovers", class: deleteMove,
			request: "config/old/web.ini and tmp/dump.log are leftovers, delete both",
			touches: []string{"config/old/web.ini", "tmp/dump.log"},
			check:   becomes(remove("config/old/web.ini"), remove("tmp/dump.log")),
		},
	}
	return ofKinds(talks, reads, changes)
}
