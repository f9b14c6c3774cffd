package mcp

import (
	"errors"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func (s *server) remote(launch) (sdk.Transport, error) {
	return nil, errors.New("not yet")
}
