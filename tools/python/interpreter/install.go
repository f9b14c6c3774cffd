package interpreter

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

//go:embed install.sh
var installScript string

// Install builds the interpreter into a folder, with install.sh, and tells its progress. It downloads packages; start
// starts the script, as network.Network does.
func Install(ctx context.Context, folder string, progress io.Writer, start func(*exec.Cmd) error) error {
	cmd := exec.CommandContext(ctx, "bash", "-s", "--", folder)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(installScript), progress, progress
	err := start(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		return fmt.Errorf("the Python interpreter was not built: %w", err)
	}
	return nil
}
