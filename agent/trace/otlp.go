package trace

import "time"

// The types of this file are ExportTraceServiceRequest of OpenTelemetry's protocol, in its JSON: IDs in hexadecimal,
// 64-bit numbers as text.

// schema is the version of the semantic conventions that the names of the attributes are from.
const schema = "https://opentelemetry.io/schemas/1.38.0"

// Kinds of spans.
const (
	kindInternal = 1
	kindClient   = 3
)

type request struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource   attributes   `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
}

type scopeSpans struct {
	Scope     scope  `json:"scope"`
	Spans     []span `json:"spans"`
	SchemaURL string `json:"schemaUrl"`
}

type scope struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type span struct {
	TraceID  string `json:"traceId"`
	ID       string `json:"spanId"`
	ParentID string `json:"parentSpanId,omitempty"`
	Name     string `json:"name"`
	Kind     int    `json:"kind"`
	Start    int64  `json:"startTimeUnixNano,string"`
	End      int64  `json:"endTimeUnixNano,string"`
	attributes
	Status *status `json:"status,omitempty"`

	began time.Time
}

// status is there if an operation failed.
type status struct {
	Message string `json:"message,omitempty"`
	Code    int    `json:"code"`
}

type attributes struct {
	Attributes []attribute `json:"attributes"`

	size int // bytes of the texts, about
}

type attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// value has one of its fields.
type value struct {
	Text   *string  `json:"stringValue,omitempty"`
	Int    *int64   `json:"intValue,omitempty,string"`
	Double *float64 `json:"doubleValue,omitempty"`
	Array  *array   `json:"arrayValue,omitempty"`
}

type array struct {
	Values []value `json:"values"`
}

func (a *attributes) add(key string, v value) {
	a.Attributes = append(a.Attributes, attribute{key, v})
	a.size += len(key) + 40 // its punctuation
	if v.Text != nil {
		a.size += len(*v.Text)
	}
}

// text sets an attribute, unless there is nothing to say.
func (a *attributes) text(key, text string) {
	if text != "" {
		a.add(key, value{Text: &text})
	}
}

// count sets an attribute, unless the number is not known.
func (a *attributes) count(key string, n int) {
	if n > 0 {
		a.add(key, value{Int: new(int64(n))})
	}
}

// seconds sets an attribute, unless it took no time.
func (a *attributes) seconds(key string, d time.Duration) {
	if d > 0 {
		a.add(key, value{Double: new(d.Seconds())})
	}
}

// number sets an attribute that a request has.
func (a *attributes) number(key string, n *float64) {
	if n != nil {
		a.add(key, value{Double: n})
	}
}

// whole sets an attribute that a request has.
func (a *attributes) whole(key string, n *int) {
	if n != nil {
		a.add(key, value{Int: new(int64(*n))})
	}
}

// list sets an attribute with one text.
func (a *attributes) list(key, text string) {
	if text != "" {
		a.add(key, value{Array: &array{[]value{{Text: &text}}}})
	}
}

// fail says that the operation failed. Message is for people; empty: it is not told.
func (s *span) fail(kind, message string) {
	s.text("error.type", kind)
	s.Status = &status{message, 2}
}

// end says when the operation was over.
func (s *span) end(at time.Time) { s.Start, s.End = s.began.UnixNano(), at.UnixNano() }

// request is what is sent of spans.
func (e *Exporter) request(spans []span) request {
	var resource attributes
	resource.text("service.name", "assent")
	resource.text("service.version", e.Version)
	return request{[]resourceSpans{{resource, []scopeSpans{{scope{"assent", e.Version}, spans, schema}}}}}
}
