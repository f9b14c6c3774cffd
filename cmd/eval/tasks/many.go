package tasks

import "fmt"

// manyTasks are those of the set many: each takes many small steps over the files of a workspace of its own,
// testdata/many/NAME.txtar. Who wrote them did not know what the product does for small models.
func manyTasks() []Task {
	all := ofKinds(nil, askingOfMany(), changingMany())
	for i := range all {
		all[i].files, all[i].class = archive("testdata/many/"+all[i].name+".txtar"), manySteps
	}
	return all
}

// askingOfMany want a fact that is found by looking at many files.
func askingOfMany() []Task {
	return []Task{
		{
			name:    "open-invoices",
			request: "How much money are we still waiting for? I mean all open invoices, VAT included.",
			check:   says(`(^|[^\d.])5[ .']?542[.,]05(\D|$)`),
		},
		{
			name:    "failed-requests",
			request: "On which day did the server answer the most requests with a 500, and how many were there?",
			check: all(
				near(october("0?6"), `(^|[^\d./-])(7|seven)\b`, october("0?[1-57-9]|10")),
				saysNot(october("0?8")+`(,? 2026)?\D{1,30}([789]|10)\b`),
			),
		},
		{
			name:    "untested-modules",
			request: "which modules in tidal don't have a test file yet?",
			check: lists{
				want: []string{"cli", "ports", "stations"},
				others: []string{
					"almanac", "buoys", "charts", "currents", "harmonics", "moon", "render", "units",
				},
				aside: `\b(has|have|do|with|exists?|tested|covered|(all|the) (other|rest))|[✓✅]`,
				but:   `\b(no|not|none|without|lacks?|missing|untested|yet to)\b|n't|[✗❌]`,
			}.check(),
		},
		{
			name: "missing-texts",
			request: "In welchen Sprachen fehlen noch Texte, die es auf Englisch gibt? " +
				"Nenn mir zu jeder Sprache die Schlüssel.",
			check: pairs{
				left: []token{
					{"fr", `\bfr\b|fran(z|ç)|\bfrench`},
					{"nl", `\bnl\b|niederl|holl(ä|a)nd|\bdutch`},
					{"pl", `\bpl\b|poln|\bpolish`},
					{"sv", `\bsv\b|schwed|swedish`},
					{"de", `\bde\.json|^\W*de\W*[:|]|deutsch|german`},
					{"es", `\bes\.json|^\W*es\W*[:|]|spani`},
					{"it", `\bit\.json|^\W*it\W*[:|]|itali`},
					{"pt", `\bpt\b|portugi|portugu`},
				},
				right: tokens("nav.home nav.search nav.account cart.title cart.empty cart.remove checkout.address " +
					"checkout.voucher checkout.pay account.orders account.delete errors.offline errors.payment " +
					"footer.imprint footer.contact"),
				want: map[string]string{
					"fr": "checkout.voucher", "nl": "account.delete errors.offline", "pl": "errors.offline",
					"sv": "cart.remove checkout.voucher footer.imprint",
				},
			}.check(),
		},
		{
			name: "warmest-bed",
			request: "Which bed was the warmest on average on 17 June, and how warm was it? " +
				"Leave out the faulty values, please.",
			check: all(
				near(bed("0?9"), `(^|[^\d.,])24[.,]60*\b`, bed("0?[1-8]|1[0-2]")),
				saysNot( // with the faulty values
					bed("10")+`\D{1,30}36[.,]12?\b`, bed("0?4")+`\D{1,30}29[.,]5?6\b`, bed("0?2")+`\D{1,30}28[.,]93?\b`,
				),
			),
		},
		{
			name:    "all-the-eggs",
			request: "Si je fais toutes les recettes une fois, combien d'œufs dois-je acheter ?",
			check:   says(`(^|[^\d.,])32([^\d.,%]|[.,]?(\s|$))|trente-deux`),
		},
		{
			name:    "same-poem",
			request: "Some of my poems are saved twice, word for word, under different names. Which ones?",
			check: all(
				pairs{
					left:  tokens("harvest gate bridge lantern"),
					right: tokens("august-evening untitled-4 for-hanna lantern-2"),
					want:  map[string]string{"harvest": "august-evening", "gate": "untitled-4", "bridge": "for-hanna"},
					aside: almost,
				}.check(),
				lists{
					others: []string{
						"tin-roof", "lantern", "lantern-2", "crows", "ferry", "snow", "clock", "orchard", "kite",
						"baker",
					},
					aside: almost + `|\b(others?|rest|remaining|once|unique)\b`,
				}.check(),
			),
		},
		{
			name:    "undocumented-settings",
			request: "Our code reads a few environment variables that .env.example doesn't have. Which?",
			check: lists{
				want: []string{
					"ADMIN_EMAIL", "CACHE_TTL", "DATABASE_POOL_SIZE", "S3_REGION", "SENTRY_DSN", "SMTP_PASSWORD",
				},
				others: []string{
					"BASE_URL", "CACHE_URL", "DATABASE_URL", "LOG_LEVEL", "MAIL_FROM", "MAP_TILES_KEY", "PORT",
					"S3_BUCKET", "SESSION_SECRET", "SMTP_HOST", "SMTP_PORT", "SMTP_USER", "TIMEZONE",
				},
				aside: `\b(has|have|contains?|lists?|listed|documented|present|(all|the) (other|rest))|const \{|[✓✅]`,
				but:   `\b(no|not|none|without|lacks?|missing|undocumented|absent)\b|n't|[✗❌]`,
			}.check(),
		},
		{
			name:    "most-meetings",
			request: "Who came to the most committee meetings so far, and to how many?",
			check: all(
				near(`\bmirela\b`, `\b(10|ten)\b`, `\b(tomas|joost|ingrid|ravi|fiona)\b`),
				saysNot(
					`\b(tomas|joost|ingrid|ravi|fiona)\b\W{1,4}((came to|attended|was at) )?`+
						`([12]\d|ten|eleven|twelve)\b`,
				),
			),
		},
	}
}

// almost are words about texts that are not the same.
const almost = `\b(differs?|different|almost|nearly|similar|similarly|except|variants?|versions?)\b|` +
	`\bnot (identical|the same)|n't (identical|the same)`

// october matches a day of October 2026.
func october(day string) string {
	return fmt.Sprintf(
		`(\b(2026-)?10-(%[1]s)\b|\boct(ober)?\.? (the )?(%[1]s)(st|nd|rd|th)?\b|`+
			`\b(%[1]s)(st|nd|rd|th|\.)? (of )?oct)`, day,
	)
}

// bed matches one of the greenhouse's beds.
func bed(number string) string { return `\bbed[ _-]?(#|no\. |number )?(` + number + `)\b` }
