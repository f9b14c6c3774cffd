package tasks

func harbourOutcomes() map[string]judged {
	const (
		files   = "The folder has compose.yaml, web/Dockerfile and worker/Dockerfile."
		unknown = "The files do not mention it."
		web     = "config/web.ini"
		disk    = "scripts/check-disk.sh"
		compose = "compose.yaml"
		prod    = "deploy/production.yaml"
	)
	return map[string]judged{
		"image": {
			right: []result{said("A container is a running instance of an image."), said("An image is a template, a container what is made of it.")},
			wrong: []result{said(files), said("web and worker have an image each.")},
		},
		"chmod": {
			right: []result{said("The owner may read and write, all others only read."), said("It makes a file writable for its owner and readable for everyone.")},
			wrong: []result{said(files), said("It makes a file executable.")},
		},
		"set-e": {
			right: []result{said("The script exits as soon as a command fails."), said("It stops at the first error.")},
			wrong: []result{said(files), said("It exports variables.")},
		},
		"spanish": {
			right: []result{said("El servidor está caído."), said("\"El servidor no funciona\"")},
			wrong: []result{said("The server is down."), said(files)},
		},
		"workers": {
			right: []result{said("12"), said("4 × 3 = 12 workers"), said("Twelve.")},
			wrong: []result{said("7"), said(files)},
		},
		"replicas": {
			right: []result{said("4", "1"), said("Four replicas.", "In staging it is just one.")},
			wrong: []result{said("4", "4"), said("1", "1"), said(unknown, unknown)},
		},
		"on-call": {
			right: []result{said("Mirela, phone 4417."), said("It's Mirela; call 4417.")},
			wrong: []result{said("Mirela"), said("See docs/runbook.md."), said(unknown)},
		},
		"backups": {
			right: []result{said("30"), said("After thirty days.")},
			wrong: []result{said("After 14 days."), said(unknown)},
		},
		"pythons": {
			right: []result{said("No, 3.11 and 3.9."), said("They differ: web has python:3.11-slim, worker python:3.9-slim."), said("No.")},
			wrong: []result{said("Yes, both use Python 3.11."), said("It is not specified."), said(files)},
		},
		"json": {
			right: []result{said("No."), said("There aren't any."), said("None of them is a JSON file.")},
			wrong: []result{said("Yes: .assent/settings.json and .assent/permissions.json."), said("Yes."), said("settings.json, but not more"), said("It is not specified.")},
		},
		"session": {
			right: []result{did(edit(web, "timeout = 1200", "timeout = 600"))},
			wrong: []result{did(), did(edit(web, "timeout = 30", "timeout = 600")), did(edit(web, "timeout = 30", "timeout = 600"), edit(web, "timeout = 1200", "timeout = 600")), did(add("config/old/web.ini", "[session]\ntimeout = 600\n"))},
		},
		"disk": {
			right: []result{
				did(edit(disk, "-gt 90", "-lt 90")), did(edit(disk, "-gt 90", "-le 90")),
				did(edit(disk, "  echo \"ok\"\nelse\n  echo \"WARNING: disk nearly full\"", "  echo \"WARNING: disk nearly full\"\nelse\n  echo \"ok\"")),
			},
			wrong: []result{
				did(), did(edit("tests/check-disk.test.sh", "50)\" = \"ok\"", "50)\" != \"ok\"")), did(edit(disk, "-gt 90", "-gt 40")), did(write(disk, "echo ok\n")),
			},
		},
		"postgres": {
			right: []result{did(edit(compose, "postgres:15.6", "postgres:16.2")).after("postgres:15.6")},
			wrong: []result{
				did(edit(compose, "postgres:15.6", "postgres:16.2")).after("postgres:15.4"), said("15.6", "I will set it to 16.2."), did(edit(compose, "image: postgres:15.6", "image: 16.2")).after("15.6"),
			},
		},
		"feature": {
			right: []result{did(add(prod, "  - new_calendar\n")), did(add(prod, "  - \"new_calendar\""))},
			wrong: []result{
				did(), did(edit(prod, "  - waiting_list", "  - new_calendar")), did(edit(prod, "  - waiting_list", "  - new_calendar\n  - waiting_list")), did(add(prod, "- new_calendar\n")),
				did(add("deploy/staging.yaml", "  - new_calendar\n")),
			},
		},
		"leftovers": {
			right: []result{did(remove("config/old/web.ini"), remove("tmp/dump.log"))},
			wrong: []result{did(), did(remove("tmp/dump.log")), did(remove("config/web.ini"), remove("tmp/dump.log")), did(write("config/old/web.ini", ""), write("tmp/dump.log", ""))},
		},
	}
}
