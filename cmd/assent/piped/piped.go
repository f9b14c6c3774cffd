// Package piped reads what is piped into the program. It cuts nothing off, takes nothing but text, and never hangs
// where nothing comes.
package piped

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/assent-ls/assent/cmd/assent/terminal"
)

// Block is the name of the context block that shows piped input in a chat.
const Block = "piped input"

// Limit is how many bytes may be piped in. More fits into no context.
const Limit = 1 << 20

// patience is how long an input may give nothing.
const patience = time.Second

// ErrSilent says that an input gave neither a byte nor its end, and was left unread.
var ErrSilent = errors.New(
	"nothing came on standard input within a second, so it was left unread. " +
		"To send the output of a slow program, write it to a file and redirect that: `< FILE`",
)

// Beside returns what is piped in beside a message; empty: nothing is. An input that is silent is ErrSilent, unless it
// is a file.
func Beside(ctx context.Context, in io.Reader, tell func(sentence string)) (string, error) {
	if terminal.Is(in) {
		return "", nil
	}
	return read(ctx, in, false, tell)
}

// Whole returns all of an input, however long it takes to come.
func Whole(ctx context.Context, in io.Reader, tell func(sentence string)) (string, error) {
	return read(ctx, in, true, tell)
}

// read reads up to the end, which it says that it waits for. Other errors than ErrSilent and the context's are
// sentences for the user.
func read(ctx context.Context, in io.Reader, silent bool, tell func(sentence string)) (string, error) {
	f, isFile := in.(*os.File)
	var data []byte
	buf := make([]byte, 64<<10)
	for most := patience; ; {
		if isFile {
			ready, err := await(ctx, f, most)
			switch {
			case err != nil:
				return "", err
			case !ready && len(data) == 0 && !silent:
				return "", ErrSilent
			case !ready:
				tell("waiting for the end of standard input")
				most = 0
				continue
			}
		}
		n, err := in.Read(buf)
		data = append(data, buf[:n]...)
		switch {
		case len(data) > Limit:
			return "", fmt.Errorf(
				"standard input has more than %d MB, so nothing was sent: pipe in a part of it", Limit>>20,
			)
		case errors.Is(err, io.EOF), len(data) == 0 && errors.Is(err, syscall.EBADF):
			// nohup opens it for writing alone
			return text(data)
		case err != nil:
			return "", fmt.Errorf("standard input cannot be read: %w", err)
		}
	}
}

// text is what people and models can read of an input; blanks alone are nothing.
func text(data []byte) (string, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size <= 1 || r == 0 {
			return "", fmt.Errorf(
				"standard input is not UTF-8 text (byte %d is 0x%02x), so nothing was sent: convert it first", at+1,
				data[at],
			)
		}
		at += size
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return "", nil
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data)), nil
}
