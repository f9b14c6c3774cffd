package tasks

// sharesTasks are about a command in Go that splits the bills of a journey.
func sharesTasks() []Task {
	talks := []Task{
		{
			name:    "map-key",
			request: "go: whats the way to check that a key is in a map",
			check:   says(`(_|\w+), ?\w+ ?:?= ?[\w.]+\[`),
		},
		{
			name:    "tip",
			request: "The bill in the restaurant is 84 euros. How much is 15 % tip on that?",
			then:    []string{"so what do we pay altogether?"},
			check:   all(turn(1, says(`\b12[.,]60?\b`)), says(`\b96[.,]60?\b`)),
		},
		{
			name:    "australia",
			request: "问个别的:澳大利亚的首都是哪里?",
			check:   all(says(`堪培拉|坎培拉|canberra`), saysNot(`^[^\p{L}]*(悉尼|墨尔本|sydney|melbourne)`)),
		},
		{
			name:    "dutch",
			request: "「割り勘にしよう」って英語でどう言う?",
			check: says(
				`split(ting)? (the |this |that |our |up the )?(bill|check|cost|tab)|split (it|this)|` +
					`go(ing)? dutch|(pay|go) (separately|halves|fifty)`,
			),
		},
		{
			name:    "seconds",
			request: "сколько секунд в двух часах?",
			check:   says(`\b7[ .]?200|семь тысяч двести`),
		},
	}
	reads := []Task{
		{
			name:    "ski-passes",
			request: "who paid the ski passes",
			check: all(
				says(`\bilse\b`),
				saysNot(
					`^\W*(tom|maren|yusuf)\b`, `(tom|maren|yusuf) paid (for )?(the ski|ilse)`, `paid by (tom|maren|yusuf)`,
				),
			),
		},
		{
			name:    "odd-cent",
			request: "10 euros shared by three people: who gets the one cent that is left over?",
			check: says(
				`\bpayer|\b(who(ever)?|one|person|people|someone|somebody|participant|` +
					`those|friend|traveller) (that |who )?` +
					`(had |has |have |originally |actually )*(paid|pays|pay)\b|` +
					`(paid|paying) (for )?(the|that) bill|made the payment`,
			),
		},
		{
			name:    "comments",
			request: "Can I put comments into the file of a trip? How do they look?",
			check: all(
				says(`semi-?colon|["'“(]; ?|(with|an?|the|by|use|using|character|sign) ;|(^|\s); \w`),
				saysNot(`^\W*no\b`, `not (supported|possible|allowed)`, `with (a |the )?(#|//|hash)`),
			),
		},
		{
			name:    "corsica-total",
			request: "¿cuánto gastamos en total en Córcega?",
			check:   says(`\b986[.,]40?(\D|$)`),
		},
		{
			name:    "version",
			request: "какая у нас сейчас версия программы?",
			check: all(says(`0\.7\.2`), saysNot(
				`^[^\p{L}\p{N}]*(версия )?0\.(7\.[01]|6)`,
				`(сейчас|текущая)( у нас)?( версия)?( программы)?[ :–—-]*0\.(7\.[01]|6)`,
			)),
		},
	}
	changes := []Task{
		{
			name:    "one-owes-two",
			request: "go test ./settle fails when one person owes money to two others. please repair it",
			touches: []string{"settle/settle.go"},
			check: beside("settle/more_test.go", `package settle

import (
	"testing"

	"example.org/shares/money"
)

func TestAllIsSettled(t *testing.T) {
	for _, balances := range []map[string]money.Cents{
		{"Ana": 1500, "Ben": -700, "Cem": -800}, {"Ana": 300, "Ben": 1200, "Cem": -1000, "Dot": -500},
		{"Ana": 1, "Ben": 1, "Cem": 1, "Dot": -3}, {"Ana": 0},
	} {
		transfers := Transfers(balances)
		if len(transfers) > len(balances)-1 {
			t.Errorf("%d transfers for %v", len(transfers), balances)
		}
		for _, tr := range transfers {
			if tr.Amount <= 0 {
				t.Errorf("%v in %v", tr, balances)
			}
			balances[tr.From] += tr.Amount
			balances[tr.To] -= tr.Amount
		}
		for name, left := range balances {
			if left != 0 {
				t.Errorf("%s has %d left", name, int64(left))
			}
		}
	}
}
`, passes("go", "test", "-vet=off", "./...")),
		},
		{
			name:    "long-names",
			request: "how long may the name of a person be",
			then:    []string{"make that 20, Maximiliane-Sophie is coming along"},
			touches: []string{"ledger/read.go"},
			check: all(
				turn(1, says(`\b12\b|\btwelve\b`)),
				swaps(
					"ledger/read.go", []string{`	maxName = 12 // letters of a person's name`},
					[]string{`\s*maxName\s+= 20( //.*)?`},
				),
				passes("go", "test", "-vet=off", "./ledger"),
			),
		},
		{
			name:    "minus",
			request: "minus five cents are printed as 0.-5, i want -0.05. same for other amounts below zero",
			touches: []string{"money/money.go", "money/money_test.go"},
			check: all(
				file(
					"money/money_test.go", `func TestParse\(`, `func TestString\(`, `1250: +"12\.50"`, `" 0\.05 ": 5`,
				),
				beside("money/more_test.go", `package money

import "testing"

func TestBelowZero(t *testing.T) {
	for c, want := range map[Cents]string{
		-5: "-0.05", -150: "-1.50", -1250: "-12.50", -100: "-1.00", -99: "-0.99", 0: "0.00", 5: "0.05", 1250: "12.50",
	} {
		if c.String() != want {
			t.Errorf("%d is %s", int64(c), c)
		}
	}
	if Cents(1000).Times(1.17) != 1170 {
		t.Error("10 pounds")
	}
}
`, passes("go", "test", "-vet=off", "./money", "./ledger", "./split")),
			),
		},
		{
			name:    "evenly",
			request: "renomme la fonction Equal du paquet split en Evenly, partout où elle est utilisée",
			touches: []string{"split/split.go", "split/split_test.go", "settle/settle.go"},
			check: all(
				fileNot("split/split.go", `func Equal\b`, `\bEqual\(`),
				file("split/split.go", `func Evenly\(amount money\.Cents, names \[\]string, payer string\)`),
				fileNot("split/split_test.go", `[^.\w]Equal\(`),
				file(
					"split/split_test.go",
					`Evenly\(1000, \[\]string\{"Ana", "Ben", "Cem"\}, "Ben"\)`, `Evenly\(1000, nil, "Ben"\)`,
				),
				swaps(
					"settle/settle.go", []string{`.*split\.Equal.*`},
					[]string{`		for name, part := range split\.Evenly\(e\.Euro\(\), names, e\.Who\) \{`},
				),
				passes("go", "build", "-o", "shares-built", "./cmd/shares"),
				passes("go", "test", "-vet=off", "./split", "./ledger", "./money"),
				passes("go", "test", "-vet=off", "-run", "TestBalances|TestTwoPeople", "./settle"),
			),
		},
		{
			name:    "ice-cream",
			request: "科西嘉的行程里还少一笔:6月14日 Tom 付了冰淇淋 18.40 欧元,所有人平分。帮我补上",
			touches: []string{"trips/corsica.csv"},
			check: all(
				keeps("trips/corsica.csv"), place("trips/corsica.csv", `^date,who`, `^2026-06-14`),
				swaps("trips/corsica.csv", nil, []string{
					`2026-06-14,Tom,"?[^,"]*(?i:冰淇淋|冰激凌|ice[ -]?creams?|gelato)[^,"]*"?,18\.40?,EUR,all`,
				}),
			),
		},
	}
	return ofKinds(talks, reads, changes)
}
