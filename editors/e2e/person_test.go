//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/agenttest"
)

// person is at a Neovim in a terminal of 80 columns and looks after a run with the keyboard: reads on, saves where a
// command waits for that, and answers.
type person struct {
	term    *terminal
	program string
	socket  string // where the editor says what is in it
	chat    string
	choose  func(rows []string) int

	done    map[string]bool
	stops   []string // all that needed a key, in order
	answers []string // the questions among them
}

// newPerson opens the files of a task and a chat, and sends that.
func newPerson(w *world, version, chat string, task agenttest.Task, choose func(rows []string) int) *person {
	w.t.Helper()
	p := &person{
		program: installed(w.t, "nvim.sh")[nvimVersions[version]], socket: filepath.Join(w.home(), chat+".sock"), chat: chat,
		choose: choose, done: map[string]bool{},
	}
	p.term = startTerminal(w, chat, w.env, p.program, "--clean", "-i", "NONE", "-n", "--listen", p.socket, "-u", w.config("neovim.md", "lua", "assent.lua"))
	must(w.t, p.term.tmux("resize-window", "-x", "80", "-y", "24").Run())
	for _, file := range append(slices.Sorted(maps.Keys(task.Files)), chat) {
		nvimCommand(p.term, "edit "+file)
	}
	nvimCommand(p.term, "3")
	nvimMenu(p.term, "Send")
	return p
}

// seen is what a chat looks like at a moment.
type seen struct {
	Text  string
	Waits string // the message of a call that waits
	Call  string // the line on which it is
}

// look asks Neovim for what is in it, which leaves the screen alone. It does not answer while Neovim waits for a key.
func (p *person) look() (now seen, err error) {
	ctx, cancel := context.WithTimeout(p.term.w.t.Context(), time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, p.program, "--server", p.socket, "--remote-expr", "luaeval('"+looking+"', '"+p.chat+"')").Output()
	if err != nil {
		return now, fmt.Errorf("looking into Neovim: %w", err)
	}
	return now, json.Unmarshal(out, &now)
}

const looking = `(function(chat)
	local lines = vim.api.nvim_buf_get_lines(vim.fn.bufnr(chat), 0, -1, false)
	local now = { Text = table.concat(lines, "\n") }
	for _, d in ipairs(vim.diagnostic.get(vim.fn.bufnr(chat))) do
		if vim.startswith(d.message, "Waits for") then now.Waits, now.Call = d.message, lines[d.lnum + 1] end
	end
	return vim.json.encode(now)
end)(_A)`

// work does what the run waits for until the model has answered, and returns the chat.
func (p *person) work(answer string) string {
	p.term.w.t.Helper()
	for {
		var now seen
		var prompt bool
		eventually(p.term.w.t, "a question or the answer", func() (err error) {
			if prompt = strings.Contains(p.term.screen(), enterPrompt); prompt {
				return nil
			}
			if now, err = p.look(); err != nil || p.isNew(now) {
				return err
			}
			return contains(now.Text, answer)
		})
		switch {
		case prompt:
			p.pressEnter()
		case p.isNew(now):
			p.help(now)
		default:
			return now.Text
		}
	}
}

// isNew reports whether something is wanted that was not done yet. The name of the model goes to the top of a chat at
// about the same time as the first question, and moves all lines.
func (p *person) isNew(now seen) bool {
	return strings.HasPrefix(now.Text, "---") && strings.HasPrefix(now.Call, "```tool ") && !p.done[now.stop()]
}

// stop names what is wanted: to save or to answer, for which call.
func (now seen) stop() string { return fmt.Sprint(now.saves(), now.Call) }

func (now seen) saves() bool { return strings.Contains(now.Waits, "Unsaved changes") }

// stopped counts what a person had to do, and keeps what they saw.
func (p *person) stopped(what string) {
	p.stops = append(p.stops, what)
	p.term.keep(fmt.Sprintf("%s-stop-%d", p.chat, len(p.stops)))
}

const enterPrompt = "Press ENTER or type command to continue"

func (p *person) pressEnter() {
	p.term.w.t.Helper()
	p.stopped(enterPrompt)
	p.term.keys("Enter")
	eventually(p.term.w.t, "the prompt goes", func() error {
		if strings.Contains(p.term.screen(), enterPrompt) {
			return errors.New(p.term.screen())
		}
		return nil
	})
}

// help saves all files, or goes to the question and takes a row of its menu.
func (p *person) help(now seen) {
	p.term.w.t.Helper()
	p.done[now.stop()] = true
	if now.saves() {
		p.stopped(":wa " + now.Waits)
		nvimCommand(p.term, "wa")
		return
	}
	question, _, _ := strings.Cut(strings.TrimPrefix(now.Waits, "Waits for your answer: "), ". ")
	eventually(p.term.w.t, "the menu of "+question, func() error {
		p.term.text("gg]d")
		return nvimChoose(p.term, func(rows []string) int {
			at := p.choose(rows)
			if at >= 0 {
				p.stopped(question + " → " + rows[at])
			}
			return at
		})
	})
	p.answers = append(p.answers, question)
}
