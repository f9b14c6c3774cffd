package changes

import "golang.org/x/sys/unix"

// Left says what a command left of a file that lay between the disk and its layer: touched is false if that is as it
// was; text is nil if the file is gone, or is no file any more. ok is false if it cannot be read or is too large.
func Left(l *Layer, rel string, most int64) (text *string, touched, ok bool) {
	upper, err := openTree(l.Upper)
	if err != nil {
		return nil, false, false
	}
	defer upper.close()
	is, err := upper.lstat(rel)
	switch {
	case err != nil:
		return nil, false, false
	case is.missing():
		gone, err := hides(upper, rel)
		return nil, gone, err == nil
	case is.kind() != unix.S_IFREG:
		return nil, true, true
	}
	text, ok = readText(l.Upper, rel, most)
	return text, true, ok
}
