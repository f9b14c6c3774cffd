package guidance

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/guidance/intent"
	"github.com/assent-ls/assent/agent/guidance/schema"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/values"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools"
)

// Small models write whole short files far better than edits, and far better as plain text than inside JSON
// (cmd/eval/findings.md). So a guided reply only names the file, and what is to be in it is asked for separately.
// The call that the document shows, that policy judges and that the model reads later has the text.

const (
	textTokens  = 2_000 // of a text that is asked for separately
	textContext = 3_000 // bytes of another file that is shown with it
	textExample = 1_200 // bytes of a file that is shown as an example of a new one
	maxOthers   = 2     // other files that are shown with it
	maxSiblings = 40    // files in the folder of a new one that are named
	textTurns   = 2     // earlier requests that are shown with it
	maxLostLine = 500   // bytes of a line that is looked for
)

// pathOf is the argument by which a tool that changes a file names it; empty: the tool is no such.
func pathOf(spec tools.Spec) string {
	if name := spec.Argument(tools.NewFile); name != "" || spec.Argument(tools.CopiedText) == "" {
		return name
	}
	return spec.Argument(tools.ExistingFile)
}

// writes reports whether a tool gives a file a text.
func (g *Guide) writes(name string) bool {
	spec, ok := g.spec(name)
	return ok && pathOf(spec) != ""
}

// writtenBy is the file that a call gives a text; empty: it is no such call.
func (g *Guide) writtenBy(call toolcall.Call) string {
	spec, ok := g.spec(call.Name)
	if !ok || pathOf(spec) == "" {
		return ""
	}
	var arguments map[string]json.RawMessage
	var name string
	if json.Unmarshal(call.Arguments, &arguments) != nil || json.Unmarshal(arguments[pathOf(spec)], &name) != nil {
		return ""
	}
	return name
}

// asksSeparately reports whether texts are asked for in requests of their own.
func (g *Guide) asksSeparately() bool { return g.source.Show != nil }

// withoutTexts are tools whose calls may lack the texts that are asked for separately.
func (g *Guide) withoutTexts(list []model.Tool) []model.Tool {
	if !g.asksSeparately() {
		return list
	}
	list = slices.Clone(list)
	for i, tool := range list {
		if spec, ok := g.spec(tool.Name); ok && pathOf(spec) != "" {
			list[i].Parameters = schema.Requiring(tool.Parameters, pathOf(spec))
		}
	}
	return list
}

// isIncomplete reports whether the text of a call is still to be asked for.
func (g *Guide) isIncomplete(call toolcall.Call) bool {
	var arguments map[string]json.RawMessage
	return g.asksSeparately() && g.writtenBy(call) != "" && json.Unmarshal(call.Arguments, &arguments) == nil &&
		len(arguments) == 1
}

// writeTexts asks for the texts that calls of a reply still lack.
func (g *Guide) writeTexts(ctx context.Context, r *Reply, by Asker) error {
	for i := range r.Calls {
		call := &r.Calls[i]
		if call.Incomplete = g.isIncomplete(call.Call); !call.Incomplete {
			continue
		}
		file := g.writtenBy(call.Call)
		whole, err := g.newText(ctx, file, by)
		switch {
		case err != nil:
			r.Calls = r.Calls[:i]
			return err
		case whole != nil:
			call.Name, call.Arguments = whole.Name, whole.Arguments
		default:
			call.Refused = prompts.Unwritten(file)
			g.unwritten[file] = true
		}
		r.Altered = true
	}
	return nil
}

