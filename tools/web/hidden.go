package web

import (
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// unseen are elements that browsers do not show, whatever the style.
var unseen = []string{"canvas", "datalist", "noscript", "template"}

// hider takes out of a page what it hides from people.
type hider struct {
	styles *styles
	parts  int // with text, that were taken out
}

// inherited is what an element has of those that it is in.
type inherited struct{ invisible, tiny bool }

// hide takes out of a page what it hides from people, and returns how many parts with text that were. cut: not all its
// rules were used. The page as a whole is never hidden: scripts show many pages once they are loaded.
func hide(doc *html.Node) (parts int, cut bool) {
	h := hider{styles: readStyles(doc)}
	h.children(doc, inherited{})
	return h.parts, h.styles.cut
}

func (h *hider) children(of *html.Node, in inherited) {
	for n := of.FirstChild; n != nil; {
		next := n.NextSibling
		switch n.Type {
		case html.ElementNode:
			h.element(n, in)
		case html.TextNode:
			if in.invisible || in.tiny {
				h.remove(n)
			}
		case html.CommentNode:
			of.RemoveChild(n)
		default:
		}
		n = next
	}
}

func (h *hider) element(n *html.Node, in inherited) {
	if n.Data == "head" || n.Data == "script" || n.Data == "style" {
		return
	}
	style := look{h.styles.of[n]}
	if n.Data != "html" && n.Data != "body" {
		if slices.Contains(unseen, n.Data) || hiddenByAttribute(n) || style.hidden() {
			h.remove(n)
			return
		}
		in = style.inherit(in)
	}
	if in.invisible && n.FirstChild == nil { // a picture
		h.remove(n)
		return
	}
	h.children(n, in)
}

// remove takes something out, and counts it if there was something to read.
func (h *hider) remove(n *html.Node) {
	has := func(n *html.Node) bool {
		return n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" || attribute(n, "alt") != ""
	}
	readable := has(n)
	for below := range n.Descendants() {
		readable = readable || has(below)
	}
	if readable {
		h.parts++
	}
	n.Parent.RemoveChild(n)
}

func hiddenByAttribute(n *html.Node) bool {
	is := func(name string) bool {
		return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
	}
	return is("hidden") || strings.EqualFold(strings.TrimSpace(attribute(n, "aria-hidden")), "true") ||
		n.Data == "dialog" && !is("open")
}

// look is the style of one element, as far as it may hide something.
type look struct{ of map[string]declaration }

func (l look) is(name string, values ...string) bool {
	return slices.Contains(values, l.of[name].value)
}

// far is how many pixels something lies beside a page that nobody sees there.
const far = 500

// hidden reports whether nothing in an element can be seen.
func (l look) hidden() bool {
	clips := func(name string) bool { return l.is(name, "hidden", "clip", "hidden hidden", "clip clip") }
	faint := func(n float64) bool { return n < 0.05 }
	small := func(n float64) bool { return n <= 1 }
	away := func(n float64) bool { return n <= -far }
	placed := l.is("position", "absolute", "fixed")
	return l.is("display", "none") || l.is("content-visibility", "hidden") || l.hasLength(faint, "opacity") ||
		slices.ContainsFunc([]string{"overflow", "overflow-x", "overflow-y"}, clips) &&
			l.hasLength(small, "width", "height", "max-width", "max-height") ||
		placed && (l.hasLength(away, "left", "right", "top", "bottom", "inset") || l.clipped()) ||
		l.hasLength(away, "text-indent", "margin-left", "margin-top") || l.cutOff() || l.transformed()
}

// inherit is what those in an element have of it.
func (l look) inherit(in inherited) inherited {
	switch {
	case l.is("visibility", "hidden", "collapse"):
		in.invisible = true
	case l.is("visibility", "visible", "initial"):
		in.invisible = false
	}
	for _, name := range []string{"font", "font-size"} {
		d, ok := l.of[name]
		if !ok || l.is(name, "inherit", "unset") {
			continue
		}
		sizes := lengths(d.value)
		relative := len(sizes) > 0 && (sizes[0].unit == "em" || sizes[0].unit == "%")
		if tiny := len(sizes) > 0 && sizes[0].pixels < 1 && (!relative || sizes[0].pixels == 0); tiny || !relative {
			in.tiny = tiny
		}
	}
	return in
}

// hasLength reports whether some length in the values of some properties is as it is asked.
func (l look) hasLength(is func(float64) bool, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		d, ok := l.of[name]
		return ok && !strings.Contains(d.value, "(") &&
			slices.ContainsFunc(lengths(d.value), func(n length) bool { return is(n.pixels) })
	})
}

// clipped reports whether the old clip leaves nothing: rect(top, right, bottom, left).
func (l look) clipped() bool {
	n := lengths(l.of["clip"].value)
	return strings.HasPrefix(l.of["clip"].value, "rect(") && len(n) == 4 &&
		(n[1].pixels <= n[3].pixels || n[2].pixels <= n[0].pixels)
}

// cutOff reports whether a path leaves nothing.
func (l look) cutOff() bool {
	value := l.of["clip-path"].value
	n := lengths(value)
	return len(n) > 0 &&
		(strings.HasPrefix(value, "inset(") && n[0].unit == "%" && n[0].number >= 50 ||
			strings.HasPrefix(value, "circle(") && n[0].number == 0)
}

var transforms = lazyregexp.New(`(scale|translate)[xy3d]*\(([^)]*)\)`)

// transformed reports whether something is made nothing, or moved away.
func (l look) transformed() bool {
	if n := lengths(l.of["scale"].value); len(n) > 0 && n[0].number == 0 {
		return true
	}
	for _, m := range transforms().FindAllStringSubmatch(l.of["transform"].value, -1) {
		for _, n := range lengths(m[2]) {
			if m[1] == "scale" && n.number == 0 || m[1] == "translate" && n.unit != "%" && n.pixels <= -far {
				return true
			}
		}
	}
	return false
}

// length is a number in a value.
type length struct {
	number float64
	unit   string
	pixels float64 // about
}

var numbers = lazyregexp.New(`(^|[\s,(/])([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)([a-z%]*)`)

// lengths are the numbers in a value.
func lengths(value string) (all []length) {
	for _, m := range numbers().FindAllStringSubmatch(value, -1) {
		n, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			continue
		}
		l := length{number: n, unit: m[3], pixels: n}
		switch m[3] {
		case "em", "rem", "ex", "ch", "vw", "vh", "pc", "mm":
			l.pixels = n * 16 // or less: what is far away is far in any of them
		case "in", "cm":
			l.pixels = n * 96
		case "%":
			l.pixels = n / 100
		}
		all = append(all, l)
	}
	return all
}
