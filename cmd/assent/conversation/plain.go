package conversation

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// plainEditor is the Editor at a terminal that knows no control sequences: the system has a person change a line until
// they end it.
type plainEditor struct {
	device Device
	lines  *bufio.Reader
}

// NewPlainEditor makes an Editor at a terminal that cannot move its cursor.
func NewPlainEditor(device Device) Editor {
	return &plainEditor{device, bufio.NewReader(device)}
}

// Read implements Editor.
func (e *plainEditor) Read(ctx context.Context) (Message, error) {
	e.device.Resume()
	defer context.AfterFunc(ctx, func() { e.device.Interrupt() })()
	var text strings.Builder
	for {
		_, _ = io.WriteString(e.device, prompt) // a terminal that is gone shows nothing
		line, err := e.lines.ReadString('\n')
		if ctx.Err() != nil {
			return Message{}, ctx.Err()
		}
		line = strings.TrimRight(line, "\r\n")
		goesOn := strings.HasSuffix(line, `\`) && err == nil
		if goesOn {
			line = strings.TrimSuffix(line, `\`)
		}
		text.WriteString(line)
		if goesOn {
			text.WriteByte('\n')
			continue
		}
		if err != nil && text.Len() == 0 {
			_, _ = io.WriteString(e.device, "\n") // as above
			return Message{}, err
		}
		return Message{text.String(), text.String()}, nil
	}
}