// newText asks for the new text of a file, twice if the first one is of no use; nil: there is none, and the tool says
// what is missing.
func (g *Guide) newText(ctx context.Context, path string, by Asker) (*toolcall.Call, error) {
	before, exists, ok := g.source.Show(ctx, path)
	if !ok {
		return nil, nil
	}
	by.Writes(path)
	var first *string // what left lines out
	again := ""
	for range 2 {
		asked := g.askText(ctx, path, before, exists, again)
		if !by.Fits(asked.Request, textTokens) {
			return nil, nil
		}
		reply, err := by.Ask(ctx, asked, false)
		again = prompts.NotRightYet
		if reply.Endless {
			continue
		}
		if err != nil {
			return nil, err
		}
		after, ok := fenced(transcript.NormalText(reply.Text))
		if !ok || reply.Done.Reason == "length" || strings.TrimSpace(after) == "" {
			continue
		}
		if exists && strings.TrimSpace(after) == strings.TrimSpace(before) {
			continue
		}
		gone := lost(before, after)
		if exists && len(gone) > 0 && !intent.Shortens(g.wants.text) && first == nil {
			first, again = &after, prompts.LeftOut(gone[0])
			continue
		}
		if first != nil && len(gone) >= len(lost(before, *first)) {
			break
		}
		return g.callOf(path, before, after, exists), nil
	}
	if first != nil {
		return g.callOf(path, before, *first, exists), nil
	}
	return nil, nil
}

// lost are the lines of a text that another one has neither as they are nor otherwise.
func lost(before, after string) (gone []string) {
	old, now := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(before) {
		old[strings.TrimSpace(line)] = true
	}
	var fresh []string
	for line := range strings.Lines(after) {
		line = strings.TrimSpace(line)
		now[line] = true
		if !old[line] {
			fresh = append(fresh, line)
		}
	}
	for line := range strings.Lines(before) {
		line = strings.TrimSpace(line)
		alike := func(other string) bool {
			return 2*levenshtein.ComputeDistance(line, other) <= max(len(line), len(other))
		}
		if len(line) > 2 && len(line) < maxLostLine && !now[line] && !slices.ContainsFunc(fresh, alike) {
			gone = append(gone, line)
		}
	}
	return gone
}

// callOf is the call that gives a file its new text: an edit where little changes, else all of it, by tools that this
// chat may call under the names that they have here. nil: there is no such tool.
func (g *Guide) callOf(path, before, after string, exists bool) *toolcall.Call {
	if exists && !strings.HasSuffix(after, "\n") && strings.HasSuffix(before, "\n") {
		after += "\n"
	}
	write, canWrite := g.toolWith(tools.NewFile)
	edit, canEdit := g.toolWith(tools.CopiedText)
	call := toolcall.Call{}
	if old, text, ok := changed(before, after, canWrite); exists && canEdit && ok {
		call.Name, call.Arguments = edit, members("path", path, "old_text", old, "new_text", text)
	} else if canWrite {
		call.Name, call.Arguments = write, members("path", path, "content", after)
	} else {
		return nil
	}
	call = g.Marks.Meant(call)
	return &call
}

// toolWith finds a tool that the chat may call and that has an argument of a kind.
func (g *Guide) toolWith(kind tools.ArgumentKind) (name string, ok bool) {
	for _, tool := range g.All {
		if spec, ok := g.spec(tool.Name); ok && spec.Argument(kind) != "" {
			return tool.Name, true
		}
	}
	return "", false
}

// members is an object of texts, in this order.
func members(keysAndTexts ...string) json.RawMessage {
	var all []values.Member
	for pair := range slices.Chunk(keysAndTexts, 2) {
		all = append(all, values.Member{Key: pair[0], Value: values.Quote(pair[1])})
	}
	return values.WriteObject(all)
}

// changed is the part of a text that another one has otherwise, by whole lines and so long that it occurs once. ok is
// false if there is none, or if only a little part is wanted and that is most of it.
func changed(before, after string, little bool) (old, text string, ok bool) {
	a, b := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	first := 0
	for first < min(len(a), len(b)) && a[first] == b[first] {
		first++
	}
	last := 0
	for last < min(len(a), len(b))-first && a[len(a)-1-last] == b[len(b)-1-last] {
		last++
	}
	for {
		old, text = strings.Join(a[first:len(a)-last], ""), strings.Join(b[first:len(b)-last], "")
		if little && 2*len(old) > len(before)+200 {
			return "", "", false
		}
		if strings.TrimSpace(old) != "" && strings.Count(before, old) == 1 {
			old, text = strings.TrimSuffix(old, "\n"), strings.TrimSuffix(text, "\n")
			return old, text, old != text
		}
		switch {
		case first > 0:
			first--
		case last > 0:
			last--
		default:
			return "", "", false
		}
	}
}

