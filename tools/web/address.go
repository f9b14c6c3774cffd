package web

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/web/address"
)

const maxURL = 2_000

// parse reads an address that a model or a page gave. The error is a sentence without its end.
func parse(text string) (*url.URL, error) {
	if len(text) > maxURL || visible.Text(text) != text || strings.ContainsAny(text, " \t\r\n\\") {
		return nil, fmt.Errorf("the address is longer than %d bytes, or holds characters that no address has", maxURL)
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("the address cannot be read: write it whole, such as https://example.org/page")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "":
		return nil, errors.New("the address must begin with https:// or http://")
	case u.User != nil:
		return nil, errors.New("the address must hold no user name and no password")
	}
	host, err := address.Host(u.Hostname())
	if err != nil {
		return nil, err
	}
	u.Host = address.Place{Host: host, Port: u.Port()}.String()
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}
