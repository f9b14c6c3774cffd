package toolcall

import (
	"bytes"
	"regexp"
)

// quoting follows the Markdown of visible prose far enough to know whether a marker is only quoted: in a code fence, in a
// code span, in a block quote, or right after a quotation mark.
type quoting struct {
	text      bool // the line has something besides blanks
	run       int  // length of the run of fence characters that is being read
	runByte   byte
	runLeads  bool // that run began the line
	code      int  // length of the run that opened a code span; 0: none
	fence     int  // length of the run that opened a code fence; 0: none
	fenceByte byte
	closing   bool // the line closes the fence if nothing else follows on it
	blockLine bool // the line began with ">"
	mark      bool // the line is ">" so far
}

// lineStart reports whether only blanks stand on the line so far.
func (q *quoting) lineStart() bool { return !q.text && q.fence == 0 }

// next takes one byte of prose.
func (q *quoting) next(b byte) {
	if (b == '`' || b == '~') && (q.run == 0 || b == q.runByte) {
		if q.run == 0 {
			q.runByte, q.runLeads = b, !q.text
		}
		q.run++
		q.text = true
		return
	}
	q.endRun()
	switch {
	case b == '\n':
		if q.closing {
			q.fence = 0
		}
		q.text, q.code, q.closing, q.blockLine = false, 0, false, false
	case b == ' ' && q.mark: // ">" and a blank begin a quotation; ">>>" does not
		q.blockLine = true
		q.mark = false
	case !isSpace(b):
		q.closing = false
		q.mark = !q.text && b == '>' && q.fence == 0
		q.text = true
	}
}

// endRun decides what a run of fence characters was.
func (q *quoting) endRun() {
	run := q.run
	q.run = 0
	switch {
	case run == 0:
	case q.fence > 0:
		q.closing = q.runLeads && q.runByte == q.fenceByte && run >= q.fence
	case q.runLeads && run >= 3:
		q.fence, q.fenceByte = run, q.runByte
	case q.runByte == '~':
	case q.code == 0:
		q.code = run
	case q.code == run:
		q.code = 0
	}
}

// quoted reports whether a marker that begins now would only be quoted; before is the byte in front of it.
func (q *quoting) quoted(before byte) bool {
	switch before {
	case '`', '"', '\'':
		return true
	}
	return q.fence > 0 && !q.closing || q.code > 0 || q.blockLine
}

var announcement = regexp.MustCompile(`(?i)\b(?:(?:example|for instance|e\.g\.|such as|syntax|template)\b.*|(?:write|writes|written|writing|emit|emits|output|outputs|print|prints|say|says|type|types|like|as|is|form|shape|format)\s*:?\s*)$`)

// announces reports whether a marker after this prose is only quoted: its line speaks of it, or a sentence quotes somebody.
func announces(prose []byte) bool {
	return len(prose) > 0 && (announcement.Match(prose[bytes.LastIndexByte(prose, '\n')+1:]) || reporting.Match(prose))
}