// askText is the request for the text of a file: the system prompt, what was asked before, what belongs to it, and the
// file.
func (g *Guide) askText(ctx context.Context, path, before string, exists bool, again string) Request {
	var messages []model.Message
	add := func(role model.Role, text string) {
		messages = append(messages, model.Message{Role: role, Text: g.Marks.Escape(text)})
	}
	if g.System != "" {
		add(model.RoleSystem, g.System)
	}
	for _, turn := range g.earlier() {
		add(turn.Role, turn.Text)
	}
	var text strings.Builder
	related := g.wants.files
	if exists { // more of what only looks related leads a small model away from this file
		related = related[:min(len(related), 1)]
	}
	others := slices.Concat(g.wants.named, related)
	others = slices.DeleteFunc(others, func(other string) bool { return other == path })
	for _, other := range others[:min(len(others), maxOthers)] {
		if shown, there, ok := g.source.Show(ctx, other); ok && there && len(shown) <= textContext {
			text.WriteString(compose.Fenced(other, shown) + "\n\n")
		}
	}
	var ask string
	if exists {
		text.WriteString(compose.Fenced(path, before) + "\n\n")
		ask = prompts.Rewrite(path)
	} else {
		text.WriteString(g.siblings(ctx, path))
		ask = prompts.Create(path)
	}
	ask += again
	add(model.RoleUser, text.String()+"The request: "+g.wants.text+"\n\n"+ask)
	req := compose.Separate(g.Conversation, messages, textTokens)
	if again == prompts.NotRightYet {
		req.Temperature, req.Sampling.Seed = new(0.7), new(1)
	}
	why := "the text of " + visible.Line(path) + " in plain text, once a reply names it"
	if again != "" {
		why = "the text of " + visible.Line(path) + " once more: the one before was not whole, or had nothing new"
	}
	return Request{why, req}
}

// siblings lists the files beside a new one, and shows one of its kind, for the form.
func (g *Guide) siblings(ctx context.Context, name string) string {
	var beside, alike []string
	for _, f := range g.files {
		if path.Dir(f) == path.Dir(name) {
			beside = append(beside, path.Base(f))
			if path.Ext(f) == path.Ext(name) && !slices.Contains(g.wants.named, f) {
				alike = append(alike, f)
			}
		}
	}
	if len(beside) == 0 || len(beside) > maxSiblings {
		return ""
	}
	text := "The files beside it, in the same folder: " + strings.Join(beside, ", ") + "\n\n"
	for _, f := range alike {
		if shown, there, ok := g.source.Show(ctx, f); ok && there && len(shown) <= textExample {
			return text + "One of them, for the form:\n" + compose.Fenced(f, shown) + "\n\n"
		}
	}
	return text
}

// earlier are the last requests before this one, with the words that answered them.
func (g *Guide) earlier() []toolcall.Turn {
	var turns []toolcall.Turn
	asked := 0
	for _, turn := range slices.Backward(g.Turns) {
		if turn.Role == model.RoleUser {
			asked++
		}
		if asked > 1+textTurns {
			break
		}
		switch {
		case turn.Role == model.RoleUser && asked > 1:
			turns = append(turns, toolcall.Turn{Role: turn.Role, Text: turn.Asked})
		case turn.Role == model.RoleAssistant && asked > 0 && turn.Text != "":
			turns = append(turns, toolcall.Turn{Role: turn.Role, Text: turn.Text})
		}
	}
	slices.Reverse(turns)
	return turns
}

// fenced is what is in the first code block of a reply; blocks in it that say their language are part of it. ok is
// false if there is none.
func fenced(reply string) (text string, ok bool) {
	lines := strings.SplitAfter(reply, "\n")
	first := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "```") })
	if first < 0 {
		return "", false
	}
	fence := lines[first][:len(lines[first])-len(strings.TrimLeft(lines[first], "`"))]
	inner := 0
	for i, line := range lines[first+1:] {
		line = strings.TrimRight(line, "\r\n ")
		switch {
		case line == fence && inner == 0:
			return strings.Join(lines[first+1:first+1+i], ""), true
		case line == fence:
			inner--
		case strings.HasPrefix(line, fence):
			inner++
		}
	}
	return "", false
}
