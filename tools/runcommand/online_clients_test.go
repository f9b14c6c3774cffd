//go:build linux && (amd64 || arm64)

package runcommand_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/toolstest"
)

func zipped(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func tarball(t *testing.T, name, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	g := gzip.NewWriter(&out)
	w := tar.NewWriter(g)
	err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))})
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err != nil || w.Close() != nil || g.Close() != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Programs that fetch work on the copy, through the proxy, and what they fetched is kept after a yes.
// Promise 9.
func TestProgramsFetchThroughTheProxy(t *testing.T) {
	pages := map[string][]byte{
		"packages.example/simple/tiny/":                    []byte(`<a href="/tiny-1.0-py3-none-any.whl">tiny-1.0-py3-none-any.whl</a>`),
		"packages.example/tiny-1.0-py3-none-any.whl":       zipped(t, "tiny.py", "x = 1\n", "tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n", "tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n", "tiny-1.0.dist-info/RECORD", ""),
		"packages.example/tiny":                            []byte(`{"name":"tiny","dist-tags":{"latest":"1.0.0"},"versions":{"1.0.0":{"name":"tiny","version":"1.0.0","dist":{"tarball":"http://files.example/tiny-1.0.0.tgz"}}}}`),
		"files.example/tiny-1.0.0.tgz":                     tarball(t, "package/package.json", `{"name":"tiny","version":"1.0.0"}`),
		"packages.example/example.org/tiny/@v/list":        []byte("v1.0.0\n"),
		"packages.example/example.org/tiny/@v/v1.0.0.info": []byte(`{"Version":"v1.0.0"}`),
		"packages.example/example.org/tiny/@v/v1.0.0.mod":  []byte("module example.org/tiny\n"),
		"packages.example/example.org/tiny/@v/v1.0.0.zip":  zipped(t, "example.org/tiny@v1.0.0/go.mod", "module example.org/tiny\n", "example.org/tiny@v1.0.0/t.go", "package tiny\n\nconst X = 1\n"),
	}
	for _, c := range []struct{ program, line, hosts, made, then string }{
		{"git", "git pull -q origin main", "packages.example", "pulled", "git status --short"},
		{"pip", "pip download -q --disable-pip-version-check --no-deps --trusted-host packages.example --index-url http://packages.example/simple -d lib tiny", "packages.example", "lib/tiny-1.0-py3-none-any.whl", "true"},
		{"npm", "npm install --no-audit --no-fund --loglevel=error --registry http://packages.example tiny", "packages.example, files.example", "node_modules/tiny/package.json", "true"},
		{"go", "GOPROXY=http://packages.example GONOSUMDB='*' GOFLAGS=-modcacherw go get example.org/tiny", "packages.example", "go.sum", "go vet ./..."},
		{"wget", "wget -q -O page http://packages.example/tiny", "packages.example", "page", "true"},
	} {
		t.Run(c.program, func(t *testing.T) {
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skip("NOT TESTED: " + err.Error())
			}
			b, _ := onlineBench(t)
			origin := filepath.Join(t.TempDir(), "origin")
			b.Git("clone", "-q", ".", origin)
			for _, args := range [][]string{
				{"commit", "-q", "--allow-empty", "-m", "second"}, {"update-server-info"},
			} {
				if args[0] == "commit" {
					b.Git("-C", origin, "config", "user.name", "Test")
					b.Git("-C", origin, "config", "user.email", "test@example.org")
					writeFile(t, filepath.Join(origin, "pulled"), "x\n")
					b.Git("-C", origin, "add", "pulled")
				}
				b.Git(append([]string{"-C", origin}, args...)...)
			}
			b.Git("remote", "add", "origin", "http://packages.example/git")
			b.Write("go.mod", "module m\n\ngo 1.21\n")
			b.Write("m.go", "package m\n\nimport \"example.org/tiny\"\n\nconst Y = tiny.X\n")
			b.Write("package.json", `{"name":"m","version":"1.0.0"}`)
			files := http.StripPrefix("/git/", http.FileServer(http.Dir(filepath.Join(origin, ".git"))))
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				page, known := pages[r.Host+r.URL.Path]
				switch {
				case strings.HasPrefix(r.URL.Path, "/git/"):
					files.ServeHTTP(w, r)
				case known:
					if strings.HasPrefix(string(page), "<") {
						w.Header().Set("Content-Type", "text/html")
					}
					_, _ = w.Write(page)
				default:
					http.NotFound(w, r)
				}
			}))
			t.Cleanup(server.Close)
			b.Out.Connect = func(ctx context.Context, _, to string, control func(network, address string, _ syscall.RawConn) error) (net.Conn, error) {
				if err := control("tcp", "1.2.3.4:80", nil); err != nil || !strings.HasSuffix(to, ".example:80") {
					return nil, fmt.Errorf("no such host: %s", to)
				}
				return new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
			}
			form := fmt.Sprintf(`{"hosts":%q}`, c.hosts)
			r := b.Online(c.line, &toolstest.Person{Answer: by(tools.Reply{Other: true}, yes, form)})
			if r.Failed {
				t.Fatal(r.Text())
			}
			if !exists(filepath.Join(b.Dir, c.made)) {
				t.Errorf("%s is not there: %s", c.made, r.Text())
			}
			// without the network it works on with what it fetched
			if r := b.Command(c.then, &toolstest.Person{Yes: true}); r.Failed {
				t.Errorf("%s: %s", c.then, r.Text())
			}
		})
	}
}
