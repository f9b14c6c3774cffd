package toolcall

// scanPythonValue ends with the bracket that balances the first, Python's strings considered.
func scanPythonValue(*reader) scanner {
	var python pythonScan
	return scanFunc(func(body []byte) (verdict, int) {
		b := body[len(body)-1]
		if !python.started && !isSpace(b) && b != '[' && b != '{' {
			return notCall, 0
		}
		if python.next(b) {
			return whole, 0
		}
		return more, 0
	})
}

// scanDicts is scanPythonValue for a list without a marker.
func scanDicts(r *reader) scanner {
	value := scanPythonValue(r)
	gate := keyGate{}
	return scanFunc(func(body []byte) (verdict, int) {
		if !gate.open(body) {
			return notCall, 0
		}
		return value.next(body)
	})
}
