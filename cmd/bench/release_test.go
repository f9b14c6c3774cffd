package main

import "testing"

func TestRowsOfARelease(t *testing.T) {
	rows := archives("assent_1_linux_amd64.tar.gz: 13000000 bytes\n    34000000  program\n       20000  man pages\n" +
		"assent_1_windows_amd64.zip: 26000000 bytes\n    60000000  program\n")
	const first = "the archive assent_1_linux_amd64.tar.gz: 13.0 MB; unpacked: program 34.00, man pages 0.02 (target: ≤ 25 MB) pass"
	if len(rows) != 2 || rows[0].line() != first || rows[1].ok {
		t.Errorf("%+v", rows)
	}
	rows, err := firstEdits([]byte(`[{"Editor": "VS Code", "Steps": 8, "Set": 60, "Edit": 90, "Tries": 1, "Load": "0.5"},
		{"Editor": "Neovim", "Steps": 10, "Set": 1, "Edit": 190, "Tries": 2, "Load": "0.5"}]`))
	if err != nil || len(rows) != 2 || rows[0].ok || !rows[1].ok ||
		rows[1].got != "2.5 min of waiting, in 8 steps: 60 s until the editor is ready, 90 s for the edit (try 1, load 0.5)" {
		t.Errorf("%v: %+v", err, rows)
	}
}
