//go:build e2e

package e2e

import (
	"strings"
	"testing"
)

// antsThenBees answers what the prompt of the workspace asks for.
const antsThenBees = scriptedModel + `
turn
	expect-not: Speak of
	say: "Nothing special."
turn
	expect: Speak of ants with llama3.1:8b.
	say: "Ants, then."
turn
	expect: Speak of bees with llama3.1:8b.
	expect-not: ants with
	say: "Bees, then."
`

// TestPromptNvim makes the prompt of the workspace by a command, trusts the folder, and changes the prompt without saving it: each request
// has the prompt as it is then.
func TestPromptNvim(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		server, address := play(t, antsThenBees)
		w := newWorld(t, address, map[string]string{"ask.chat.md": "---\nmodel: llama3.1:8b\n---\n\n## You\n\nWhat of?\n"})
		e := startNvim(w, version)
		const prompt = ".assent/prompts/system.md"
		e.open("ask.chat.md")
		e.act("ask.chat.md", 1, "Edit system prompt for this workspace")
		e.waitText(prompt, "What you write below")
		e.do("append", arguments{"file": w.path(prompt), "text": "Speak of ants with {{.Model}}.\n"}, nil)
		e.act("ask.chat.md", 6, "Send")
		finished(e, "Nothing special.")

		e.act(prompt, 0, "Trust this folder")
		again := func(answer string) {
			lines := strings.Count(strings.TrimRight(e.text("ask.chat.md"), "\n"), "\n")
			e.do("append", arguments{"file": w.path("ask.chat.md"), "text": "And now?\n"}, nil)
			e.act("ask.chat.md", lines, "Send")
			finished(e, answer)
		}
		again("Ants, then.")
		e.do("lua", arguments{"text": `
			local buf = vim.fn.bufnr(vim.fn.fnamemodify("` + w.path(prompt) + `", ":p"))
			vim.api.nvim_buf_call(buf, function() vim.cmd("%s/ants/bees/") end)
			return true`}, nil)
		again("Bees, then.")
		if wrong := server.Mismatches(); len(wrong) > 0 {
			t.Error(wrong)
		}
	})
}
