//go:build !linux || !(amd64 || arm64)

package interpreter

import "os"

// start starts a helper, and names the protections that it lacks: all but WebAssembly's own.
func start(argv []string, files []*os.File, _ order) (*os.Process, []string, error) {
	own, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	p, err := os.StartProcess(own, append([]string{own}, argv...), &os.ProcAttr{Env: systemRoot(), Files: files})
	return p, []string{"a sandbox of the system"}, err
}

func confineSelf() error { return nil }

func limitProcess(int) {}

func boundData(*os.Process) {}

// systemRoot is the one variable without which no program starts on Windows.
func systemRoot() []string {
	if root := os.Getenv("SYSTEMROOT"); root != "" {
		return []string{"SYSTEMROOT=" + root}
	}
	return []string{}
}
