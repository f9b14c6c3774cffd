package intent_test

import (
	"testing"

	"github.com/assent-ls/assent/agent/guidance/intent"
)

func TestForbids(t *testing.T) {
	for message, want := range map[string]bool{
		"What does parse do? Don't change anything.":                          true,
		"Explain the port setting without changing any files.":                true,
		"Change nothing, just tell me where the port is set.":                 true,
		"Which of our files say Helo? Do not edit anything yet, please.":      true,
		"Was macht main.go? Ändere nichts.":                                   true,
		"Bitte nichts ändern: was macht parse?":                               true,
		"Que fait main.go ? Ne modifie rien.":                                 true,
		"¿Qué hace main.go? No cambies nada.":                                 true,
		"Fix the typo and don't change anything else.":                        false,
		"Rename parse, without changing the API.":                             false,
		"Rename parse. Don't touch the tests.":                                false,
		"Fix the typo. Otherwise change nothing.":                             false,
		"Fix the typo, and change nothing.":                                   false,
		"Korrigiere den Tippfehler, und ändere nichts.":                       false,
		"Korrigiere den Tippfehler, sonst nichts ändern.":                     false,
		"Korrigiere den Tippfehler. Ändere nichts an der Schnittstelle.":      false,
		"Corrige la faute, ne modifie rien d'autre.":                          false,
		"Corrige el error sin cambiar nada más.":                              false,
		"Write \"don't change anything\" at the top of README.md.":            false,
		"It should not change anything when the list is empty, so add a test": false,
		"Show me main.go.": false,
		"":                 false,
	} {
		if got := intent.Forbids(message); got != want {
			t.Errorf("%s: %v", message, got)
		}
	}
}
