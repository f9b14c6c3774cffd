package servers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/mcp"
)

const (
	keyTime = time.Minute     // that a program may take: a keyring may ask for its password
	keyFor  = 5 * time.Minute // that what a program printed counts: tokens end
	maxKey  = 64 << 10        // bytes
)

// keys gives the key of a server when it is needed. It is safe for concurrent use.
type keys struct {
	Declaration

	network *network.Network

	turn    chan struct{} // has one while somebody looks or runs the program
	printed string        // by the program; who has the turn may read and write it
	at      time.Time     // when
}

func newKeys(d Declaration, n *network.Network) *keys {
	return &keys{Declaration: d, network: n, turn: make(chan struct{}, 1)}
}

// get is the key; empty: the server wants none. Errors are sentences without their end, and never hold the key.
func (k *keys) get(ctx context.Context) (string, error) {
	what := fmt.Sprintf("the key of the server %s", k.Name)
	if len(k.KeyCommand) == 0 {
		key, _, err := mcp.Secret(what, k.Key)
		if err == nil && k.Key != "" && !isKey(key) {
			err = fmt.Errorf("%s is empty or has characters that no key has: see what it refers to", what)
		}
		return key, err
	}
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if k.printed != "" && time.Since(k.at) < keyFor {
		return k.printed, nil
	}
	key, err := k.run(ctx)
	if err == nil && !isKey(key) {
		err = errors.New("prints nothing that can be a key on its first line")
	}
	if err != nil {
		return "", fmt.Errorf("%s is not known: %s %w", what, visible.Line(k.KeyCommand[0]), err)
	}
	k.printed, k.at = key, time.Now()
	return key, nil
}

// isKey reports whether a text can be in a header.
func isKey(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// run starts the program, which prints the key on its first line. What it prints is in no error.
func (k *keys) run(ctx context.Context) (string, error) {
	limited, cancel := context.WithTimeout(ctx, keyTime)
	defer cancel()
	program, err := diskfile.FromHome(k.KeyCommand[0])
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(limited, program, k.KeyCommand[1:]...)
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout = &limit{to: &out, left: maxKey}
	if err = k.network.Start(cmd); err == nil {
		err = cmd.Wait()
	}
	failed, isExit := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case limited.Err() != nil:
		return "", fmt.Errorf("did not end within %v", keyTime)
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("is no program on PATH: correct keyCommand")
	case isExit:
		return "", fmt.Errorf("failed with status %d: run it in a terminal to see why", failed.ExitCode())
	case errors.Is(err, network.ErrOffline):
		return "", fmt.Errorf("was to print it: %w", err)
	case err != nil:
		return "", errors.New("cannot be started: correct keyCommand")
	}
	first, _, _ := strings.Cut(out.String(), "\n")
	return strings.TrimSpace(first), nil
}

// limit keeps the first bytes of what is written.
type limit struct {
	to   io.Writer
	left int
}

// Write implements io.Writer.
func (l *limit) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	if _, err := l.to.Write(p[:n]); err != nil {
		return 0, err
	}
	return len(p), nil
}
