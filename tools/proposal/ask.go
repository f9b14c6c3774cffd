package proposal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/excerpt"
)

// What a person can choose, and why changes are not applied.
const (
	keepAll    = "Keep all"
	keepSome   = "Choose what to keep"
	discard    = "Discard"
	oneByOne   = "Decide on each file"
	Discarded  = "the user discarded it"
	Refused    = "the user said no"
	NobodyHere = "nobody was there who could be asked"
	Typed      = "it has unsaved changes in the editor"
)

const namesAlone = "There is too much to show it here, so these are names alone.\n"

// Asking is who asks about changes, and how.
type Asking struct {
	From       string // who did it, as people know them: "the command"
	Copy       bool   // it ran on a copy
	Unfinished bool   // it did not come to its end
	Root       string // of the workspace, absolute
	Report     tools.Reporter
}

// who begins a sentence.
func (a Asking) who() string { return strings.ToUpper(a.From[:1]) + a.From[1:] }

func (a Asking) did() string {
	if a.Copy {
		return "what " + a.From + " did on the copy"
	}
	return "what " + a.From + " did"
}

// ask puts a question, by the first of some texts that is not too long. why says why nothing is applied unless the
// answer is yes; no is why not if a person answered.
func (a Asking) ask(
	ctx context.Context, q tools.Inquiry, no string, texts ...func() string,
) (reply tools.Reply, why string) {
	asker, ok := a.Report.(tools.Asker)
	if !ok {
		return tools.Reply{}, NobodyHere
	}
	err := tools.ErrLong
	for _, text := range texts {
		if !errors.Is(err, tools.ErrLong) {
			break
		}
		q.Text = text()
		reply, err = asker.Ask(ctx, q)
	}
	switch {
	case err == nil:
		return reply, no
	case errors.Is(err, tools.ErrLong):
		why = "the question would be too long"
	case ctx.Err() != nil:
		why = a.From + " was stopped"
	default:
		why = NobodyHere
	}
	return tools.Reply{}, why
}

// Apart asks about changes that need a question of their own, all in one. why says why the others are not applied;
// whys has, by path, why a change is asked about.
func (a Asking) Apart(ctx context.Context, list []Change, whys map[string]string) (yes []Change, why string) {
	reply, why := a.put(ctx, list, whys, oneByOne)
	switch {
	case reply.Yes:
		return list, ""
	case !reply.Other:
		return nil, why
	}
	files, folders := FilesAndFolders(list)
	why = Refused
	for _, c := range files {
		reply, refused := a.put(ctx, []Change{c}, whys, "")
		if reply.Yes {
			yes = append(yes, c)
		} else if refused != "" {
			why = refused
		}
	}
	return append(yes, WithFiles(folders, files, yes)...), why
}

// put asks about changes, with what they hold or, if that is too long, by their names.
func (a Asking) put(
	ctx context.Context, list []Change, whys map[string]string, other string,
) (reply tools.Reply, why string) {
	if len(list) == 1 {
		other = ""
	}
	target := fmt.Sprintf("Apply what %s did to %s", a.From, list[0].Rel)
	if n := len(list) - 1; n > 0 {
		target += fmt.Sprintf(" and %d more", n)
	}
	text := func(whole bool) string {
		var b strings.Builder
		if a.Unfinished {
			b.WriteString(
				a.who() + " did not come to its end. Nothing that it changed is applied unless you say so:\n",
			)
		} else {
			b.WriteString(a.who() + " has run. It also changed files that need a question of their own:\n")
		}
		for _, c := range list {
			why := whys[c.Rel]
			if a.Unfinished {
				why = ""
			}
			describe(&b, c, whole, why)
		}
		return b.String() + "\n"
	}
	return a.ask(
		ctx, tools.Inquiry{From: a.From, Target: target, Yes: "Apply it", Other: other}, Refused,
		func() string { return text(true) }, func() string { return text(false) },
	)
}

// Keep asks which of some changes are kept. why says why none are; then kept is empty. afterwards are those that are
// asked about afterwards, and dropped those that are not.
func (a Asking) Keep(
	ctx context.Context, list []Change, afterwards []string, dropped Dropped,
) (kept Kept, why string) {
	all := pieces(list)
	reply, why := a.putAll(ctx, list, all, a.heading(afterwards, dropped))
	switch {
	case reply.Yes:
		return Kept{All: true}, ""
	case reply.Other:
		reply, why = a.choose(ctx, all)
		if reply.Yes && len(reply.Form) > 0 {
			return keptOf(all, reply.Form), ""
		}
	}
	if reply.Why != "" {
		why = fmt.Sprintf("the user discarded it, and says: %q", reply.Why)
	}
	return Kept{}, why
}

// putAll asks what becomes of all of it.
func (a Asking) putAll(ctx context.Context, list []Change, all []piece, heading string) (tools.Reply, string) {
	q := tools.Inquiry{
		From: a.From, Target: "Keep " + a.did() + ": " + counted(list), Yes: keepAll,
		Other: keepSome, No: discard, Why: true, Files: edits(list, a.Root), Like: like(list),
	}
	if len(all) == 1 {
		q.Other = ""
	}
	texts := []func() string{
		func() string { return heading + described(list, true) },
		func() string { return heading + namesAlone + described(list, false) },
		func() string { return heading + namesAlone + listed(all) },
	}
	if len(list) > maxFiles {
		texts = texts[2:]
	}
	return a.ask(ctx, q, Discarded, texts...)
}

// choose asks about each piece.
func (a Asking) choose(ctx context.Context, all []piece) (tools.Reply, string) {
	q := tools.Inquiry{
		From: a.From, Target: "Choose what to keep of " + a.did(), No: discard, Why: true, Form: formOf(all),
	}
	return a.ask(ctx, q, Discarded, func() string {
		var b strings.Builder
		for _, p := range all {
			fmt.Fprintf(&b, "%s\n%s\n", p.name, p.text)
		}
		return "Write keep or discard for each.\n\n" + b.String()
	}, func() string { return "Write keep or discard for each.\n" + listed(all) })
}

// heading begins the question about all of it.
func (a Asking) heading(afterwards []string, dropped Dropped) string {
	said := a.who() + " has run"
	if a.Unfinished {
		said = a.who() + " did not come to its end"
	}
	if a.Copy {
		said += " on a copy. Nothing of what it changed there is in your workspace yet.\n"
	} else {
		said += ". Nothing of what it changed is in your workspace yet.\n"
	}
	if len(afterwards) > 0 {
		said += fmt.Sprintf("Of these you are asked afterwards: %s.\n", SomeOf(afterwards))
	}
	if len(dropped.rels) > 0 {
		said += dropped.Sentence() + "\n"
	}
	return said
}

// counted says in a few words what was changed.
func counted(list []Change) string {
	files, _ := FilesAndFolders(list)
	if len(files) <= 2 {
		return SomeOf(rels(files))
	}
	return fmt.Sprintf("%s and %d more files", visible.Line(files[0].Rel), len(files)-1)
}

// described are changes, whole with what they hold, those of ignored files in a row.
func described(list []Change, whole bool) string {
	var b strings.Builder
	files, _ := FilesAndFolders(list)
	ignored := slices.DeleteFunc(slices.Clone(files), func(c Change) bool { return !c.Ignored })
	for _, c := range files {
		if !c.Ignored {
			describe(&b, c, whole, "")
		}
	}
	if len(ignored) > 0 {
		fmt.Fprintf(
			&b, "\n%s that git ignores: %s\n", excerpt.Counted(len(ignored), "file"), SomeOf(rels(ignored)),
		)
	}
	return b.String()
}
