package tasks

// parcelsTasks are about a library in TypeScript. Nothing of it is run, since Node may be missing.
func parcelsTasks() []Task {
	talks := []Task{
		{
			name: "const", class: besideFiles,
			request: "quick one: const vs let in typescript, whats the difference",
			check: says(
				`re-?assign|re-?bound|immutab|\bconstants?\b|(not|n't|cannot|never|can) (be )?(change|modif)|read-?only`,
			),
		},
		{
			name: "grams", class: besideFiles,
			request: "how many grams has a kilo", then: []string{"so 2.4 kilos are?"},
			check: all(
				turn(1, says(`\b1[ .]?000\b|thousand`)),
				says(`\b2[ .]?400\b|twenty[- ]four hundred|two thousand four hundred`),
			),
		},
		{
			name: "late", class: besideFiles,
			request: "Write one polite sentence for a customer whose parcel comes too late.",
			check: all(
				says(
					`sorry|apolog|regret|inconvenience|patience|understand|unfortunate`,
					`parcel|package|deliver|order|shipment|delay|late`,
				), saysNot(`\.(ts|json|md)\b`, `not (specified|mentioned)`),
			),
		},
		{
			name: "planet", class: besideFiles,
			request: "My daughter asks which planet is the biggest. And?",
			check:   says(`\bjupiter\b`),
		},
	}
	reads := []Task{
		{
			name: "norway", class: guessedFolder,
			request: "3 kg to norway, what does that cost?",
			check:   says(`\b18[.,]70?\b|\b1[.]?870\b`),
		},
		{
			name: "lost", class: notLooked,
			request: "After how many days without a scan do we say that a parcel is lost?",
			unsaved: []change{edit("src/config.ts", "lostAfterDays: 14", "lostAfterDays: 21")},
			check:   says(`\b(21|twenty[- ]one)\b|\b(3|three) weeks`),
		},
		{
			name: "below-zero", class: notLooked,
			request: "which error code comes out if somebody hands in a weight below zero",
			check:   all(says(`\bbad[-_ ]?weight\b`), saysNot(`no-zone`, `\b(throws|is|gives|get) too-heavy`)),
		},
		{
			name: "bottom", class: guessedFolder,
			request: "What's the function called that makes the bottom line of a label?",
			check:   says(`\bcolophon\b`),
		},
	}
	changes := []Task{
		{
			name: "swiss", class: announced,
			request: "switzerland belongs to zone 1 now, pls change that",
			unsaved: []change{edit("src/zones.ts", "  IE: 3,\n", "  IE: 3,\n  IS: 3,\n")},
			touches: []string{"src/zones.ts"},
			check:   swaps("src/zones.ts", []string{`  CH: 2,`}, []string{`  CH: 1,( //.*)?`}),
		},
		{
			name: "ceil", class: ambiguous,
			request: "roundUp is a bad name. Call it ceilTo, everywhere.",
			touches: []string{"src/weight.ts", "src/rates.ts", "src/index.ts", "test/weight.test.ts"},
			check: all(
				swaps(
					"src/weight.ts", []string{`export function roundUp\(.*`},
					[]string{`export function ceilTo\(value: number, step: number\): number \{`},
				),
				swaps(
					"src/rates.ts", []string{`import.*`, `  return roundUp.*`},
					[]string{
						`import \{ ceilTo \} from './weight\.js';`,
						`  return ceilTo\(step\.cents, defaults\.roundTo\);`,
					},
				),
				swaps(
					"src/index.ts", []string{`.*roundUp.*`},
					[]string{`export \{ (parseWeight, ceilTo|ceilTo, parseWeight) \} from './weight\.js';`},
				),
				file(
					"test/weight.test.ts", `import \{[^}]*\bceilTo\b[^}]*\} from '../src/weight\.js'`,
					`parseWeight\b[^}]*\} from`, `checkKilos\b[^}]*\} from`, `ceilTo\(41, 10\), 50`,
					`ceilTo\(50, 10\), 50`,
				),
				fileNot("test/weight.test.ts", `roundUp(\(|,| \})`),
			),
		},
		{
			name: "red", class: testNotCode,
			request: "the test for grams is red: 250 g come out as 2.5 kilos. can you repair it?",
			touches: []string{"src/weight.ts"},
			check: either(
				swaps(
					"src/weight.ts", []string{`      return amount / 100;`},
					[]string{
						`\s*return \(?(Number\()?\(?amount (/ (1_?000|1e3)(\.0)?|\* (0?\.001|1e-3))\)?(\.toFixed\(\d+\))?\)?;( //.*)?`,
					},
				),
				swaps(
					"src/weight.ts", []string{`      return amount / 100;`},
					[]string{`const [A-Z_]+ = 1_?000;( //.*)?`, `\s*return amount / [A-Z_]+;`},
				),
				swaps(
					"src/weight.ts", []string{`      return amount / 100;`},
					[]string{`const [A-Z_]+ = 0?\.001;( //.*)?`, `\s*return amount \* [A-Z_]+;`},
				),
			),
		},
		{
			name: "huge", class: wrongPlace,
			request: "Which sizes of boxes does the library know?", then: []string{
				"One is missing at the end: huge, 80 x 60 x 60 cm, up to 30 kilos. Add it please.",
			},
			touches: []string{"src/sizes.ts"},
			check: all(
				turn(1, says(`\bsmall\b`, `\bmedium\b`, `\blarge\b`, `\bletter\b`)), keeps("src/sizes.ts"),
				file(
					"src/sizes.ts",
					`maxKg: 20 \},(\s*//.*)?\s*\{\s*name: ['"]huge['"],\s*length: 80,\s*width: 60,\s*height: 60,\s*maxKg: 30,?\s*\},?\s*\];\s*/\*\* The first size`,
				),
			),
		},
	}
	return ofKinds(talks, reads, changes)
}
