package listing

import (
	"time"

	"github.com/assent-ls/assent/agent/probe"
)

// Probed is a line of `assent doctor --probe`: what was found out about a model.
type Probed struct {
	Model    string         `json:"model"`
	Engine   string         `json:"engine" jsonschema:"the model server and its version"`
	When     time.Time      `json:"when"`
	Before   string         `json:"before" jsonschema:"the profile that was used until now"`
	Best     string         `json:"best" jsonschema:"the format of tool calls to use from now on; empty: none worked"`
	Says     string         `json:"says"`
	Changed  string         `json:"changed"`
	Profile  string         `json:"profile,omitempty" jsonschema:"the file that was written; missing: none"`
	Trouble  string         `json:"trouble,omitempty" jsonschema:"why the probe ended early"`
	Ways     []ProbedWay    `json:"ways" jsonschema:"best first"`
	Findings []ProbeFinding `json:"findings"`
	Prompt   float64        `json:"promptTokensPerSecond" jsonschema:"0: not measured"`
	Reply    float64        `json:"replyTokensPerSecond" jsonschema:"0: not measured"`
	LoadMS   int64          `json:"loadMs"`
	TookMS   int64          `json:"tookMs" jsonschema:"with the load"`
}

// ProbedWay is a format of tool calls that was tried.
type ProbedWay struct {
	Format    string `json:"format"`
	Points    int    `json:"points"`
	MaxPoints int    `json:"maxPoints"`
	Calls     int    `json:"calls" jsonschema:"made rightly, without being told to"`
	MaxCalls  int    `json:"maxCalls"`
	Whole     bool   `json:"whole" jsonschema:"false: there was no time to judge it"`
	TookMS    int64  `json:"tookMs"`
}

// ProbeFinding is the result of one question to the model.
type ProbeFinding struct {
	Way     string `json:"way,omitempty" jsonschema:"missing: it is about the model itself"`
	Probe   string `json:"probe"`
	Passed  bool   `json:"passed"`
	Skipped bool   `json:"skipped,omitempty"`
	Note    string `json:"note,omitempty"`
	Wrote   string `json:"wrote,omitempty" jsonschema:"what the model wrote, where that failed"`
	TookMS  int64  `json:"tookMs"`
}

// ProbedOf is the line of an outcome; trouble is why the probe ended early, or nil.
func ProbedOf(o probe.Outcome, trouble error) Probed {
	r := o.Report
	line := Probed{
		Model: o.Info.Name, Engine: o.Engine, When: o.When, Before: o.Before.Name, Best: r.Best, Profile: o.Path,
		Prompt: r.Speed.Prompt, Reply: r.Speed.Reply, LoadMS: r.Load.Milliseconds(), TookMS: r.Took.Milliseconds(),
		Ways: []ProbedWay{}, Findings: []ProbeFinding{},
	}
	if trouble == nil {
		line.Says, line.Changed = o.Headline(), o.Changed()
	} else {
		line.Trouble = trouble.Error()
	}
	for _, w := range r.Ways {
		line.Ways = append(line.Ways, ProbedWay{
			w.Format, w.Points, probe.MaxPoints(), w.Calls, probe.MaxCalls(), w.Whole, w.Took.Milliseconds(),
		})
	}
	for _, f := range r.Findings {
		line.Findings = append(line.Findings, ProbeFinding{
			f.Way, f.Probe, f.Passed, f.Skipped, f.Note, f.Wrote, f.Took.Milliseconds(),
		})
	}
	return line
}
