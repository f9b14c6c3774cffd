package ranking

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"Which stations lie highest?":                 "station lie highest",
		"backups backed backing":                      "backup back back",
		"colours coloured color":                      "color color color",
		"centre center organised organizes four hour": "center center organiz organiz four hour",
		"paid pays written catalogue catalog log":     "pay pay writ catalog catalog log",
		"fill_gaps":                        "fill gap fill_gaps",
		"parseHTMLPage":                    "pars htmlpag parsehtmlpage",
		"bodies bus glass the and of":      "body bus glass",
		"naïve größe ölçü 16.2":            "naïv größ ölçü 16 2",
		"":                                 "",
		"\xff\xfe delete \x00 deleting":    "delet delet",
		"a_ _b __ x-y":                     "b x y",
		strings.Repeat("é", maxText) + "!": strings.Repeat("é", maxText/2),
	} {
		if got := strings.Join(Words(text), " "); got != want {
			t.Errorf("%.40q: %.80q, not %.80q", text, got, want)
		}
	}
	if !slices.IsSorted(common) {
		t.Error("the common words are not sorted, so some are not found")
	}
}

func TestRank(t *testing.T) {
	var x Index
	x.Add(Field{"scripts/backup.sh", 2}, Field{"KEEP_DAYS=14\nfind -mtime +14 -delete", 1})
	x.Add(Field{"README.md", 2}, Field{"The days of the week, and how a backup is made.", 1})
	x.Add(Field{"empty", 2}, Field{"", 1})
	for query, want := range map[string][]int{
		"After how many days do we delete a backup?": {0, 1},
		"which week is it":                           {1},
		"KEEP_DAYS":                                  {0, 1},
		"how do you do":                              nil,
		"":                                           nil,
	} {
		var got []int
		for _, r := range x.Rank(query, 9) {
			got = append(got, r.Place)
			if r.Covers <= 0 || r.Covers > 1.0000001 {
				t.Errorf("%s: covers %v", query, r.Covers)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, not %v", query, got, want)
		}
	}
	if got := x.Rank("days", 1); len(got) != 1 {
		t.Errorf("%d of at most one", len(got))
	}
	if all := x.Rank("backup days delete", 1); all[0].Covers < 0.99 {
		t.Errorf("a file with all words covers %v", all[0].Covers)
	}
	if got := (&Index{}).Rank("anything", 3); len(got) != 0 {
		t.Errorf("an empty index finds %v", got)
	}
}

// TestReplace: an index in which documents were replaced and emptied ranks as one that was made anew.
func TestReplace(t *testing.T) {
	texts := []string{"the plum cake", "bread of rye", "plum jam and plum cake", "", "tea"}
	var fresh, old Index
	for i := range texts {
		old.Add(Field{texts[len(texts)-1-i] + " and older words", 1})
	}
	gone := old.Add(Field{"plum plum plum", 3})
	for i, text := range texts {
		fresh.Add(Field{text, 1})
		old.Replace(i, Field{text, 1})
	}
	old.Replace(gone)
	for _, query := range []string{"plum cake", "bread", "older words", "tea with plum", "jam"} {
		if a, b := fresh.Rank(query, 9), old.Rank(query, 9); !slices.Equal(a, b) {
			t.Errorf("%s: %v, not %v", query, b, a)
		}
	}
}
