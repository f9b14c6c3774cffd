package login

import (
	"net/http"
	"net/url"
)

// Outside is the way to authorization servers that a server names.
func Outside(server string, inside bool) *http.Client {
	u, err := url.Parse(server)
	if err != nil {
		panic(err)
	}
	return (&Account{URL: u}).outside(inside, nil).client()
}
