package main

import (
	"os"
	"path/filepath"
	"testing"
)

// S28: a license that nobody has read is not passed over.
func TestAnUnknownLicenseIsAnError(t *testing.T) {
	mit := "Permission is hereby granted, free of charge, to any\nperson obtaining a copy of this"
	for name, tt := range map[string]struct {
		files map[string]string
		want  string // empty: an error
	}{
		"none":         {map[string]string{"README": "MIT"}, ""},
		"MIT":          {map[string]string{"LICENSE.txt": mit}, "MIT"},
		"ISC":          {map[string]string{"LICENSE": "Permission to use, copy, modify, and distribute this software for any\npurpose with or without fee is hereby granted, provided that"}, "ISC"},
		"two":          {map[string]string{"LICENSE-MIT": mit, "LICENSE-BSD": "Redistributions in binary form must"}, "BSD-2-Clause, MIT"},
		"unknown":      {map[string]string{"COPYING": "You may do nothing."}, ""},
		"copyleft":     {map[string]string{"LICENSE": "GNU GENERAL PUBLIC LICENSE " + mit}, ""},
		"half unknown": {map[string]string{"LICENSE": mit, "LICENSE.other": "You may do nothing."}, ""},
	} {
		dir := t.TempDir()
		for file, text := range tt.files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := licensesIn(dir); got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
