package servers

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/transport"
	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/mcp"
)

const (
	connectTime    = 3 * time.Second // that a server may take to accept a connection
	maxCertificate = 1 << 20
)

// Dial connects to an address.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// way is how servers are reached.
type way struct {
	network *network.Network
	dial    Dial // over TCP, in place of the network; nil: by the network
}

// client reaches a server, and nothing else: no proxy of the environment, and no redirect, which would carry the user's
// files elsewhere.
func (d Declaration) client(w way) (*http.Client, error) {
	by := transport.By()
	by.Who += " " + d.Name
	dialer, dial := w.network.Dialer(by, connectTime), w.dial
	if dial == nil {
		dial = dialer.DialContext
	}
	over := transport.New(w.network, nil)
	over.DialContext = dial
	if d.Socket != "" {
		path, err := diskfile.FromHome(d.Socket)
		if err != nil {
			return nil, err
		}
		over.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", path)
		}
	}
	trusted, err := d.certificates()
	if err != nil {
		return nil, fmt.Errorf("the server %s cannot be asked: %w", d.Name, err)
	}
	over.TLSClientConfig = trusted
	return &http.Client{
		Transport:     certified{d, over},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// certificates are those that are trusted, and the one that the server is shown; nil: those of the system, and none.
func (d Declaration) certificates() (*tls.Config, error) {
	if d.CA == "" && d.Certificate == "" {
		return nil, nil //nolint:nilnil // nothing is declared
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if d.CA != "" {
		data, err := readFile("ca", d.CA)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("the file %s, which ca names, holds no certificate in PEM", d.CA)
		}
	}
	if d.Certificate != "" {
		own, err := readFile("certificate", d.Certificate)
		if err != nil {
			return nil, err
		}
		key, err := readFile("certificateKey", d.CertificateKey)
		if err != nil {
			return nil, err
		}
		pair, err := tls.X509KeyPair(own, key)
		if err != nil { // which may quote what is in the files
			return nil, fmt.Errorf(
				"the files %s and %s are no certificate with its key in PEM", d.Certificate, d.CertificateKey,
			)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

func readFile(key, name string) ([]byte, error) {
	path, err := diskfile.FromHome(name)
	if err != nil {
		return nil, err
	}
	data, err := diskfile.ReadSmall(path, maxCertificate)
	if err != nil || len(data) == 0 {
		return nil, fmt.Errorf("the file %s, which %s names, cannot be read or is empty", name, key)
	}
	return data, nil
}

// saidError is a sentence about a key or a certificate, on its way through a client that knows nothing of either.
type saidError struct {
	kind     model.Kind
	sentence string
	cause    error
}

func (e *saidError) Error() string { return e.sentence }

// failure is the error as a backend gives it.
func (e *saidError) failure() *model.Error {
	return &model.Error{Kind: e.kind, Sentence: e.sentence, Cause: e}
}

// Unwrap gives the cause, for errors.Is.
func (e *saidError) Unwrap() error { return e.cause }

// certified explains a failed connection by what is wrong with a certificate.
type certified struct {
	Declaration

	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (c certified) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.next.RoundTrip(r)
	if err == nil {
		return resp, nil
	}
	if why := c.distrust(err); why != "" {
		sentence := fmt.Sprintf("The server %s at %s was not asked: %s.", c.Name, c.Place(), why)
		return nil, (&saidError{model.Unreachable, sentence, err}).failure()
	}
	return nil, err
}

// distrust says why the two do not trust each other, without the end of a sentence; empty: that is not what is wrong.
func (c certified) distrust(err error) string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		if c.CA != "" {
			return "its certificate was not given by the authority in " + c.CA + ", which ca names"
		}
		return "nobody vouches for its certificate; name the file of its authority with ca"
	}
	if wrong, ok := errors.AsType[x509.HostnameError](err); ok {
		return fmt.Sprintf(
			"its certificate is not for the host %s; correct the url or the certificate", visible.Line(wrong.Host),
		)
	}
	if wrong, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		if wrong.Reason == x509.Expired {
			return "its certificate has expired or is not valid yet; renew it, or set the clock of this machine"
		}
		return "its certificate is not valid"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "its certificate is not valid"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "it does not speak TLS; write http:// if that is meant"
	}
	if alert, ok := errors.AsType[*net.OpError](err); ok && alert.Op == "remote error" {
		if c.Certificate == "" {
			return fmt.Sprintf(
				"it refuses the connection (%v); if it wants a certificate, name it with certificate and "+
					"certificateKey",
				alert.Err,
			)
		}
		return fmt.Sprintf("it refuses the certificate in %s (%v)", c.Certificate, alert.Err)
	}
	return ""
}

// headers are those that each request carries, with what their references stand for.
func (d Declaration) headers() (http.Header, error) {
	out := http.Header{}
	for name, text := range d.Headers {
		value, _, err := mcp.Secret(fmt.Sprintf("the header %s of the server %s", visible.Line(name), d.Name), text)
		if err != nil {
			return nil, err
		}
		out.Set(name, value)
	}
	return out, nil
}
