package probe

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/tools/workspace"
)

// Job is a probe of one model from its beginning to the written profile: the command line and the editor do the same.
type Job struct {
	Backend model.Backend
	Folder  string // of the user's profiles
	Options        // without Profile, Memory and Salt, which Do fills in
	Format  string // what the user's settings say instead of any profile; empty: nothing
	// Lock makes this process the only one that writes a file (workspace.State has it), or names the other; nil: there
	// is none.
	Lock func(path string) (unlock func(), owner string, err error)
}

// Outcome is the result of a Job.
type Outcome struct {
	Info     model.Info
	Engine   string // the model server and its version
	When     time.Time
	Before   model.Profile // in use until now
	Why      string        // why that one
	Report   Report
	Path     string          // the file that was written; empty: none
	Changes  []string        // what is different now
	Profiles *model.Profiles // as they are now; nil: as before
	format   string
}

// Do probes a model and writes the profile that worked. With an error the outcome holds what was found until then, and
// nothing was written.
func (j Job) Do(ctx context.Context, info model.Info) (Outcome, error) {
	out := Outcome{Info: info, When: time.Now(), format: j.Format}
	version, err := j.Backend.Version(ctx)
	if err != nil {
		return out, err
	}
	out.Engine = strings.TrimSpace(j.Backend.Name() + " " + version)
	if j.Lock != nil {
		unlock, owner, err := j.Lock(pathOf(j.Folder, info.Name))
		if errors.Is(err, workspace.ErrLocked) {
			return out, fmt.Errorf("%s is probed by %s already: wait for the end", info.Name, owner)
		} else if err != nil {
			return out, err
		}
		defer unlock()
	}
	now, err := Profiles(j.Folder)
	if err != nil {
		return out, err
	}
	out.Before, out.Why = now.For(info)
	base, err := before(j.Folder, info.Name)
	if err != nil {
		return out, err
	}
	o := j.Options
	o.Profile, _ = base.For(info)
	o.Declared = base.Declared()
	o.Salt = cmp.Or(o.Salt, rand.Text())
	if free := j.Backend.Memory(); free > 0 && o.Memory == 0 {
		o.Memory = free + info.LoadedBytes
	}
	if out.Report, err = Run(ctx, j.Backend, info, o); err != nil {
		return out, err
	}
	if out.Report.Best == "" {
		return out, nil
	}
	text, err := File(out.Report.Profile, out.Engine, out.When)
	if err != nil {
		return out, err
	}
	path, after, err := keep(ctx, j.Folder, info, text, out.Report.Best)
	if err != nil {
		return out, err
	}
	profile, _ := after.For(info)
	out.Path, out.Profiles, out.Changes = path, after, changes(out.Before, profile)
	return out, nil
}

// Headline says in one or two sentences what was found.
func (o Outcome) Headline() string {
	name, r := o.Info.Name, o.Report
	if r.Best == "" {
		return name + " " + o.nothing() + ", so its profile stays as it is."
	}
	best := r.Ways[0]
	text := fmt.Sprintf("%s calls tools best as %s: %d of %d points", name, best.Format, best.Points, MaxPoints())
	if r.Choice != "" {
		text += " (" + r.Choice + ")"
	}
	text += "."
	if best.Calls < MaxCalls() && 2*best.Points < MaxPoints() {
		text += " That is little: a larger model calls tools more reliably."
	}
	return text
}

// nothing says why there is no best way.
func (o Outcome) nothing() string {
	asked, refused, whole := 0, 0, true
	for _, f := range o.Report.Findings {
		if f.Way != "" && !f.Skipped {
			asked++
			if f.Wrote == "" && !f.Passed {
				refused++
			}
		}
	}
	for _, w := range o.Report.Ways {
		whole = whole && w.Whole
	}
	switch {
	case asked > 0 && refused == asked:
		return "gave no answer at all that could be judged"
	case !whole:
		return "is too slow here to find out which way is best"
	}
	return "called no tool in any way (it can still answer; a larger model calls tools)"
}

// Changed says in one sentence what was changed in which file.
func (o Outcome) Changed() string {
	if o.Path == "" {
		return "Nothing was written."
	}
	text := fmt.Sprintf(
		"Wrote %s; it is used from now on. What changed: %s.", o.Path,
		cmp.Or(strings.Join(o.Changes, "; "), "nothing, it was right already"),
	)
	if o.format != "" {
		text += fmt.Sprintf(
			" But the setting toolFormat is %s, which goes before any profile: set it to auto.", o.format,
		)
	}
	return text
}
