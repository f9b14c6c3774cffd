package quirkserver

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// RoundTrip implements http.RoundTripper: the server answers in memory, for tests with a clock of their own.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(r.Context())
	body, writer := io.Pipe()
	context.AfterFunc(ctx, func() { _ = body.CloseWithError(ctx.Err()) })
	w := &memoryWriter{header: http.Header{}, body: writer, begun: make(chan int, 1)}
	served := r.Clone(ctx)
	if served.Body == nil {
		served.Body = http.NoBody
	}
	go func() {
		s.ServeHTTP(w, served)
		w.WriteHeader(http.StatusOK)
		_ = writer.Close()
	}()
	select {
	case <-ctx.Done():
		cancel()
		return nil, ctx.Err()
	case status := <-w.begun:
		return &http.Response{StatusCode: status, Header: w.sent, Body: &memoryBody{body, cancel}, Request: r}, nil
	}
}

type memoryWriter struct {
	header, sent http.Header
	body         *io.PipeWriter
	begun        chan int
	once         sync.Once
}

// Header implements http.ResponseWriter.
func (w *memoryWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *memoryWriter) WriteHeader(status int) {
	w.once.Do(func() {
		w.sent = w.header.Clone()
		w.begun <- status
	})
}

// Write implements io.Writer.
func (w *memoryWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

// Flush implements http.Flusher.
func (w *memoryWriter) Flush() {}

type memoryBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

// Close implements io.Closer.
func (b *memoryBody) Close() error {
	defer b.cancel()
	return b.PipeReader.Close()
}
