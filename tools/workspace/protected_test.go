//go:build unix

package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"github.com/assent-ls/assent/tools/workspace"
	"github.com/assent-ls/assent/tools/workspace/workspacetest"
)

// S03, A4: by every spelling of a name that a file system might take for it.
// Promise 5. Invariant 10.
func TestProtected(t *testing.T) {
	root := workspacetest.Guarded(t)
	w := open(t, root, nil)
	for _, name := range workspacetest.ProtectedPaths(root) {
		p := resolve(t, w, name)
		if p.Protected == "" {
			t.Errorf("%q is not protected", name)
		} else if !strings.HasSuffix(p.Protected, ".") {
			t.Errorf("%q: %q is no sentence", name, p.Protected)
		}
	}
	for _, name := range []string{
		"src/main.go", "README.md", "chat.md", "notes.chat.md.txt", ".github/ISSUE_TEMPLATE/bug.md", ".gitignore", "git/config", "assent/x", "vscode/settings.json",
		"my.git/x", "src/.editorconfig", "profile", "mcp.json.md", ".", "e\u0301.txt",
	} {
		if p := resolve(t, w, name); p.Protected != "" {
			t.Errorf("%q is protected: %s", name, p.Protected)
		}
	}
}

// Each is read, or run, by a program without a further step of a person, or holds what nobody else should read.
// Promise 5. Invariant 10.
func TestCommonNamesAreProtected(t *testing.T) {
	w := open(t, tree(t, nil), nil)
	for _, name := range []string{
		".env.local", ".env.production", ".env.production.local", "prod.env", "sub/.env.dist", ".git-credentials", ".netrc", "_netrc", ".authinfo", ".pgpass",
		".my.cnf", ".ssh/config", ".gnupg/gpg.conf", ".aws/credentials", ".kube/config", ".docker/config.json", "id_rsa", "keys/id_ed25519", "server.pem", "tls.key",
		"store.jks", "terraform.tfstate", ".github/workflows/ci.yml", ".github/actions/setup/action.yml", "sub/.github/workflows/x.yml", ".gitlab-ci.yml", ".circleci/config.yml",
		"Jenkinsfile", "Jenkinsfile.release", "azure-pipelines.yml", "azure-pipelines-nightly.yml", "bitbucket-pipelines.yml", ".drone.yml", ".woodpecker.yml",
		".woodpecker/build.yml", ".travis.yml", ".buildkite/pipeline.yml", ".forgejo/workflows/a.yml", "CODEOWNERS", "docs/CODEOWNERS",
		".cargo/config", ".cargo/config.toml", "sub/.cargo/config.toml", ".Rprofile", ".Renviron", ".gdbinit", ".lldbinit", ".emacs", ".emacs.d/init.el", ".dir-locals.el", ".vimrc",
		"_vimrc", ".exrc", ".nvim.lua", "nvim/init.lua", ".config/nvim/lua/x.lua", ".cursorrules", ".cursor/rules/a.mdc", ".claude/settings.json", ".mcp.json", ".clinerules/a.md",
		".github/copilot-instructions.md", ".windsurfrules", "lefthook.yml", "lefthook.toml", ".lefthook-local.yml", ".husky/pre-commit", ".pre-commit-config.yaml", ".npmrc",
		".yarnrc.yml", ".pypirc", "pip.conf", "a.pth", "lib/sitecustomize.py", ".devcontainer/Dockerfile", "x.code-workspace", ".idea/a.xml", ".bashrc", ".zshrc", ".zlogin", ".direnv/x",
		".env~", ".env-production", ".env_local", ".envs/.production/.django", ".flaskenv", ".dev.vars", ".envrc.local", "infra/prod.tfvars", ".pnp.cjs", ".yarn/releases/yarn-4.cjs",
		".bash_history", ".python_history", ".viminfo",
		".mise.toml", ".ghci", ".irbrc", ".pdbrc", ".config/systemd/user/a.service", ".lintstagedrc.json",
		// Spellings that some file system takes for the same.
		"JENKINSFILE", ".GitHub/Workflows/CI.yml", ".github./workflows /ci.yml", ".ENV.Local", ".cargo/CONFIG.TOML.", ".a\u00dfent/x", ".env:stream", ".git:$I30:$INDEX_ALLOCATION/config",
		".gi\u180bt/config", "GITHUB~1/workflows/ci.yml", "ENV~1.LOC", "\uff2aenkinsfile",
	} {
		if p := resolve(t, w, name); p.Protected == "" || p.Note() != "" {
			t.Errorf("%q is not protected: %+v", name, p)
		}
	}
	for _, name := range []string{
		".env.example", ".env.local.example", ".env.sample", ".env.template", "example.env", "init.lua", "lua/foo/init.lua", "environment.go", ".envoy.yaml", "env", "env/x.py",
		".github/ISSUE_TEMPLATE.md", "workflows/ci.yml", "github/workflows/ci.yml", "cargo/config.toml", "config.toml", "key.go", "pem.go", "keys", "jenkins.md", "id_rsa.md", "emacs.md",
		"npmrc.md", "secrets.go", "HEADER", "src/head/index.ts", ".envy", ".env-example", "yarn.lock", "history.go", "_history", "variables.tf", "components/Head/a.ts", "objects/a", "refs/a", "a~b.txt", "report~draft.txt", "longname~1.txt", "x.environment",
	} {
		if p := resolve(t, w, name); p.Protected != "" {
			t.Errorf("%q is protected: %s", name, p.Protected)
		}
	}
	if p := resolve(t, w, ".git/.env.example"); p.Protected == "" {
		t.Error("a template in a protected folder is not protected")
	}
}

