package diagnosis

import (
	"regexp"
	"strings"
	"testing"
)

func TestTheTable(t *testing.T) {
	id := regexp.MustCompile(`^CVE-20\d\d-\d{4,}$`)
	for _, v := range known().Vulnerability {
		if _, ok := number(v.Fixed); !ok || !id.MatchString(v.ID) || v.Text == "" || strings.HasSuffix(v.Text, ".") {
			t.Errorf("%+v", v)
		}
	}
	if _, day := Vulnerable("0.1.0"); day != "2026-11-28" {
		t.Errorf("the table is of %s", day)
	}
}

func TestVulnerable(t *testing.T) {
	for version, want := range map[string]string{
		"0.1.28": "28224 37032 39720 39722 45436 7482", "0.1.29": "37032 39720 39722 45436 7482", "v0.1.46": "45436 7482", "0.9.6": "7482",
		"0.17.0": "7482", "0.17.1": "", "0.17.1-rc2": "", "0.32.15": "", "1.0.0": "", "0.0.0": "", "": "", "dev": "", "0.5": "",
	} {
		found, _ := Vulnerable(version)
		var ids []string
		for _, f := range found {
			id, _, _ := strings.Cut(f, " ")
			ids = append(ids, id[strings.LastIndex(id, "-")+1:])
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%q has %q, want %q", version, got, want)
		}
	}
}
