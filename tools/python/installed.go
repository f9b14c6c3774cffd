package python

import (
	"sync"

	"github.com/assent-ls/assent/tools/python/interpreter"
)

// Installed gives the interpreter that is installed, made once: in the given folders or where interpreter.Find looks.
// One that is missing is looked for again each time, since it may be installed meanwhile. Nothing is started before a
// program runs. word is the first argument by which this program becomes a helper of it.
func Installed(word string, folders ...string) func() (Interpreter, error) {
	var mu sync.Mutex
	var made *interpreter.Interpreter
	return func() (Interpreter, error) {
		mu.Lock()
		defer mu.Unlock()
		if made != nil {
			return made, nil
		}
		files, err := interpreter.Find(folders...)
		if err != nil {
			return nil, err
		}
		made, err = interpreter.New(interpreter.Options{Files: files, Helper: []string{word}})
		if err != nil {
			return nil, err
		}
		return made, nil
	}
}
