package wire

import (
	"context"
	"errors"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/internal/visible"
)

// lineColumns is how many columns of a message fit into one line of an editor of 80: Neovim asks for a key after 68,
// takes no edits until it has one, and puts up to 16 in front ("assent: -32803: ").
const lineColumns = 52

// maxLogged is how many characters of a message that was cut go into the editor's log.
const maxLogged = 4 << 10

// ShowMessage shows one sentence to the user.
func (c *Client) ShowMessage(ctx context.Context, kind protocol.MessageType, text string) error {
	return c.Notify(ctx, "window/showMessage", c.message(kind, text))
}

// ShowNow is ShowMessage that never waits for room: a run must end even if the editor reads nothing. It is for what is
// said a few times in a run.
func (c *Client) ShowNow(kind protocol.MessageType, text string) error {
	return c.send("", "window/showMessage", c.message(kind, text))
}

// takesLong names clients, by clientInfo.name, that show a message of any length without asking for a key, and do not
// say so.
var takesLong = map[string]bool{"helix": true, "Eglot": true}

// showsAll reports whether the editor shows a message of any length without asking for a key: it says so, or is known
// for it, or it is ALE, which opens a window for a long one.
func (c *Client) showsAll() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.assumed || takesLong[c.info.Name] || c.caps.Assent().Messages
}

func (c *Client) message(kind protocol.MessageType, text string) protocol.ShowMessageParams {
	if !c.showsAll() {
		kind = max(kind, protocol.MessageTypeWarning) // Neovim 0.12 asks for a key when two errors come at once
	}
	return protocol.ShowMessageParams{Type: kind, Message: c.fit(text)}
}

// refusal is an error as it is answered: editors show that, too.
func (c *Client) refusal(err error) error {
	var wire *jsonrpc2.Error
	if !errors.As(wireError(err), &wire) {
		return err
	}
	shown := *wire
	shown.Message = c.fit(wire.Message)
	return &shown
}

// fit makes a text one that the editor shows without asking for a key: one short line, and the whole in the editor's
// log.
func (c *Client) fit(text string) string {
	if c.showsAll() {
		return inMessage(text)
	}
	whole := inMessage(visible.Line(text))
	short := cut(whole, lineColumns)
	if short != whole {
		_ = c.send(
			"", "window/logMessage",
			protocol.LogMessageParams{Type: protocol.MessageTypeWarning, Message: visible.Shorten(whole, maxLogged)},
		)
	}
	return short
}

// cut leaves out the end of a line that has more than most columns. All that is not ASCII counts as two.
func cut(line string, most int) string {
	const mark = " …"
	width, end := 0, 0
	for i, r := range line {
		if width <= most-columns(mark) {
			end = i
		}
		if width += columns(string(r)); width > most {
			return strings.TrimRight(line[:end], " ") + mark
		}
	}
	return line
}

func columns(s string) (n int) {
	for _, r := range s {
		n++
		if r > 0x7f {
			n++
		}
	}
	return n
}

// inMessage makes words that others wrote harmless in what an editor shows beside a document: nothing hidden, and no
// link, since VS Code takes "[label](command:…)" in a message for a button that runs a command of its own.
func inMessage(text string) string { return strings.ReplaceAll(visible.Text(text), "](", "] (") }
