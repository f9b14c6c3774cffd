// Package websocket carries the Model Context Protocol over WebSocket, for clients and servers: one message is one text
// frame.
package websocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Subprotocol is what both sides must name when they connect.
const Subprotocol = "mcp"

// MaxMessage is how many bytes a message may have. A longer one ends the connection.
const MaxMessage = 16 << 20

// writeLimit is how long a message may take to be sent.
const writeLimit = 30 * time.Second

// Dialer is the transport of a client: it connects to a server.
type Dialer struct {
	URL    string      // ws or wss
	Header http.Header // sent with the request, such as Authorization
	Client *http.Client
	Read   func([]byte) []byte // what is taken of a message of the server; nil: all of it
}

// Connect implements mcp.Transport.
func (d *Dialer) Connect(ctx context.Context) (mcp.Connection, error) {
	if d.Client == nil { // the library would take the client of the whole program
		return nil, errors.New("there is no client to connect with")
	}
	conn, response, err := websocket.Dial(ctx, d.URL, &websocket.DialOptions{
		HTTPClient: d.Client, HTTPHeader: d.Header, Subprotocols: []string{Subprotocol},
	})
	if response != nil && response.Body != nil {
		_ = response.Body.Close() // nothing is read of it
	}
	if err != nil {
		return nil, err
	}
	if conn.Subprotocol() != Subprotocol {
		_ = conn.Close(websocket.StatusProtocolError, "the subprotocol mcp is needed")
		return nil, fmt.Errorf("%s does not speak the subprotocol %s", d.URL, Subprotocol)
	}
	c := newConnection(conn, 0)
	c.read = d.Read
	return c, nil
}

// accepted is the transport of a server: a client has connected.
type accepted struct{ conn *connection }

// Accept takes a client's request and returns the transport of its session, which ends when no message came or went for
// as long as idle says; 0: it stays. Who may connect is for the caller to check first. After an error the client has
// its answer.
func Accept(w http.ResponseWriter, r *http.Request, idle time.Duration) (mcp.Transport, error) {
	// The caller has checked the origin: the library's own check compares it with the host alone.
	conn, err := websocket.Accept(
		w, r, &websocket.AcceptOptions{Subprotocols: []string{Subprotocol}, InsecureSkipVerify: true},
	)
	if err != nil {
		return nil, err
	}
	if conn.Subprotocol() != Subprotocol {
		_ = conn.Close(websocket.StatusPolicyViolation, "the subprotocol mcp is needed")
		return nil, errors.New("the client does not speak the subprotocol " + Subprotocol)
	}
	return accepted{newConnection(conn, idle)}, nil
}

// Connect implements mcp.Transport.
func (a accepted) Connect(context.Context) (mcp.Connection, error) { return a.conn, nil }

// connection is one side of a connection.
type connection struct {
	conn  *websocket.Conn
	idle  time.Duration
	timer *time.Timer         // nil: the connection stays
	read  func([]byte) []byte // nil: all of a message is taken
	close sync.Once
}

func newConnection(conn *websocket.Conn, idle time.Duration) *connection {
	conn.SetReadLimit(MaxMessage)
	c := &connection{conn: conn, idle: idle}
	if idle > 0 {
		c.timer = time.AfterFunc(
			math.MaxInt64, func() { c.end(websocket.StatusGoingAway, "no message came for too long") },
		)
		c.timer.Reset(idle) // only now, since its function looks at the field
	}
	return c
}

// used puts off the end of an idle connection.
func (c *connection) used() {
	if c.timer != nil {
		c.timer.Reset(c.idle)
	}
}

// Read implements mcp.Connection.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	kind, data, err := c.conn.Read(ctx)
	if err != nil {
		if code := websocket.CloseStatus(err); code == websocket.StatusNormalClosure ||
			code == websocket.StatusGoingAway {
			return nil, io.EOF
		}
		return nil, err
	}
	c.used()
	if kind != websocket.MessageText {
		c.end(websocket.StatusUnsupportedData, "messages are text")
		return nil, errors.New("a message is not text")
	}
	if c.read != nil {
		data = c.read(data)
	}
	message, err := jsonrpc.DecodeMessage(data)
	if err != nil {
		c.end(websocket.StatusInvalidFramePayloadData, "messages are single objects of JSON-RPC 2.0")
		return nil, err
	}
	return message, nil
}

// Write implements mcp.Connection. That a call was cancelled does not cut a message: the library would end the
// connection.
func (c *connection) Write(ctx context.Context, message jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeLimit)
	defer cancel()
	c.used()
	return c.conn.Write(ctx, websocket.MessageText, data)
}

// Close implements mcp.Connection.
func (c *connection) Close() error {
	c.end(websocket.StatusNormalClosure, "")
	return nil
}

// end closes the connection with a code that says why; the first one counts.
func (c *connection) end(code websocket.StatusCode, why string) {
	c.close.Do(func() {
		if c.timer != nil {
			c.timer.Stop()
		}
		_ = c.conn.Close(code, why) // a peer that is gone need not be told
	})
}

// SessionID implements mcp.Connection: the connection is the session.
func (c *connection) SessionID() string { return "" }
