package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// startLimit is how long all starts of the program may take, on a machine that is busy.
const startLimit = 5 * time.Minute

// start runs a program as people do, with `--version` and `doctor`, and as an editor does, and prints what it says about
// itself.
func start(ctx context.Context, program string, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	version, err := exec.CommandContext(ctx, program, "--version").Output()
	if err != nil || !strings.HasPrefix(string(version), "assent ") {
		return fmt.Errorf("--version prints %q: %v", version, err) //nolint:errorlint // there may be no error
	}
	fmt.Fprint(out, string(version))
	// The doctor ends with 1 where something is missing on this machine.
	report, err := exec.CommandContext(ctx, program, "doctor").CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		err = nil
	}
	if err != nil || len(report) == 0 {
		return fmt.Errorf("doctor prints %q: %v", report, err) //nolint:errorlint // there may be no error
	}
	fmt.Fprintf(out, "doctor: %d lines\n", bytes.Count(report, []byte("\n")))
	name, err := serverOf(ctx, program)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	fmt.Fprintf(out, "serve: %s\n", name)
	return nil
}

// serverOf starts the language server, and returns the name that it gives to an editor, after it ended as it should.
func serverOf(ctx context.Context, program string) (string, error) {
	server := exec.CommandContext(ctx, program, "serve")
	in, err := server.StdinPipe()
	if err != nil {
		return "", err
	}
	said, err := server.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := server.Start(); err != nil {
		return "", err
	}
	name, err := handshake(in, bufio.NewReader(said))
	return name, errors.Join(err, in.Close(), server.Wait())
}

// handshake begins and ends a session of the Language Server Protocol, and returns the server's name.
func handshake(in io.Writer, said *bufio.Reader) (string, error) {
	answer := struct {
		ID     int
		Result struct{ ServerInfo struct{ Name string } }
		Error  any
	}{}
	for id, step := range []string{
		`"id":0,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}`,
		`"id":1,"method":"shutdown"`,
	} {
		if err := send(in, step); err != nil {
			return "", err
		}
		for {
			message, err := receive(said)
			if err != nil {
				return "", err
			}
			asked := struct{ Method string }{}
			if err := json.Unmarshal(message, &asked); err != nil {
				return "", err
			}
			if asked.Method != "" {
				continue // something that the server tells
			}
			if err := json.Unmarshal(message, &answer); err != nil {
				return "", err
			}
			if answer.ID != id || answer.Error != nil {
				return "", fmt.Errorf("it answers %s to %s", message, step)
			}
			break
		}
	}
	if answer.Result.ServerInfo.Name == "" {
		return "", errors.New("it gives no name")
	}
	return answer.Result.ServerInfo.Name, send(in, `"method":"exit"`)
}

func send(in io.Writer, rest string) error {
	message := `{"jsonrpc":"2.0",` + rest + `}`
	_, err := fmt.Fprintf(in, "Content-Length: %d\r\n\r\n%s", len(message), message)
	return err
}

func receive(said *bufio.Reader) ([]byte, error) {
	header, err := textproto.NewReader(said).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return nil, err
	}
	message := make([]byte, length)
	_, err = io.ReadFull(said, message)
	return message, err
}
