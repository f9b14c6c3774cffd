package background

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
)

//go:embed start_command.md
var startText string

//go:embed command_output.md
var outputText string

// The names of the tools.
const (
	Start  = "start_command"
	Output = "command_output"
)

const (
	// firstLook is how long a call waits for a command that ends at once, since that is what the model should read.
	firstLook = time.Second
	// laterLook is how long a call waits for something new.
	laterLook = 10 * time.Second
	// endLook is more than it takes to end a command.
	endLook = time.Minute
)

type startInput struct {
	Command string `json:"command"`
	Outside bool   `json:"outside,omitempty" jsonschema:"true: without sandbox, with network"`
}

// startTool starts a command. For rules it is run_command: who allows or denies a command means it wherever it runs.
func (s *Source) startTool() tools.Tool {
	run := s.options.Run.Spec()
	return tools.Define(tools.Spec{
		Name: Start, OwnName: run.Own(), Description: startText, Verb: "start", Effect: run.Effect,
		Timeout: tools.Unlimited, Defer: true,
	}, s.planStart)
}

const (
	goesOn  = "It goes on running in the background until Stop, or until this chat is closed."
	outside = "It runs outside the sandbox, with the network and with all that you may do yourself."
)

func (s *Source) planStart(ctx context.Context, call tools.Call, in startInput) (tools.Plan, error) {
	call.Outside = call.Outside || in.Outside
	var err error
	if call.Arguments, err = json.Marshal(map[string]string{"command": in.Command}); err != nil {
		return tools.Plan{}, err
	}
	plan, err := s.options.Run.Plan(ctx, call)
	if err != nil {
		return tools.Plan{}, err
	}
	if err := tooMany(s.entries(placeOf(call))); err != nil {
		return tools.Plan{}, err
	}
	approved := plan
	begin := func(pick func(tools.Plan) run) run {
		if pick(approved) == nil {
			return nil
		}
		return func(ctx context.Context, report tools.Reporter) tools.Result {
			c := newCommand(s, call, in.Command, approved, pick)
			e, err := s.add(c, pick(approved))
			if err != nil {
				return tools.FailedBy(err)
			}
			return e.attend(ctx, report, firstLook, never)
		}
	}
	plan.Notice = strings.TrimSpace(plan.Notice + " " + goesOn)
	plan.Binding = policy.Bind(plan.Binding, Start)
	if in.Outside { // no flag and no rule that was meant for the sandbox lets it run
		plan.Protected = strings.TrimSpace(plan.Protected + " " + outside)
	}
	plan.Run, plan.Unasked, plan.Try = begin(approvedRun), begin(unaskedRun), nil
	if plan.RunAnyway != nil {
		plan.RunAnyway = plan.Run
	}
	if plan.TryUnasked != nil {
		plan.TryUnasked = func(ctx context.Context, report tools.Reporter, allowed bool) tools.Result {
			return begin(tryUnasked(allowed))(ctx, report)
		}
	}
	return plan, nil
}

// approvedRun is how a command runs that was approved: on a copy where there is one, where its changes are asked about.
func approvedRun(p tools.Plan) run {
	if p.Confined {
		return p.Try
	}
	return p.Run
}

func unaskedRun(p tools.Plan) run { return p.Unasked }

func tryUnasked(allowed bool) func(tools.Plan) run {
	return func(p tools.Plan) run {
		if p.TryUnasked == nil {
			return nil
		}
		return func(ctx context.Context, report tools.Reporter) tools.Result {
			return p.TryUnasked(ctx, report, allowed)
		}
	}
}

type outputInput struct {
	ID   string `json:"id,omitempty" jsonschema:"from start_command; not needed if only one runs"`
	Stop bool   `json:"stop,omitempty" jsonschema:"true: stop it"`
}

// outputTool reads what a command printed, and ends it. It asks nobody: it ends what the model itself started, and
// what becomes of that command's changes is asked.
func (s *Source) outputTool() tools.Tool {
	return tools.Define(tools.Spec{
		Name: Output, Description: outputText, Verb: "read the output of", Effect: effect.Reads,
		Timeout: tools.Unlimited, Defer: true,
	}, s.planOutput)
}

func (s *Source) planOutput(_ context.Context, call tools.Call, in outputInput) (tools.Plan, error) {
	e, err := s.find(placeOf(call), in.ID)
	if err != nil {
		return tools.Plan{}, err
	}
	return tools.Plan{
		Target: e.id + ": " + e.line, Binding: policy.Bind(e.id, e.line, fmt.Sprint(in.Stop)),
		Run: func(ctx context.Context, report tools.Reporter) tools.Result {
			if in.Stop {
				e.finish()
				return unblocked(e.attend(ctx, report, endLook, never))
			}
			return unblocked(e.attend(ctx, report, laterLook, printed))
		},
	}, nil
}

// unblocked is a result that offers nothing to run outside: the call that read it is not the one that would.
func unblocked(r tools.Result) tools.Result {
	r.Blocked = ""
	return r
}

// find finds a command of a place. The error says which there are.
func (s *Source) find(at place, id string) (*entry, error) {
	all := s.entries(at)
	var names []string
	for _, e := range all {
		if e.id == id || id == "" && len(all) == 1 {
			return e, nil
		}
		names = append(names, fmt.Sprintf("%s (%s)", e.id, e.line))
	}
	if len(names) == 0 {
		return nil, fmt.Errorf(
			"no command runs in the background in this chat; those of an earlier session were ended with it: " +
				"call start_command again",
		)
	}
	return nil, fmt.Errorf("the command must be named by its id, one of: %s", strings.Join(names, ", "))
}
