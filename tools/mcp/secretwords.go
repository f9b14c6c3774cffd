package mcp

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/assent-ls/assent/tools/arguments"
)

// Words that name what no server may ask for in a form. The long ones are found within others.
var (
	secretParts = strings.Fields(
		"passw passphrase passcode secret apikey credential privatekey cardnumber",
	)
	secretWords = strings.Fields(
		"token pin cvv cvc password passphrase passcode apikey accesskey privatekey cardnumber",
	)
)

// noticeOf is what a person should know before they answer.
func noticeOf(server, says string, fields []arguments.FormField) string {
	notice := fmt.Sprintf("What you answer goes to the server %s.", server)
	texts := []string{says}
	for _, f := range fields {
		texts = append(texts, f.Name, f.Title, f.About)
	}
	if slices.ContainsFunc(texts, namesSecret) {
		notice += " It seems to ask for a secret, which a server must not do in this way."
	}
	return notice
}

// namesSecret looks for whole words, also for those that are written as two: "api key", "pass-word".
func namesSecret(text string) bool {
	before := ""
	for _, word := range wordsOf(text) {
		if slices.ContainsFunc(secretParts, func(part string) bool { return strings.Contains(word, part) }) {
			return true
		}
		for _, whole := range []string{word, before + word} {
			if slices.Contains(secretWords, strings.TrimSuffix(whole, "s")) {
				return true
			}
		}
		before = word
	}
	return false
}

// wordsOf are the words of a text in small letters; a capital letter behind a small one begins one, as in apiKey.
func wordsOf(text string) []string {
	var b strings.Builder
	small := false
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case small && unicode.IsUpper(r):
			b.WriteByte(' ')
		}
		small = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}
