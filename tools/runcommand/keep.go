package runcommand

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/proposal"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/sandbox/layers"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed keep_built.md
var keepBuiltText string

// Layered is a Sandbox that has layers of chats.
type Layered interface {
	Layers() (layers.Store, error)
	LeaveBuilt(chat sandbox.Chat) (*layers.Chat, *changes.Layer, error)
}

// KeepBuiltName is the name of the tool that KeepBuilt makes.
const KeepBuiltName = "keep_built"

type keepBuiltInput struct {
	Remove bool `json:"remove,omitempty" jsonschema:"remove it instead"`
}

// KeepBuilt moves what tried commands of a chat built into the workspace: each change is judged like an edit of that
// path, and a person is always asked about all of them in one question.
func KeepBuilt(ws *workspace.Workspace, s Layered) tools.Tool {
	spec := tools.Spec{
		Name: KeepBuiltName, Description: strings.TrimSpace(keepBuiltText), Verb: "keep what was built:",
		Effect: effect.Edits, Timeout: tools.Unlimited, Defer: true,
	}
	return tools.Define(spec, func(_ context.Context, call tools.Call, in keepBuiltInput) (tools.Plan, error) {
		store, err := s.Layers()
		if err != nil {
			return tools.Plan{}, err
		}
		parts, sum := store.Of(ws.Root(), call.Chat)
		if len(parts) == 0 {
			return tools.Plan{}, errors.New("tried commands of this chat have built nothing that waits")
		}
		k := keeping{ws, s, call}
		plan := tools.Plan{
			Target: partNames(parts), Preview: described(parts), Binding: policy.Bind(ws.Root(), call.Chat, sum),
			Protected: "It puts files that commands built into your workspace, and what is there in their place is " +
				"replaced.",
			Run: k.run,
		}
		if in.Remove {
			plan.Protected = "It removes what commands built, before it was in your workspace."
			plan.Run = func(context.Context, tools.Reporter) tools.Result { return k.remove(store) }
		}
		for _, p := range parts {
			plan.Paths = append(plan.Paths, p.Rel)
		}
		return plan, nil
	})
}

// keeping is a call that keeps or removes what was built.
type keeping struct {
	ws   *workspace.Workspace
	s    Layered
	call tools.Call
}

func (k keeping) run(ctx context.Context, report tools.Reporter) tools.Result {
	ignored, mayBuild := ignoring(k.ws)
	chat, work, err := k.s.LeaveBuilt(sandbox.Chat{Name: k.call.Chat, Ignored: mayBuild})
	if err != nil {
		return tools.Failed(fmt.Sprintf("Nothing was kept: %v.", err))
	}
	defer chat.Close()
	s := settlement{ws: k.ws, judge: k.call.Judge, report: report, layer: work, ignored: ignored}
	did := s.settle(ctx)
	if err := chat.Remove(); err != nil {
		did.sentences = append(did.sentences, fmt.Sprintf("What is left of it could not be removed: %v.", err))
	}
	if len(did.sentences) == 0 {
		did.sentences = []string{"All of it is in the workspace already."}
	}
	result := tools.Result{Changes: did.changes}
	result.Parts = content.Texts(strings.Join(append(chat.Dropped(), did.sentences...), "\n"))
	return result
}

func (k keeping) remove(store layers.Store) tools.Result {
	if err := store.Remove(k.ws.Root(), k.call.Chat); err != nil {
		return tools.Failed(fmt.Sprintf("It was not removed: %v.", err))
	}
	return tools.Result{Parts: content.Texts("Removed.")}
}

func partNames(parts []layers.Part) string {
	var rels []string
	for _, p := range parts {
		rels = append(rels, p.Rel)
	}
	return proposal.SomeOf(rels)
}

// described are the parts for people, of which there may be thousands.
func described(parts []layers.Part) string {
	const most = 200
	var b strings.Builder
	files, bytes := 0, uint64(0)
	for i, p := range parts {
		if files, bytes = files+p.Files, bytes+p.Bytes; i < most {
			fmt.Fprintf(&b, "%s: %s\n", visible.Line(p.Rel), sized(p.Files, p.Bytes))
		}
	}
	if more := len(parts) - most; more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	fmt.Fprintf(&b, "\nall: %s", sized(files, bytes))
	return b.String()
}

func sized(files int, bytes uint64) string {
	return fmt.Sprintf("%d files and folders, %.1f MB", files, float64(bytes)/1e6)
}
