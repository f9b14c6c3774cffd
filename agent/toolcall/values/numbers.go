package values

import (
	"encoding/json"
	"strconv"
	"strings"
)

// spelledOddly reports whether a number has a leading zero, a plus or a base: it may be a mode or a telephone number,
// so it stays text until a schema wants a number.
func spelledOddly(number string) bool {
	digits := strings.TrimPrefix(number, "-")
	return digits[0] == '+' || strings.ContainsAny(digits, "xX") ||
		len(digits) > 1 && digits[0] == '0' && digits[1] != '.' && digits[1] != 'e' && digits[1] != 'E'
}

// numberOf reads a number in JSON's or Python's notation. A leading zero means nothing.
func numberOf(word string) (json.RawMessage, bool) {
	plain := strings.TrimPrefix(strings.ReplaceAll(word, "_", ""), "+")
	if !strings.ContainsAny(plain, "0123456789") || strings.Trim(plain, "0123456789+-.xXabcdefABCDEF") != "" ||
		strings.IndexByte("0123456789-.", plain[0]) < 0 {
		return nil, false
	}
	if validJSON(plain) {
		return json.RawMessage(plain), true
	}
	if strings.ContainsAny(plain, "xX") {
		n, err := strconv.ParseInt(plain, 0, 64)
		return json.RawMessage(strconv.FormatInt(n, 10)), err == nil
	}
	if short := withoutZeros(plain); validJSON(short) {
		return json.RawMessage(short), true
	}
	if f, err := strconv.ParseFloat(plain, 64); err == nil {
		if text, err := json.Marshal(f); err == nil {
			return text, true
		}
	}
	return nil, false
}

// withoutZeros drops the zeros that a decimal number begins with, but the last one before the point.
func withoutZeros(number string) string {
	digits := strings.TrimPrefix(number, "-")
	short := strings.TrimLeft(digits, "0")
	if short == "" || short[0] < '0' || short[0] > '9' {
		short = "0" + short
	}
	return number[:len(number)-len(digits)] + short
}

// IsNumber reports whether a JSON value is a number.
func IsNumber(value json.RawMessage) bool {
	return value[0] == '-' || value[0] >= '0' && value[0] <= '9'
}

// integerOf reads a whole number; "5.0" is one.
func integerOf(word string) (json.RawMessage, bool) {
	number, ok := numberOf(word)
	if !ok {
		return nil, false
	}
	whole, fraction, _ := strings.Cut(string(number), ".")
	if strings.Trim(fraction, "0") != "" || strings.ContainsAny(string(number), "eE") {
		return nil, false
	}
	return json.RawMessage(whole), true
}
