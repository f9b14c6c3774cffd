package probe

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/envelope"
	"github.com/assent-ls/assent/agent/toolcall/formats"
	"github.com/assent-ls/assent/tools/python/modules"
	"github.com/assent-ls/assent/tools/python/signature"
)

// program asks for something that takes several calls, which a program makes in one reply. The model does better with
// programs if it writes one, and does not make several calls at once in its best way.
func (p *prober) program(ctx context.Context, probe string) (Finding, error) {
	if why := p.skipExtra(); why != "" {
		return skipped(why), nil
	}
	p.announce(label(formats.Python, probe))
	format, err := formats.With(p.o.Declared).ForModel([]string{formats.Python}, p.o.Profile.Opened)
	if err != nil {
		return Finding{}, err
	}
	asked := user("Add up the letters of tides.log, ropes.txt and nets.txt.")
	tools := append(toolbox(), programTool())
	req := p.request(format, systemPrompt, asked, tools, toolcall.Hints{})
	req.MaxTokens = 2 * replyLimit // a program is longer than a call
	r, err := p.send(ctx, format, req, tools)
	if err != nil {
		return Finding{}, err
	}
	f := r.judge(formats.Python, probe, readsInOneProgram("tides.log", "ropes.txt", "nets.txt"))
	if f.Passed {
		p.report.Code = !p.together
		if f.Note = "as well as several calls at once"; p.report.Code {
			f.Note = "better than one call after the other"
		}
		if p.report.Fence = ""; strings.Contains(r.raw, "```"+envelope.PythonFence) {
			p.report.Fence = envelope.PythonFence
		}
	}
	return f, nil
}

// programTool runs programs, and is never called.
func programTool() model.Tool {
	return tool(
		signature.Execution, signature.Description(modules.Names(), true, false),
		`{"`+signature.Program+`":{"type":"string"}}`, signature.Program,
	)
}

// readsInOneProgram is a check for one program that reads files.
func readsInOneProgram(files ...string) func(reply) string {
	return func(r reply) string {
		switch {
		case len(r.calls) == 0 && r.malformed > 0:
			return "its program cannot be read"
		case len(r.calls) == 0:
			return "no program: " + short(r.text)
		case r.calls[0].Name != signature.Execution:
			return "called " + r.calls[0].Name
		}
		var arguments struct{ Program string }
		if err := json.Unmarshal(r.calls[0].Arguments, &arguments); err != nil {
			return "its program cannot be read"
		}
		if !strings.Contains(arguments.Program, "read_file(") {
			return "its program reads nothing"
		}
		for _, file := range files {
			if !strings.Contains(arguments.Program, file) {
				return "its program lacks " + file
			}
		}
		return ""
	}
}
