package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed neovim.lua
var neovimLua string

// oneFrame is how long a screen shows a picture, in milliseconds: nobody sees what is later by less.
const oneFrame = 1000.0 / 60

// measureNeovim measures what the plugin costs: when Neovim starts, and while somebody types beside a reply that
// streams.
func measureNeovim(ctx context.Context, l *setup) ([]row, error) {
	nvim, err := findNeovim(ctx)
	if err != nil {
		return nil, err
	}
	plugin, err := filepath.Abs("editors/nvim")
	if err != nil {
		return nil, err
	}
	start, err := pluginStart(ctx, l, nvim, plugin)
	if err != nil {
		return nil, err
	}
	typing, err := typingBeside(ctx, l, nvim, plugin)
	if err != nil {
		return []row{start}, err
	}
	return []row{start, typing}, nil
}

// findNeovim is the newest Neovim of the cache.
func findNeovim(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "editors/e2e/install/nvim.sh", "0.12").Output()
	if err != nil {
		return "", fmt.Errorf("there is no Neovim: %w", err)
	}
	_, path, ok := strings.Cut(strings.TrimSpace(string(out)), "=")
	if !ok {
		return "", errors.New("editors/e2e/install/nvim.sh named no program")
	}
	return path, nil
}

// pluginStart reads from --startuptime what sourcing the plugin takes.
func pluginStart(ctx context.Context, l *setup, nvim, plugin string) (row, error) {
	const rounds = 21
	dir, err := l.folder("neovim-start")
	if err != nil {
		return row{}, err
	}
	var times []float64
	for i := range rounds {
		log := filepath.Join(dir, strconv.Itoa(i))
		cmd := exec.CommandContext(ctx, nvim, "--headless", "--clean", "-i", "NONE", "-n", "--cmd", "set runtimepath^="+plugin, "--startuptime", log, "+qall") //nolint:gosec // found above
		if out, err := cmd.CombinedOutput(); err != nil {
			return row{}, fmt.Errorf("neovim did not start: %w\n%s", err, out)
		}
		text, err := os.ReadFile(log)
		if err != nil {
			return row{}, err
		}
		took, err := sourcing(text, "plugin/assent.lua")
		if err != nil {
			return row{}, err
		}
		times = append(times, took)
	}
	m := median(times)
	return row{
		what: "start of Neovim, what the plugin adds", target: "≤ 1 ms", ok: m <= 1, got: fmt.Sprintf(
			"%.2f ms (slowest %.2f ms)", m, quantile(times, 1),
		),
		how: fmt.Sprintf("What --startuptime says about plugin/assent.lua; median of %d starts.", rounds),
	}, nil
}

// sourcing is how many milliseconds a log of --startuptime gives to a file with all that it sourced.
func sourcing(log []byte, file string) (float64, error) {
	lines := bufio.NewScanner(bytes.NewReader(log))
	for lines.Scan() {
		fields := strings.Fields(lines.Text()) // clock self+sourced self: sourcing FILE
		if len(fields) == 5 && fields[3] == "sourcing" && strings.HasSuffix(fields[4], file) {
			return strconv.ParseFloat(fields[1], 64)
		}
	}
	return 0, fmt.Errorf("%s was not sourced", file)
}

// typingBeside compares keystrokes in a file beside a reply that streams with those beside a chat that stands still.
func typingBeside(ctx context.Context, l *setup, nvim, plugin string) (row, error) {
	address, stop, err := l.play(
		ctx,
		fmt.Sprintf("model %s loaded=8192\nturn repeat\nrate %d count %d\n", smallModels[0], tokenRate, tokenCount/2),
	)
	if err != nil {
		return row{}, err
	}
	defer stop()
	w, err := l.newProject()
	if err != nil {
		return row{}, err
	}
	script := filepath.Join(filepath.Dir(w.dir), "neovim.lua")
	if err := write(script, neovimLua); err != nil {
		return row{}, err
	}
	cmd := exec.CommandContext(ctx, nvim, "--headless", "--clean", "-i", "NONE", "-n", "-l", script, nvim, plugin, l.program) //nolint:gosec // found above
	cmd.Dir, cmd.Env = w.dir, append(w.env, "OLLAMA_HOST="+address)
	var said bytes.Buffer
	cmd.Stderr = &said // print writes there, too
	out, err := cmd.Output()
	if err != nil {
		return row{}, fmt.Errorf("neovim failed: %w\n%s", err, said.Bytes())
	}
	var times struct{ Quiet, Streaming []float64 }
	if err := json.Unmarshal(lastLine(append(out, said.Bytes()...)), &times); err != nil {
		return row{}, fmt.Errorf("what Neovim measured cannot be read: %w", err)
	}
	later := quantile(times.Streaming, 0.95) - quantile(times.Quiet, 0.95)
	return row{
		what:   fmt.Sprintf("a key in Neovim, beside a reply at %d tokens/s, later than beside none", tokenRate),
		target: "≤ 16.7 ms (one frame) at p95", ok: later <= oneFrame,
		got: fmt.Sprintf(
			"%.1f ms (p95 %.1f and %.1f ms, medians %.1f and %.1f ms)", later, quantile(times.Streaming, 0.95),
			quantile(times.Quiet, 0.95), median(times.Streaming), median(times.Quiet),
		),
		how: fmt.Sprintf(
			"A character typed into a file in the next window, until it is handled and the screen is drawn; "+
				"%d keys of each kind, in turns of 60.",
			len(times.Quiet),
		),
	}, nil
}

func lastLine(text []byte) []byte {
	text = bytes.TrimSpace(text)
	return text[bytes.LastIndexByte(text, '\n')+1:]
}
