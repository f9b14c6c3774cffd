package interpreter

import (
	"bytes"
	"context"
	_ "embed" // the script
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed install.sh
var script []byte

// Install builds the interpreter into a folder, such as Home, and tells its progress in lines. It takes about two
// minutes and needs Debian's package manager; its error says what is missing. A folder that is up to date stays.
// The script is begun by start, which is that of package network.
func Install(ctx context.Context, start func(*exec.Cmd) error, folder string, progress io.Writer) error {
	bash, err := exec.LookPath("bash")
	if err != nil {
		return errors.New("building the Python interpreter needs bash, and Debian's package manager; " +
			"copy the folder python/ of a release instead")
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, bash, "-s", "--", folder) //nolint:gosec // our own script
	cmd.Stdin, cmd.Stderr = bytes.NewReader(script), progress
	cmd.Dir = filepath.Dir(folder)
	if err := start(cmd); err != nil {
		return fmt.Errorf("the Python interpreter cannot be built: %w", err)
	}
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("the Python interpreter was not built: the lines above say why (%w)", err)
	}
	return nil
}