// Promise 5.
func TestFilesThatRunByThemselvesAreNoted(t *testing.T) {
	root := tree(t, map[string]string{"Makefile": "all:\n", "cmd/": "", "notes.txt": "x\n"})
	link(t, "Makefile", filepath.Join(root, "innocent.txt"))
	link(t, "notes.txt", filepath.Join(root, "Justfile"))
	w := open(t, root, nil)
	for name, want := range map[string]string{
		"Makefile": `"Makefile" runs when you build.`, "sub/GNUmakefile": `"sub/GNUmakefile" runs when you build.`, "build.rs": `"build.rs" runs when you build.`,
		"CMakeLists.txt": `"CMakeLists.txt" runs when you build.`, "app/build.gradle.kts": `"app/build.gradle.kts" runs when you build.`,
		".mvn/jvm.config": `".mvn/jvm.config" runs when you build.`, ".bazelrc": `".bazelrc" runs when you build.`,
		"package.json": `"package.json" runs when you install or build.`, "setup.py": `"setup.py" runs when you install or build.`,
		"conftest.py": `"conftest.py" runs when you test.`, "Justfile": `"Justfile" runs when you start one of its tasks.`,
		"Taskfile.yml": `"Taskfile.yml" runs when you start one of its tasks.`, "vite.config.ts": `"vite.config.ts" is run by the tool that it configures.`,
		"Dockerfile": `"Dockerfile" runs when a container is built or started.`, "GEMINI.md": `"GEMINI.md" is followed by coding agents.`, "AGENTS.md": "",
		"main.go": "", "makefile/notes.txt": "", "cmd": "", "Makefilex": "", "innocent.txt": `"Makefile" runs when you build.`, ".": "", "package.json.md": "", ".git/Makefile": "",
	} {
		p := resolve(t, w, name)
		if p.Note() != want {
			t.Errorf("the note of %q is %q; want %q", name, p.Note(), want)
		}
		if want != "" && p.Protected != "" {
			t.Errorf("%q is protected: %s", name, p.Protected)
		}
	}
}

// S03: what tells a model what to do is read as every file is, and changing it is a question of its own, by whatever
// name.
// Promise 5.
func TestPromptsAreGuarded(t *testing.T) {
	root := tree(t, map[string]string{"AGENTS.md": "x\n", "notes.txt": "x\n", "sub/": ""})
	link(t, "AGENTS.md", filepath.Join(root, "innocent.txt"))
	link(t, "notes.txt", filepath.Join(root, "CLAUDE.md"))
	link(t, "sub", filepath.Join(root, "folder"))
	w := open(t, root, nil)
	for _, name := range workspacetest.GuardedPaths(root) {
		if p := resolve(t, w, name); p.Guarded() == "" || p.Protected != "" || p.Note() != "" || p.ToWrite() != p.Guarded() {
			t.Errorf("%q is not guarded: %+v", name, p)
		}
		if kept, secret := workspace.Named(strings.TrimPrefix(name, root+"/"), false); name != "innocent.txt" && (!kept || secret) {
			t.Errorf("%q in a sandbox: %v, %v", name, kept, secret)
		}
	}
	for _, name := range []string{"agents.md.txt", "AGENTS", "AGENTS.mdx", "docs/agents.md/x", "agents.markdown", "notes.txt", "myclaude.md", ".git/AGENTS.md"} {
		if p := resolve(t, w, name); p.Guarded() != "" {
			t.Errorf("%q is guarded: %s", name, p.Guarded())
		}
	}
}

