package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/probe"
)

const probeSet = "probe"

// probeAll lets the probe of the product pick a mode for each model, and compares it with the results of the suite.
func probeAll(ctx context.Context, o options, backend model.Backend, profiles *model.Profiles) error {
	for _, name := range o.models {
		info, err := backend.Describe(ctx, name)
		if err != nil {
			return err
		}
		profile, _ := profiles.For(info)
		report, err := probe.Run(ctx, backend, info, probe.Options{
			Profile: profile, ContextSize: model.ChooseContext(0, info), KeepAlive: 5 * time.Minute, Salt: rand.Text(),
			Found: func(f probe.Finding) { fmt.Printf("  %-8s %-28s %s\n", f.Way, f.Probe, f.Verdict()) },
		})
		if err != nil {
			return err
		}
		var page []byte
		if o.out != "" { // else there are no rows of the suite to compare with
			if page, err = os.ReadFile(o.out); err != nil {
				return err
			}
		}
		if err := show(o.out, picks(), pickRow(o, name, report, results().rows(string(page)))); err != nil {
			return err
		}
	}
	return nil
}

// pickRow compares what a probe picked with the suite's rows of the same model.
func pickRow(o options, name string, report probe.Report, suite [][]string) row {
	var points []string
	for _, w := range report.Ways {
		points = append(points, fmt.Sprintf("%s %d", w.Format, w.Points))
	}
	picked := report.Best
	if picked == "" {
		picked = "none: it calls no tool"
	}
	best, verdict := judge(name, report.Best, suite)
	return row{
		name, time.Now().Format(time.DateOnly), o.engine, fmt.Sprintf("%.0f", report.Took.Seconds()),
		fmt.Sprintf("%s of %d", strings.Join(points, ", "), probe.MaxPoints()), picked, best, verdict,
	}
}

// judge finds the best mode of a model, or the best ones, in the suite's rows, and whether one of them was picked.
// Picking none is right where no mode solves more than one task in ten: that many need no tool.
func judge(name, picked string, suite [][]string) (best, verdict string) {
	most, solvedPicked := -1.0, -1.0
	tasks, score := 1, ""
	var modes []string
	for _, cells := range suite {
		if len(cells) < 7 || cells[0] != "suite" || cells[1] != name {
			continue
		}
		mode := strings.TrimSuffix(strings.TrimPrefix(cells[2], "default ("), ")")
		var solved float64
		if _, err := fmt.Sscanf(cells[6], "%f of %d", &solved, &tasks); err != nil {
			continue
		}
		if solved > most {
			most, score, modes = solved, cells[6], nil
		}
		if solved == most {
			modes = append(modes, mode)
		}
		if mode == picked {
			solvedPicked = max(solvedPicked, solved)
		}
	}
	best = strings.Join(modes, ", ") + ": " + score
	switch {
	case most < 0:
		return "not measured", "?"
	case picked == "" && most*10 <= float64(tasks), solvedPicked == most:
		return best, "yes"
	case solvedPicked < 0:
		return best, "no"
	}
	return best, fmt.Sprintf("no: %.1f of %d", solvedPicked, tasks)
}
