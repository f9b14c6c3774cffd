package tasks

func quantityOutcomes() map[string]judged {
	const (
		files   = "The crate has Cargo.toml, src/lib.rs, src/parse.rs and tests/parse.rs."
		unknown = "It is not specified."
		convert = "src/convert.rs"
		format  = "docs/format.md"
		parse   = "src/parse.rs"
		bump    = "version = \"0.4.1\""
		bumped  = "version = \"0.5.0\""
	)
	return map[string]judged{
		"ownership": {
			right: []result{said("Each value has one owner. It is dropped when the owner goes out of scope."), said("Ownership says who frees the memory. It can be borrowed.")},
			wrong: []result{said(files), said("It is who owns the crate.")},
		},
		"vec": {
			right: []result{said("It declares v as a vector of unsigned 8-bit integers and makes it empty."), said("v is a new, empty `Vec<u8>`.")},
			wrong: []result{said(files), said("It parses bytes.")},
		},
		"heavier": {
			right: []result{said("A kilogram.", "1000 grams"), said("1 kg is heavier.", "A kilogram has 1,000 g.")},
			wrong: []result{said("A pound.", "454"), said("A pound is heavier than a kilogram.", "1000"), said("A kilogram.", "453.6"), said(files, files)},
		},
		"permissive": {
			right: []result{said("Yes."), said("**Yes**, it is a permissive licence."), said("Apache-2.0 is considered a permissive license.")},
			wrong: []result{said("No."), said("No, it is not a permissive licence."), said(files)},
		},
		"bye": {
			right: []result{said("You're welcome. See you!"), said("Have a nice day.")},
			wrong: []result{said(files), {says: []string{"Bye!"}, does: []change{remove("README.md")}}},
		},
		"msrv": {
			right: []result{said("1.70"), said("Rust 1.70.0 or newer")},
			wrong: []result{said("2021"), said("0.4.1"), said(unknown)},
		},
		"stone": {
			right: []result{said("That `3 st` gives ParseError::UnknownUnit."), said("Units that are not known are an error."), said("An unsupported unit is refused."), said("That parsing \"3 st\" ends with an error.")},
			wrong: []result{said("That numbers are read."), said(files)},
		},
		"messages": {
			right: []result{said("nothing to read", "no number in front"), said("\"nothing to read\"", "It is `no number in front`.")},
			wrong: []result{said("nothing to read", "unknown unit"), said("Empty", "NoNumber"), said(unknown, unknown)},
		},
		"top": {
			right: []result{said("README.md, Cargo.toml and CHANGELOG.md"), said("- CHANGELOG.md\n- Cargo.toml\n- README.md")},
			wrong: []result{said("README.md, Cargo.toml, CHANGELOG.md, .assent/settings.json"), said("README.md, Cargo.toml, CHANGELOG.md, src/lib.rs, src/unit.rs"), said("README.md")},
		},
		"bench": {
			right: []result{said("0.2 seconds"), said("100,000 × 2 µs = 200,000 µs"), said("About 200 ms.")},
			wrong: []result{said("2 seconds"), said("20 ms"), said(unknown)},
		},
		"litres": {
			right: []result{
				did(edit(convert, "self.value / 100.0", "self.value / 1000.0")), did(edit(convert, "self.value / 100.0", "self.value * 0.001")), did(edit(convert, "self.value / 100.0", "self.value / 1_000.0")), did(edit(convert, "Some(self.value / 100.0),", "Some(self.value / 1000.0), // a thousandth")),
			},
			wrong: []result{
				did(), did(edit("tests/convert.rs", "Some(0.25)", "Some(2.5)")), did(edit(convert, "self.value / 100.0", "self.value / 10.0")), did(edit(convert, "self.value * 1000.0", "self.value / 1000.0")),
				did(edit(convert, "self.value / 100.0", "self.value / 1000")),
			},
		},
		"tonne": {
			right: []result{did(edit(format, "- mg\n", "- mg\n- t\n")), did(edit(format, "- mg\n", "- mg\n- t (tonne)\n"))},
			wrong: []result{did(), did(edit(format, "- mg\n", "- t\n")), did(edit(format, "- g\n", "- t\n- g\n")), did(add(format, "- t\n")), did(edit(format, "- l\n- mg\n", "- l\n- t\n"))},
		},
		"comment": {
			right: []result{
				did(edit(parse, "pub fn parse", "/// Reads an amount with its unit.\npub fn parse")), did(edit(parse, "pub fn parse", "/// Reads an amount.\n///\n/// # Errors\n///\n/// If there is none.\npub fn parse")),
				did(edit(parse, "pub fn parse", "/** Reads an amount. */\npub fn parse")),
			},
			wrong: []result{
				said("The doc comment should be: /// Reads an amount."), did(edit(parse, "use crate::error", "/// Reads an amount.\nuse crate::error")), did(edit(parse, "pub fn parse", "// Reads an amount.\npub fn parse")),
				did(edit("tests/parse.rs", "#[test]\nfn reads_mass", "/// Reads.\n#[test]\nfn reads_mass")),
			},
		},
		"release": {
			right: []result{
				did(edit("Cargo.toml", bump, bumped), edit("CHANGELOG.md", "## 0.4.1", "## 0.5.0\n\n- tonnes\n\n## 0.4.1")), did(edit("CHANGELOG.md", "## 0.4.1", "## 0.5.0 (today)\n- tonnes\n\n## 0.4.1"), edit("Cargo.toml", bump, bumped)),
			},
			wrong: []result{
				did(edit("Cargo.toml", bump, bumped)), did(edit("Cargo.toml", bump, bumped), edit("CHANGELOG.md", "## 0.4.1", "## 0.5.0")), did(edit("Cargo.toml", bump, bumped), add("CHANGELOG.md", "\n## 0.5.0\n\n- tonnes\n")),
				did(edit("Cargo.toml", "rust-version = \"1.70\"", "rust-version = \"0.5.0\""), edit("CHANGELOG.md", "## 0.4.1", "## 0.5.0\n\n- tonnes\n\n## 0.4.1")),
			},
		},
		"example": {
			right: []result{did(move("examples/kitchen.rs", "examples/cooking.rs"))},
			wrong: []result{did(), did(remove("examples/kitchen.rs")), did(move("examples/kitchen.rs", "cooking.rs")), did(write("examples/cooking.rs", "fn main() {}\n"), remove("examples/kitchen.rs"))},
		},
	}
}
