package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const archiveLimit = 25.0 // MB

// measureRelease gives the sizes of the archives of a release in dist, where `make release-check` makes it, and the
// minutes from there to the first approved edit, which `.ci/release minutes` measured.
func measureRelease(ctx context.Context, l *setup) ([]row, error) {
	if found, _ := filepath.Glob("dist/assent_*"); len(found) == 0 {
		const none = "not measured: there is none in dist; `make release-check` makes it"
		return []row{{what: "a release", got: none}}, nil
	}
	out, err := exec.CommandContext(ctx, "go", "run", "./cmd/release", "check", "dist").Output()
	if err != nil {
		return nil, fmt.Errorf("the release in dist: %w", err)
	}
	rows := archives(string(out))
	cache, err := testCache()
	if err != nil {
		return rows, err
	}
	text, err := os.ReadFile(filepath.Join(cache, "out", "release-minutes.json"))
	if errors.Is(err, fs.ErrNotExist) {
		l.log("`.ci/release minutes` was not run")
		return rows, nil
	}
	if err != nil {
		return rows, err
	}
	more, err := firstEdits(text)
	return append(rows, more...), err
}

// archives are the rows of what `go run ./cmd/release check` prints: the bytes of each archive, and below it those of
// its parts, unpacked.
func archives(checked string) (rows []row) {
	const mega = 1e6
	for line := range strings.Lines(checked) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		if name, ok := strings.CutSuffix(words[0], ":"); ok {
			size, _ := strconv.ParseFloat(words[1], 64) // what is no number fails the limit below
			rows = append(rows, row{
				what: "the archive " + name, target: "≤ 25 MB", ok: size > 0 && size/mega <= archiveLimit,
				got: fmt.Sprintf("%.1f MB; unpacked:", size/mega),
			})
		} else if size, err := strconv.ParseFloat(words[0], 64); err == nil && len(rows) > 0 {
			last := &rows[len(rows)-1]
			last.got += fmt.Sprintf(" %s %.2f,", strings.Join(words[1:], " "), size/mega)
		}
	}
	for i := range rows {
		rows[i].got = strings.TrimSuffix(rows[i].got, ",")
	}
	if len(rows) > 0 {
		rows[0].how = "As `make release-check` built it; the parts in MB, before they are compressed."
	}
	return rows
}

// firstEdits are the rows of what TestReleaseToFirstEdit of editors/e2e kept.
func firstEdits(kept []byte) (rows []row, err error) {
	var all []struct {
		Editor    string
		Steps     int
		Set, Edit float64 // seconds
		Tries     int
		Load      string
	}
	if err := json.Unmarshal(kept, &all); err != nil {
		return nil, err
	}
	for _, m := range all {
		limit := map[string]float64{"Neovim": 3, "VS Code": 4}[m.Editor]
		took := (m.Set + m.Edit) / 60
		rows = append(rows, row{
			what: "from the archive to the first approved edit, " + m.Editor, ok: took <= limit,
			target: fmt.Sprintf("≤ %.0f min", limit),
			got: fmt.Sprintf(
				"%.1f min of waiting, in %d steps: %.0f s until the editor is ready, %.0f s for the edit "+
					"(try %d, load %s)",
				took, m.Steps, m.Set, m.Edit, m.Tries, m.Load,
			),
			how: "The steps of README.md, taken without a pause by a program, with a real Ollama and a model " +
				"that are there: the time is that of the machine alone. A person's reading and typing come on top.",
		})
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.what, b.what) })
	return rows, nil
}

// testCache is the folder in which make test keeps what takes long to make.
func testCache() (string, error) {
	home, err := os.UserHomeDir()
	return cmp.Or(os.Getenv("ASSENT_TEST_CACHE"), filepath.Join(home, ".cache", "assent-test")), err
}
