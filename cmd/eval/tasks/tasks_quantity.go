package tasks

// quantityTasks are about a library in Rust.
func quantityTasks() []Task {
	talks := []Task{
		{
			name: "ownership", class: besideFiles,
			request: "What does ownership mean in Rust? Two sentences, please.",
			check:   says(`memory|scope|drop|freed|borrow|moved`),
		},
		{
			name: "vec", class: besideFiles,
			request: "explain this line to me: let v: Vec<u8> = Vec::new();",
			check:   says(`\bvec(tor)?\b`, `empty|new|creat|initiali[sz]|declar`, `u8|byte|unsigned|8-bit`),
		},
		{
			name: "heavier", class: besideFiles,
			request: "Which is heavier, a kilogram or a pound?", then: []string{"how many grams is the heavier one?"},
			check: all(
				turn(1, all(says(`\bkilo|\bkg\b`), saysNot(`pound is (the )?heavier`))),
				says(`\b1000\b|\b1 000\b|thousand`),
			),
		},
		{
			name: "permissive", class: besideFiles,
			request: "is Apache-2.0 a permissive licence? yes or no",
			check: all(
				says(`\byes\b|is (considered |regarded as )?a (very )?permissive`),
				saysNot(`^\W*no\b`, `not a permissive`),
			),
		},
		{
			name: "bye", class: besideFiles,
			request: "Thanks, that will do for today.",
			check: says(
				`welcome|glad|pleasure|happy|bye|good ?day|nice day|great day|see you|any ?time|no problem|let me know|help|thank|take care`,
			),
		},
	}
	reads := []Task{
		{
			name: "msrv", class: notLooked,
			request: "which version of rust do people need at least?",
			check:   says(`\b1\.70`),
		},
		{
			name: "stone", class: guessedFolder,
			request: "What does the test refuses_stone make sure of?",
			check: says(
				`unknown|not (a )?(known|recogni[sz]ed|valid|supported)|unsupported|invalid|unrecogni[sz]ed|\bst\b.*\berr|\berr.*\bst\b`,
			),
		},
		{
			name: "messages", class: notLooked,
			request: "What text do we show for ParseError::Empty?", then: []string{"and for NoNumber?"},
			check: all(turn(1, says(`nothing to read`)), says(`no number in front`)),
		},
		{
			name: "top", class: ownFolder,
			request: "which files lie at the top of this project, outside of any folder?",
			check:   all(says(`readme`, `cargo\.toml`, `changelog`), saysNot(`\.assent|settings\.json`, `unit\.rs`)),
		},
		{
			name: "bench", class: calculator,
			request: "If one call of parse takes 2 microseconds, how long does benches/parse.rs run?",
			check:   says(`\b0\.2(0*)? ?(s|sec)|\b200 ?(ms|milli)|\b200[ _]?000 ?(µs|μs|us|micro)|fifth of a second`),
		},
	}
	changes := []Task{
		{
			name: "litres", class: testNotCode,
			request: "cargo test says that litres fails: 250 ml gives 2.5. Please fix it.",
			touches: []string{"src/convert.rs"},
			check: swaps("src/convert.rs", []string{`.*Millilitre.*`}, []string{
				`\s*Unit::Millilitre => Some\(self\.value (/ \(?1_?000(\.0*(_?f64)?|_?f64)|/ 1e3|\* 0\.001|\* 1e-3)\)?\),( *//.*)?`,
			}),
		},
		{
			name: "tonne", class: wrongPlace,
			request: "docs/format.md: the symbol t is missing, put it last in the list",
			unsaved: []change{edit("docs/format.md", "- l\n", "- l\n- mg\n")},
			touches: []string{"docs/format.md"},
			check: all(
				keeps("docs/format.md"), swaps("docs/format.md", nil, []string{"[-*] `?t`?( .*)?"}),
				place("docs/format.md", "^- mg", "^[-*] `?t`?", "^The decimal mark"),
			),
		},
		{
			name: "comment", class: announced,
			request: "pub fn parse in src/parse.rs has no doc comment. Write one.",
			touches: []string{"src/parse.rs"},
			check: all(keeps("src/parse.rs"), either(
				file("src/parse.rs", `(?m)^///[^\n]*\w[^\n]*\n(///[^\n]*\n|#\[[^\n]*\n|\n)*pub fn parse\(`),
				file("src/parse.rs", `/\*\*[^/]*\w[^/]*\*/\s*pub fn parse\(`),
			)),
		},
		{
			name: "release", class: wrongPlace,
			request: "We release 0.5.0. Set that in Cargo.toml, and give it a section of its own above the others in " +
				"CHANGELOG.md, with the one line: - tonnes",
			touches: []string{"Cargo.toml", "CHANGELOG.md"},
			check: all(
				swaps("Cargo.toml", []string{`version = "0\.4\.1"`}, []string{`version = "0\.5\.0"`}),
				keeps("CHANGELOG.md"), swaps("CHANGELOG.md", nil, []string{`## \[?v?0\.5\.0\b.*`, `[-*] [Tt]onnes\.?`}),
				place("CHANGELOG.md", "^# Changes", `0\.5\.0`, "[Tt]onnes", `^## 0\.4\.1`),
			),
		},
		{
			name: "example", class: deleteMove,
			request: "rename examples/kitchen.rs to examples/cooking.rs pls",
			touches: []string{"examples/kitchen.rs", "examples/cooking.rs"},
			check:   becomes(move("examples/kitchen.rs", "examples/cooking.rs")),
		},
	}
	return ofKinds(talks, reads, changes)
}
