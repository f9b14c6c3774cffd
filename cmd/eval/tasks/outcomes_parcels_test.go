package tasks

func parcelsOutcomes() map[string]judged {
	const (
		files   = "The project has src/weight.ts, src/rates.ts and docs/pricing.md."
		unknown = "The files do not say that."
		weight  = "src/weight.ts"
		sizes   = "src/sizes.ts"
		zones   = "src/zones.ts"
		large   = "maxKg: 20 },\n"
		huge    = "  { name: 'huge', length: 80, width: 60, height: 60, maxKg: 30 },\n"
		known   = "letter, small, medium and large"
	)
	renamed := []change{everywhere(weight, "roundUp", "ceilTo"), everywhere("src/rates.ts", "roundUp", "ceilTo"), everywhere("src/index.ts", "roundUp", "ceilTo")}
	return map[string]judged{
		"const": {
			right: []result{said("A `const` cannot be reassigned, a `let` can."), said("const is for constants; let for variables."), said("With let the value can change, with const it can't be changed.")},
			wrong: []result{said(files), said("Both are used in src/weight.ts.")},
		},
		"grams": {
			right: []result{said("1,000", "2,400 grams"), said("A kilogram has 1000 grams.", "2.4 × 1000 = 2400 g"), said("One thousand.", "2 400 g")},
			wrong: []result{said("1000", "240"), said("100", "2400"), said(files, files)},
		},
		"late": {
			right: []result{said("We are sorry that your parcel arrives later than planned."), said("Please accept our apologies for the delay of your delivery."), said("Thank you for your patience while your order is on its way.")},
			wrong: []result{said(files), said("Unfortunately the parcel is not mentioned in src/label.ts."), said("Your parcel has been delivered.")},
		},
		"planet": {
			right: []result{said("Jupiter."), said("The biggest planet of the solar system is **Jupiter**.")},
			wrong: []result{said("Saturn"), said(unknown)},
		},
		"norway": {
			right: []result{said("18.70 euros"), said("1870 cents: Norway is in zone 3."), said("It costs 18,70 €.")},
			wrong: []result{said("15.90"), said("1480 cents"), said("26.40"), said(unknown)},
		},
		"lost": {
			right: []result{said("21"), said("After twenty-one days."), said("After three weeks without a scan.")},
			wrong: []result{said("14 days"), said("7"), said(unknown)},
		},
		"below-zero": {
			right: []result{said("`bad-weight`"), said("checkKilos throws a ParcelError with the code 'bad-weight'.")},
			wrong: []result{said("too-heavy"), said("ParcelError"), said("bad-weight, bad-tracking, no-zone, too-heavy or too-large"), said(unknown)},
		},
		"bottom": {
			right: []result{said("colophon"), said("`colophon(kg)` in src/label.ts")},
			wrong: []result{said("banner"), said("labelText in src/label.ts"), said("footer")},
		},
		"swiss": {
			right: []result{did(edit(zones, "CH: 2", "CH: 1")), did(edit(zones, "  CH: 2,\n", ""), edit(zones, "  SK: 1,\n", "  SK: 1,\n  CH: 1,\n"))},
			wrong: []result{
				did(), said("I will put Switzerland into zone 1."), did(edit(zones, "  SK: 1,\n", "  SK: 1,\n  CH: 1,\n")), did(edit(zones, "CZ: 1", "CH: 1")), did(everywhere(zones, ": 2,", ": 1,")),
				did(edit(zones, "CH: 2", "CH: 1"), edit(zones, "  IS: 3,\n", "")),
			},
		},
		"ceil": {
			right: []result{
				did(append(renamed[:3:3], everywhere("test/weight.test.ts", "roundUp", "ceilTo"))...),
				did(append(renamed[:3:3], everywhere("test/weight.test.ts", "roundUp", "ceilTo"), edit("test/weight.test.ts", "test('ceilTo'", "test('roundUp'"))...),
				did(append(renamed[:3:3], everywhere("test/weight.test.ts", "roundUp", "ceilTo"), edit("src/index.ts", "parseWeight, ceilTo", "ceilTo, parseWeight"), edit("test/weight.test.ts", "checkKilos, parseWeight, ceilTo", "ceilTo, checkKilos, parseWeight"))...),
			},
			wrong: []result{
				did(), did(renamed[0]), did(renamed...), did(append(renamed[:2:2], everywhere("test/weight.test.ts", "roundUp", "ceilTo"))...),
				did(append(renamed[:3:3], everywhere("test/weight.test.ts", "roundUp", "ceilTo"), everywhere("src/config.ts", "roundTo", "ceilTo"))...),
			},
		},
		"red": {
			right: []result{
				did(edit(weight, "amount / 100;", "amount / 1000;")), did(edit(weight, "amount / 100;", "amount * 0.001;")), did(edit(weight, "return amount / 100;", "return (amount / 1_000);")),
				did(edit(weight, "0.45359237;\n", "0.45359237;\nconst GRAMS_PER_KILO = 1000;\n"), edit(weight, "amount / 100;", "amount / GRAMS_PER_KILO;")),
			},
			wrong: []result{
				did(), did(edit("test/weight.test.ts", "0.25", "2.5")), did(edit(weight, "amount / 100;", "amount / 10;")), did(edit(weight, "amount / 100;", "amount;")),
				did(edit(weight, "amount / 100;", "amount / 1000;"), edit("test/weight.test.ts", "0.25", "2.5")), did(edit(weight, "amount / 100;", "amount / 1000;"), edit(weight, "    case 'lb':\n", "")),
			},
		},
		"huge": {
			right: []result{
				did(edit(sizes, large, large+huge)).after(known),
				did(edit(sizes, large, large+"  {\n    name: \"huge\",\n    length: 80,\n    width: 60,\n    height: 60,\n    maxKg: 30,\n  }\n")).after("- letter\n- small\n- medium\n- large"),
			},
			wrong: []result{
				did().after(known), did(edit(sizes, large, large+huge)).after("small, medium, large"), did(edit(sizes, "Size[] = [\n", "Size[] = [\n"+huge)).after(known),
				did(edit(sizes, "'large', length: 60, width: 40, height: 40, maxKg: 20", "'huge', length: 80, width: 60, height: 60, maxKg: 30")).after(known),
				did(add(sizes, huge)).after(known), did(edit(sizes, large, large+"  { name: 'huge', length: 80, width: 60, height: 60, maxKg: 20 },\n")).after(known),
			},
		},
	}
}
