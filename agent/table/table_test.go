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
		"larger than anybody asks": {"a.csv", "a,b\n" + strings.Repeat("1,2\n", maxBytes/4)},
	} {
		if _, ok := Read(c[0], c[1]); ok {
			t.Errorf("%s: read as a table", name)
		}
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
