package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// measureStartup times the start of the program up to the answer to initialize, and measures its memory when nothing
// happens.
func measureStartup(ctx context.Context, l *setup) ([]row, error) {
	const runs = 10
	w, err := l.newProject()
	if err != nil {
		return nil, err
	}
	var took []time.Duration
	var memory []float64
	for i := range runs + 1 {
		idle, err := l.idle(ctx, w)
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first start reads the program from the disk
			took = append(took, idle.start)
		}
		memory = append(memory, idle.size)
	}
	t, m := median(took), median(memory)
	return []row{
		{
			what: "start to initialize answered", target: "≤ 30 ms", got: fmt.Sprintf(
				"%s (slowest %s)", ms(t), ms(quantile(took, 1)),
			),
			ok:  t <= 30*time.Millisecond,
			how: fmt.Sprintf("From the start of the process to the parsed answer; median of %d.", runs),
		},
		{
			what: "idle memory (RSS)", target: "≤ 40 MB", got: fmt.Sprintf("%.1f MB", m), ok: m <= 40,
			how: fmt.Sprintf("Half a second after a small chat was opened; median of %d.", runs+1),
		},
	}, nil
}

// idle is a program that was started, half a second after a small chat was opened.
type idle struct {
	start    time.Duration // until the answer to initialize
	size     float64       // of its memory, in MB
	children int           // processes that it has started; 0 where that is unknown
}

func (l *setup) idle(ctx context.Context, w *project, args ...string) (i idle, err error) {
	began := time.Now()
	e, err := l.startEditor(ctx, w, args...)
	if err != nil {
		return i, err
	}
	defer e.quit()
	i.start = time.Since(began)
	if err := e.open(w.uri("idle.chat.md"), question); err != nil {
		return i, err
	}
	time.Sleep(500 * time.Millisecond)
	pid := e.cmd.Process.Pid
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	i.children = len(strings.Fields(string(children)))
	i.size, err = residentSize(ctx, pid)
	return i, err
}

// residentSize returns a process's resident memory in MB (10^6 bytes).
func residentSize(ctx context.Context, pid int) (float64, error) {
	var kib string
	if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
		_, after, _ := strings.Cut(string(status), "VmRSS:")
		kib, _, _ = strings.Cut(after, "kB")
	} else {
		out, err := exec.CommandContext(ctx, "ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output() //nolint:gosec // a number
		if err != nil {
			return 0, fmt.Errorf("ps: %w", err)
		}
		kib = string(out)
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(kib), 64)
	return n * 1024 / 1e6, err
}
