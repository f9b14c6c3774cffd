package table

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const races = `number,town,date,distance km,runners,fee
R-01,Oslo,2024-05-04,10,412,12.50
R-02,Turku,2024-05-18,21,388,30
R-03,Riga,2024-06-01,10,530,9.25
`

func TestRecords(t *testing.T) {
	table, ok := Read("data/races.csv", races)
	if !ok || table.Rows() != 3 {
		t.Fatalf("%d rows, %v", table.Rows(), ok)
	}
	got, fits := table.Records()
	want := `number: R-01, town: Oslo, date: 2024-05-04, distance km: 10, runners: 412, fee: 12.50
number: R-02, town: Turku, date: 2024-05-18, distance km: 21, runners: 388, fee: 30
number: R-03, town: Riga, date: 2024-06-01, distance km: 10, runners: 530, fee: 9.25
`
	if diff := cmp.Diff(want, got); diff != "" || !fits {
		t.Error(diff)
	}
}

func TestTogether(t *testing.T) {
	for name, c := range map[string]struct{ file, text, want string }{
		"numbers, dates and few values": {"races.csv", races, `date: first 2024-05-04 (number R-01, town Oslo), last 2024-06-01 (number R-03, town Riga)
distance km: lowest 10 (2 rows, the first is number R-01, town Oslo), highest 21 (number R-02, town Turku), sum 41
runners: lowest 388 (number R-02, town Turku), highest 530 (number R-03, town Riga), sum 1330
fee: lowest 9.25 (number R-03, town Riga), highest 30 (number R-02, town Turku), sum 51.75
`},
		"values of which some are the same": {"staff.csv", "name;team;since\nAna;sales;2019\nTom;lab;2021\nLena;lab;2016\n", `team: lab in 2 rows, sales in 1 row
since: lowest 2016 (name Lena, team lab), highest 2021 (name Tom, team lab)
`},
		"the first column names the rows": {"m.tsv", "month\theat\n1\t900\n2\t-70.5\n", "heat: lowest -70.5 (month 2), highest 900 (month 1), sum 829.5\n"},
		"a byte order mark":               {"m.csv", "\ufeffmonth,heat\r\n1,900\r\n2,7\r\n", "heat: lowest 7 (month 2), highest 900 (month 1), sum 907\n"},
		"a missing number":                {"m.csv", "month,heat\n1,900\n2,\n3,7\n", ""},
		"points between thousands":        {"m.csv", "item;sold\nTea;1.200\nRice;900\nSalt;3.400\n", ""},
		"three decimals beside others":    {"m.csv", "item,kg\nTea,1.200\nRice,0.500\n", "kg: lowest 0.500 (item Rice), highest 1.200 (item Tea), sum 1.700\n"},
		"versions":                        {"m.csv", "name,since\nTea,1.9\nRice,1.10\n", ""},
		"versions by their name":          {"m.csv", "name,minVersion\nTea,1.9\nRice,1.12\n", ""},
		"names that look like numbers":    {"m.csv", "name,area,zip_code\nTea,0301,99999\nRice,99,10115\n", ""},
		"a total":                         {"m.csv", "name,sold\nTea,1\nRice,2\nGrand total:,3\n", ""},
		"a total without a name":          {"m.csv", "name,sold,left\nTea,1,5\nRice,2,6\nSalt,4,7\n,7,8\n", "left: lowest 5 (name Tea), highest 8 (name ), sum 26\n"},
		"no dates":                        {"m.csv", "name,day\nTea,2024-02-30\nRice,----------\n", ""},
		"prices like years":               {"m.csv", "name,price\nTea,2.50\nRice,2.19\n", "price: lowest 2.19 (name Rice), highest 2.50 (name Tea), sum 4.69\n"},
		"rows without a value":            {"m.csv", "name,sold\nTea,1\nRice,2\n,\n , \n", "sold: lowest 1 (name Tea), highest 2 (name Rice), sum 3\n"},
		"an empty value between tabs":     {"m.tsv", "name\tnote\tsold\nTea\t\t1\nRice\t\t2\n", "sold: lowest 1 (name Tea), highest 2 (name Rice), sum 3\n"},
		"a value that looks like more":    {"m.csv", "name,sold\n\"Tea, left 9\",1\nRice,2\n", "sold: lowest 1 (name \"Tea, left 9\"), highest 2 (name Rice), sum 3\n"},
	} {
		t.Run(name, func(t *testing.T) {
			table, ok := Read(c.file, c.text)
			if !ok {
				t.Fatal("no table")
			}
			if diff := cmp.Diff(c.want, table.Together()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatIsNoTable(t *testing.T) {
	for name, c := range map[string][2]string{
		"another ending":           {"races.md", races},
		"no row":                   {"a.csv", "number,town\n"},
		"nothing":                  {"a.csv", ""},
		"one column":               {"a.csv", "town\nOslo\n"},
		"lines of other lengths":   {"a.csv", "a,b\n1,2\n1,2,3\n"},
		"no names of columns":      {"a.csv", "1,2\n3,4\n"},
		"a column without a name":  {"a.csv", "a,,c\n1,2,3\n"},
		"two columns of one name":  {"a.csv", "a,a\n1,2\n"},
		"a name of two lines":      {"a.csv", "\"a\nb\",c\n1,2\n"},
		"an open quotation":        {"a.csv", "a,b\n\"1,2\n"},
		"rows without a value":     {"a.csv", "a,b\n,\n"},
		"a date as a name":         {"a.csv", "Ann,2024-05-04\nBen,2024-05-05\n"},
		"a name that is a value":   {"a.csv", "Ann,lab\nBen,lab\n"},
		"a long name":              {"a.csv", strings.Repeat("a", maxValue+1) + ",b\n1,2\n"},
		"two names but for blanks": {"a.csv", "a,a \n1,2\n"},
		"larger than anybody asks": {"a.csv", "a,b\n" + strings.Repeat("1,2\n", maxBytes/4)},
	} {
		if _, ok := Read(c[0], c[1]); ok {
			t.Errorf("%s: read as a table", name)
		}
	}
}

// A value that has the form of others cannot be taken for them.
func TestRecordsAreNotImitated(t *testing.T) {
	table, _ := Read("a.csv", "name,sold\n\"Ann, sold: 500\nBen\",1\n")
	if got, _ := table.Records(); got != "name: \"Ann, sold: 500 Ben\", sold: 1\n" {
		t.Error(got)
	}
}

// An empty value below a column without a name must not shift the others.
func TestTabsAreNotTrimmed(t *testing.T) {
	if table, ok := Read("a.tsv", "a\tb\t\td\n1\t\t3\t4\n"); ok {
		text, _ := table.Records()
		t.Error(text)
	}
}

func TestALongTableHasNoRecords(t *testing.T) {
	table, _ := Read("a.csv", "a,b\n"+strings.Repeat("1,2\n", maxRecords/5))
	if text, fits := table.Records(); fits || text != "" {
		t.Errorf("%d bytes", len(text))
	}
	if want := "a: 1 in 1600 rows\nb: lowest 2 (1600 rows, the first is a 1), highest 2 (1600 rows, the first is a 1), sum 3200\n"; table.Together() != want {
		t.Error(table.Together())
	}
}

func FuzzTable(f *testing.F) {
	f.Add("a.csv", races)
	f.Add("a.tsv", "a\tb\n\"x\ny\"\t2\n")
	f.Fuzz(func(t *testing.T, name, text string) {
		table, ok := Read(name, text)
		if !ok {
			return
		}
		if records, fits := table.Records(); fits && strings.Count(records, "\n") != table.Rows() {
			t.Errorf("%d rows in:\n%s", table.Rows(), records)
		}
		table.Together()
	})
}
