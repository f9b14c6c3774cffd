package intent

import (
	"strings"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// Forbids reports whether a message says in so many words that no file at all is to change. When in doubt it does not:
// "change nothing else", "don't touch the tests" and "without changing the API" limit a change that is wanted.
func Forbids(message string) bool {
	if len(message) > maxMessage {
		return false
	}
	plain := strings.ToLower(withoutCode(strings.ReplaceAll(message, "’", "'")))
	at := forbids().FindStringIndex(plain)
	if at == nil && strings.Contains(plain, "?") {
		at = forbidsElsewhere().FindStringIndex(plain)
	}
	if at == nil || limits().MatchString(plain[:at[0]]) {
		return false
	}
	return Of(plain[:at[0]]+". "+plain[at[1]:]) != Change
}

// forbids finds the words, with the end of their clause behind them.
var forbids = lazyregexp.New(clauseOf(
	`(don't|dont|do not|never) (you )?(change|touch|edit|modify|write|save) (anything|any files?|any of (it|them)|a thing|files)`,
	`without (changing|touching|editing|modifying|writing) (anything|any files?|a thing)`,
	`(change|edit|modify|touch) (nothing|no files?)`, `make no (changes|edits)`, `(don't|dont|do not) make any (changes|edits)`,
	`nothing (must|should|shall|may|is to) be (changed|edited|modified|touched|written)`,
))

// forbidsElsewhere is forbids for languages of which Of knows nothing, so that only a question counts.
var forbidsElsewhere = lazyregexp.New(clauseOf(
	`(ändere|ändre|verändere|bearbeite) (bitte |aber |noch )?(nichts|keine dateien?)`, `(nichts|keine dateien?) (ändern|verändern|bearbeiten|anfassen)`,
	`ohne (etwas|irgendetwas) zu (ändern|verändern|bearbeiten)`,
	`ne (modifie|modifiez|change|changez|touche|touchez) (à )?rien`, `sans rien (modifier|changer|toucher)`, `ne rien (modifier|changer|toucher)`,
	`no (cambies|modifiques|toques|edites) nada`, `sin (cambiar|modificar|tocar|editar) nada`,
))

func clauseOf(phrases ...string) string {
	return `(^|[^\pL])(` + strings.Join(phrases, "|") +
		`)( (please|yet|for now|now|at all|bitte|noch|todavía|por ahora|pour l'instant))?\s*([.,;:!?)\n]|$|-|–|—)`
}

// limits finds that only the rest is not to change.
var limits = lazyregexp.New(
	`(^|[^\pL])(else|otherwise|besides|apart from|except|other than|sonst|ansonsten|weiter|außer|sinon|sauf|à part|aparte|salvo|por lo demás)[^.!?\n]*$`,
)
