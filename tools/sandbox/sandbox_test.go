//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools/sandbox"
)

func TestOrdinaryWork(t *testing.T) {
	eachKind(t, func(t *testing.T, b box) {
		for script, want := range map[string]string{
			"echo one >new; mv new newer; cat newer; rm newer":                                 "one\n",
			"mkdir -p x/y; touch x/y/z; ln -s y x/l; ls x/l; ln x/y/z x/hard; rm -r x":         "z\n",
			"umask 027; echo a >u; stat -c %a u; umask 0; mkdir v; stat -c %a v; rm -r u v":    "640\n777\n",
			"printf 'a\n' >s; sed -i s/a/b/ s; cat s; : >s; wc -c <s; rm s":                    "b\n0\n",
			"set -C; echo a >once; echo b >once; cat once; rm once":                            "/bin/bash: line 1: once: cannot overwrite existing file\na\n",
			"cat AGENTS.md main.go; cat sub/.npmrc; cd sub && ls -A deep":                      "Use tabs.\npackage main\nx=canary-not-hidden\na.txt\n",
			"echo x >/tmp/f; cp /tmp/f .; cat f; mv f /tmp/g; cat /tmp/g; ls f 2>/dev/null":    "x\nx\n",
			"mkfifo p; (echo through >p &); cat p; rm p":                                       "through\n",
			"echo first >m; ln -s m link; echo more >>link; tail -1 m; rm link m":              "more\n",
			"exec 3>out; echo three >&3; exec 3>&-; cat <out; rm out; echo $?":                 "three\n0\n",
			"mkdir -p d1 d2; touch d1/f; mv d1/f d2/; mv d2 d3; ls d3; rmdir d1; rm -r d3":     "f\n",
			"cp -r sub copy 2>/dev/null; ls copy/deep | head -1; rm -rf copy; ls -d copy 2>&1": "a.txt\nls: cannot access 'copy': No such file or directory\n",
		} {
			if out, _ := b.sh(script); out != want {
				t.Errorf("%s:\ngot  %q\nwant %q", script, out, want)
			}
		}
		if out, status := b.sh("exit 7"); status != 7 {
			t.Errorf("status %d, %s", status, out)
		}
		if out, status := b.sh("kill -TERM $$"); status != 128+15 {
			t.Errorf("status %d, %s", status, out)
		}
	})
}

// TestTheDiskStaysAsItIs (A11): whatever a command tries, nothing in the workspace is changed, made or removed.
// F04. Promise 4. Invariant 24.
func TestTheDiskStaysAsItIs(t *testing.T) {
	attempts := []string{
		"echo x >.git/hooks/post-checkout", "echo x >>.git/config", "rm -rf .git", "mv .git git", "mv .git/hooks h", "chmod 777 .git/config",
		"rm .env", "mv .env env", "cp main.go .env", "echo x >.env", "truncate -s 0 .vscode/settings.json", "ln -f main.go .env",
		"mkdir .idea", "echo x >.envrc", "touch .bashrc", "ln -s main.go .mcp.json", "ln main.go .gitattributes", "mknod .zshrc p",
		"mv main.go .netrc", "cp main.go sub/deep/.env", "mkdir sub/.vscode", "mkdir -p new/.git/hooks", "mkdir n; mkdir n/.github; mkdir n/.github/workflows",
		"mkdir a; mkdir a/workflows; mv a .github", "mkdir -p b/git; mv b .config", "mkdir c; ln -s ../main.go c/init.lua; mv c nvim",
		"ln -s . self; mkdir self/.idea", "ln -s sub s2; touch s2/.envrc", "ln -s .git g; touch g/hooks/x", "cd sub/deep; touch ../../.envrc",
		"touch .ENVRC", "touch ./.EnvRc", "mkdir .Git", "mkdir '.git '", "touch .env.", "touch $'.env\\u200brc'", "mkdir .VSCODE", "touch .bashrc/",
		"touch //proc/self/cwd/.envrc", "touch /proc/self/root" + "$PWD/.envrc", "touch /proc/$$/cwd/.envrc", "exec 5<.; touch /proc/self/fd/5/.envrc",
		"ln -s .envrc dangling; echo x >dangling", "ln -s sub/.envrc d2; echo x >d2", "mkdir objects refs; echo x >HEAD", "mkdir rep; cd rep; mkdir objects refs; touch HEAD",
		"cd sub; touch x; mv x .gitmodules", "git init -q other", "git init -q --bare bare.git", "mv sub/deep/id_rsa sub/deep/rsa", "rm sub/.npmrc", "echo x >sub/deep/id_rsa",
		"echo x >/tmp/e; mv /tmp/e .envrc", "echo x >/tmp/e; cp /tmp/e .envrc", "echo x >/tmp/e; ln /tmp/e .envrc", "tar -cf /tmp/t main.go; tar -xf /tmp/t --transform s/main.go/.envrc/",
		"python3 -c 'import os; os.rename(\"main.go\", \".envrc\")'", "python3 -c 'import os; d=os.open(\"sub\",0); os.mkdir(\".idea\", dir_fd=d)'",
		"python3 -c 'import ctypes,os; l=ctypes.CDLL(None); l.renameat2(-100,b\"main.go\",-100,b\".env\",2)'",
		"perl -e 'rename \"sub\",\".git\"; mkdir \".husky\"; symlink \"x\",\".npmrc\"'",
		"echo x >AGENTS.md", "cd sub; echo x >../AGENTS.md", "echo x >>sub/AGENTS.md", "rm AGENTS.md", "mv AGENTS.md a.md", "mv main.go CLAUDE.md", "touch sub/deep/Agents.MD", "ln -f main.go AGENTS.md",
		"sed -i s/x/y/ AGENTS.md", "chmod 777 AGENTS.md", "truncate -s 0 sub/AGENTS.md", "ln -s AGENTS.md g; echo x >g", "ln AGENTS.md h; echo x >h", "cp main.go sub/deep/CLAUDE.md",
		"mv kept other", "mv kept/in other", "mkdir o; mv kept o/kept", "rm -rf kept", "python3 -c 'import ctypes; l=ctypes.CDLL(None); l.renameat2(-100,b\"sub\",-100,b\"kept\",2)'",
		"cp -r kept sub/deep/; echo x >sub/deep/kept/in/AGENTS.md", "tar -cf /tmp/t main.go; tar -xf /tmp/t --transform s/main.go/AGENTS.md/",
		"cat <<<x >.envrc &\n wait", "(setsid bash -c 'touch .envrc' &); sleep 0.1",
	}
	eachKind(t, func(t *testing.T, b box) {
		before := tree(t, b.root)
		for _, script := range attempts {
			out, _ := b.sh(script)
			if diff := cmp.Diff(before, tree(t, b.root)); diff != "" {
				t.Fatalf("%s changed the disk: %s\n%s", script, diff, out)
			}
		}
		t.Logf("%d attempts", len(attempts))
	})
}

func TestWrapNeedsAProof(t *testing.T) {
	b := newBox(t, func(o *sandbox.Options) { o.Off = true })
	if _, err := b.s.Wrap(t.Context(), sandbox.Command{Argv: []string{"/bin/true"}, Env: nil, Dir: b.root}); !errors.Is(err, sandbox.ErrUnproven) {
		t.Errorf("got %v", err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	b = newBox(t)
	if b.s.State(canceled).Proven {
		t.Error("proven without time to try it")
	}
	if _, err := b.s.Wrap(t.Context(), sandbox.Command{Argv: []string{"true"}, Env: nil, Dir: b.root}); err == nil {
		t.Error("a program without a path")
	}
}
