package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/policy"
)

const (
	decisionRules = 200
	decisionRuns  = 5000
	decisionLimit = 50 * time.Microsecond
)

// measureDecisions times what policy says about calls, by the rules of a user who has many.
func measureDecisions(_ context.Context, l *setup) (rows []row, err error) {
	dir, state, err := l.state("decisions")
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "permissions.json")
	if err := os.WriteFile(file, manyRules(), 0o600); err != nil {
		return nil, err
	}
	old := time.Now().Add(-time.Hour) // a file that was just written is read again each time
	if err := os.Chtimes(file, old, old); err != nil {
		return nil, err
	}
	p := policy.New(state)
	p.UseFiles(file, nil)
	line, err := command.Parse("go vet ./... && task99 ./... | tail -5")
	if err != nil {
		return nil, err
	}
	edit := policy.Request{
		Tool: "edit_file", Effect: "edits", Paths: []string{"src/pkg99/a.go"}, Caller: policy.Model, Chat: "c",
		Workspace: "/ws|1:2",
	}
	run := policy.Request{
		Tool: "run_command", Effect: "runs", Target: line.Text, Command: &line, Confined: true, Caller: policy.Model,
		Chat: "c", Workspace: "/ws|1:2",
	}
	asked := edit
	asked.Paths = []string{"elsewhere/a.go"}
	for _, c := range []struct {
		what    string
		request policy.Request
		want    policy.Verdict
	}{
		{"a decision about an edit that the last rule allows", edit, policy.Run},
		{"a decision about a command line of three programs", run, policy.Run},
		{"a decision about an edit that is asked about, with its offers", asked, policy.Ask},
	} {
		took, err := times(decisionRuns, func() error {
			if d := p.Decide(c.request); d.Verdict != c.want {
				return fmt.Errorf("%s: %+v", c.what, d)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		p50, p99 := median(took), quantile(took, 0.99)
		rows = append(rows, row{
			what: c.what, target: "≤ 50 µs", ok: p50 <= decisionLimit,
			got: fmt.Sprintf("%.1f µs (p99 %.1f µs)", float64(p50.Nanoseconds())/1000, float64(p99.Nanoseconds())/1000),
			how: fmt.Sprintf(
				"Median of %d decisions by %d rules in the user's file, which is looked at each time.", decisionRuns,
				decisionRules,
			),
		})
	}
	return rows, nil
}

// manyRules are the permissions of a user who has many.
func manyRules() []byte {
	var deny, allow []string
	for i := range decisionRules / 4 {
		deny = append(deny, fmt.Sprintf(`{"paths":["secret%d/**"]}`, i), fmt.Sprintf(`{"command":"rm%d **"}`, i))
	}
	for i := range decisionRules / 4 {
		allow = append(
			allow, fmt.Sprintf(`{"effect":"edits","paths":["src/pkg%d/**"]}`, 50+i),
			fmt.Sprintf(`{"command":"task%d **"}`, 50+i),
		)
	}
	return []byte(`{"deny":[` + strings.Join(deny, ",") + `],"allow":[` + strings.Join(allow, ",") + `]}`)
}