// Git takes a folder with HEAD, objects and refs for a repository, whatever its name, and runs what its config says.
// Promise 5.
func TestBareRepositoriesAreProtected(t *testing.T) {
	bare := map[string]string{"HEAD": "ref: refs/heads/main\n", "config": "[core]\n", "objects/": "", "refs/": "", "description": "x\n"}
	files := map[string]string{"src/main.go": "x\n", "half/HEAD": "x\n", "half/objects/": "", "worktree/HEAD": "x\n", "worktree/commondir": "..\n"}
	for name, text := range bare {
		files["deep/store.git/"+name] = text
	}
	root := tree(t, files)
	link(t, "deep/store.git", filepath.Join(root, "innocent"))
	w := open(t, root, nil)
	for _, name := range []string{
		"deep/store.git", "deep/store.git/config", "deep/store.git/hooks/pre-receive", "deep/store.git/sub/new.txt", "deep/store.git/HEAD",
		"innocent/config", "worktree/config", "half/HEAD", "new/HEAD", "HEAD",
	} {
		if p := resolve(t, w, name); !strings.Contains(p.Protected, "git's own files") {
			t.Errorf("%q is not protected: %+v", name, p)
		}
	}
	for _, name := range []string{"deep", "deep/other/config", "src/main.go", "half/config", "half/objects/a", "new/config"} {
		if p := resolve(t, w, name); p.Protected != "" {
			t.Errorf("%q is protected: %s", name, p.Protected)
		}
	}
	for _, seen := range walked(t, w, ".") {
		if inside := strings.HasPrefix(seen, "deep/store.git"); inside && !strings.HasSuffix(seen, "!") {
			t.Errorf("the walk does not protect %s", seen)
		}
	}
	if p := resolve(t, open(t, filepath.Join(root, "deep/store.git"), nil), "config"); p.Protected == "" {
		t.Error("a workspace that is a bare repository protects nothing")
	}
}

// Whatever the workspace, what the user allowed and set has a question of its own.
// Promise 5.
func TestTheUsersOwnFoldersAreProtected(t *testing.T) {
	base := tree(t, map[string]string{"state/assent/grants.json": "{}", "dots/assent/settings.json": "{}", "dots/other.json": "{}"})
	link(t, "dots", filepath.Join(base, "config"))
	t.Setenv("HOME", filepath.Join(base, "home"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(base, "state"))
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(base, "config"))
	for folder, names := range map[string][]string{
		"state": {"assent/grants.json", "assent/trust.json", "assent"}, "dots": {"assent/settings.json", "assent/prompts/system.md"}, "state/assent": {"grants.json", "."},
	} {
		w := open(t, filepath.Join(base, folder), nil)
		for _, name := range names {
			if p := resolve(t, w, name); p.Protected == "" {
				t.Errorf("%q in %q is not protected", name, folder)
			}
		}
	}
	if p := resolve(t, open(t, filepath.Join(base, "dots"), nil), "other.json"); p.Protected != "" {
		t.Errorf("other.json: %s", p.Protected)
	}
}

// TestNames holds protected.toml to the form that it describes, and each name in it to what is said about it.
// Promise 5.
func TestNames(t *testing.T) {
	var file struct {
		Protected, Guarded, Noted []struct {
			Holds, Does string
			Secret      bool
			Names       []string
		}
		Templates struct{ Names []string }
	}
	meta, err := toml.DecodeFile("protected.toml", &file)
	if err != nil || len(meta.Undecoded()) > 0 {
		t.Fatalf("%v, %v", err, meta.Undecoded())
	}
	w := open(t, tree(t, nil), nil)
	seen := map[string]bool{}
	check := func(list, says, name string, of func(workspace.Path) string) {
		if says == "" || seen[name] || name != strings.ToLower(name) || strings.Trim(name, "/. ") == "" || strings.HasSuffix(name, "/") {
			t.Errorf("%s: %q (%q) is empty, named twice or not in lower case", list, name, says)
		}
		seen[name] = true
		for part := range strings.SplitSeq(name, "/") {
			if strings.Count(part, "*") > 1 || part == "*" && list == "protected" {
				t.Errorf("%s: %q has too many stars", list, name)
			}
		}
		if p := resolve(t, w, "some/"+strings.ReplaceAll(name, "*", "x")); !strings.Contains(of(p), says) {
			t.Errorf("%s: of %q is said %q; want %q", list, name, of(p), says)
		}
	}
	for _, g := range file.Protected {
		for _, name := range g.Names {
			check("protected", g.Holds, name, func(p workspace.Path) string { return p.Protected })
		}
	}
	for _, g := range file.Guarded {
		for _, name := range g.Names {
			check("guarded", g.Does, name, func(p workspace.Path) string { return p.Guarded() })
		}
	}
	for _, g := range file.Noted {
		for _, name := range g.Names {
			check("noted", g.Does, name, func(p workspace.Path) string { return p.Note() })
		}
	}
	for _, name := range file.Templates.Names {
		if p := resolve(t, w, strings.ReplaceAll(name, "*", "x")); p.Protected != "" {
			t.Errorf("the template %q is protected: %s", name, p.Protected)
		}
	}
	if len(seen) < 300 {
		t.Errorf("there are only %d names", len(seen))
	}
	if _, err := os.Stat(filepath.Join(w.Root(), "some")); err == nil {
		t.Error("looking at names wrote something")
	}
}
