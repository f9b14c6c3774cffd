package visible

import "strconv"

// Foreign is a text of somebody else, such as what a server says about its tools, for people to read. It can pass for
// nothing else, since it comes out only on one line, of bounded length, with hidden characters shown, and marked as a
// quotation where it is among other words.
type Foreign struct{ text string }

// ForeignText is a text as somebody else wrote it.
func ForeignText(text string) Foreign { return Foreign{text} }

// IsEmpty reports whether it says nothing.
func (f Foreign) IsEmpty() bool { return f.text == "" }

// Line is the text where it stands alone: on one line, of about most characters.
func (f Foreign) Line(most int) string { return Shorten(Line(f.text), most) }

// Quote is the text among other words: as Line, in quotation marks.
func (f Foreign) Quote(most int) string { return strconv.Quote(f.Line(most)) }

// usual is how much of a text is shown where nobody says how much.
const usual = 200

// String implements fmt.Stringer, so that no format prints the text as it is.
func (f Foreign) String() string { return f.Quote(usual) }

// GoString implements fmt.GoStringer, likewise.
func (f Foreign) GoString() string { return f.Quote(usual) }
