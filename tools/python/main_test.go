package python_test

import (
	"testing"

	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/shell/shelltest"
)

func TestMain(m *testing.M) {
	sandboxtest.Handle()
	shelltest.Main(m)
}
