package usage

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// examples are three command lines for each command, by its name behind that of the program.
var examples = map[string]string{ //nolint:gochecknoglobals // a table
	"": `
assent run "What does main.go do?"
assent doctor
assent send .assent/chats/plan.chat.md`,
	"run": `
assent run "What does main.go do?"
git diff | assent run "Review this."
assent run --mode plan --model qwen2.5-coder:7b "Plan a test for main.go."`,
	"send": `
assent send .assent/chats/plan.chat.md
assent send plan.chat.md --approve edit_file,write_file
assent send plan.chat.md --json`,
	"inspect": `
assent inspect plan.chat.md
assent inspect plan.chat.md --json
assent inspect plan.chat.md --render`,
	"chats": `
assent chats
assent chats --folder ~/src/shop
assent chats search "goroutine leak"`,
	"chats search": `
assent chats search "goroutine leak"
assent chats search '"not found"' --file parser.go
assent chats search pars* --since 30d --json`,
	"chats show": `
assent chats show plan.chat.md
assent chats show plan.chat.md --turn 3
assent chats show plan.chat.md --json`,
	"chats pin": `
assent chats pin plan.chat.md
assent chats pin .assent/chats/2026-01-31-1.chat.md
assent chats pin plan.chat.md --json`,
	"chats unpin": `
assent chats unpin plan.chat.md
assent chats unpin .assent/chats/2026-01-31-1.chat.md
assent chats unpin plan.chat.md --json`,
	"chats built": `
assent chats built
assent chats built --remove plan.chat.md
assent chats built --remove --json`,
	"chats export": `
assent chats export plan.chat.md
assent chats export plan.chat.md --format html --output plan.html
assent chats export plan.chat.md --json`,
	"chats import": `
assent chats import --dry-run ~/.claude/projects
assent chats import .aider.chat.history.md
assent chats import --folder ~/src/shop ~/.claude/projects/-home-ada-src-shop`,
	"chats prune": `
assent chats prune --dry-run
assent chats prune --unused-for 90d
assent chats prune --all --dry-run --json`,
	"doctor": `
assent doctor
assent doctor --probe qwen2.5-coder:7b
assent doctor --ollama-host http://127.0.0.1:11434`,
	"settings": `
assent settings
assent settings contextSize
assent settings --json`,
	"models": `
assent models
assent models --ollama-host http://127.0.0.1:11434
assent models --tool-format text`,
	"trust": `
assent trust
assent trust ~/src/shop --yes
assent trust --revoke`,
	"permissions": `
assent permissions
assent permissions --workspace ~/src/shop
assent permissions revoke g1`,
	"permissions revoke": `
assent permissions
assent permissions revoke g1
assent permissions revoke g1 --workspace ~/src/shop`,
	"permissions check": `
echo '{"tool": "list_files"}' | assent permissions check
assent permissions check < calls.jsonl
assent permissions check --mode edits < calls.jsonl`,
	"prompt": `
assent prompt show
assent prompt edit user
assent prompt use review`,
	"prompt show": `
assent prompt show
assent prompt show plan.chat.md
assent prompt show --preset review`,
	"prompt list": `
assent prompt list
assent prompt list plan.chat.md
assent prompt list --folder ~/src/shop`,
	"prompt edit": `
assent prompt edit user
assent prompt edit workspace
assent prompt edit model --model qwen2.5-coder:7b`,
	"prompt reset": `
assent prompt reset
assent prompt reset user
assent prompt reset model --model qwen2.5-coder:7b`,
	"prompt presets": `
assent prompt presets
assent prompt presets --preset review
assent prompt use review`,
	"prompt use": `
assent prompt presets
assent prompt use review
assent prompt use coding`,
	"log": `
assent log
assent log --lines 0 --json
assent log --tokens`,
	"tools": `
assent tools
assent tools off run_command
assent tools run read_file '{"path": "README.md"}'`,
	"tools list": `
assent tools list
assent tools list --folder ~/src/shop
assent tools list --web-fetch`,
	"tools show": `
assent tools show edit_file
assent tools show run_command
assent tools show web_fetch --web-fetch`,
	"tools on": `
assent tools on run_command
assent tools on run_command --folder ~/src/shop
assent tools show run_command`,
	"tools off": `
assent tools off run_command
assent tools off web_fetch --web-fetch
assent tools`,
	"tools run": `
assent tools run read_file '{"path": "README.md"}'
assent tools run search_text '{"pattern": "TODO"}' --folder ~/src/shop
assent tools run write_file - < arguments.json`,
	"mcp": `
assent mcp list
assent mcp tools github
assent mcp serve --folder ~/src/shop`,
	"mcp serve": `
assent mcp serve
assent mcp serve --folder ~/src/shop --mode plan
assent mcp serve --http :8710`,
	"mcp list": `
assent mcp list
assent mcp list --folder ~/src/shop
assent mcp list --mcp-files`,
	"mcp tools": `
assent mcp tools
assent mcp tools github
assent mcp tools --mcp-server @servers.json`,
	"mcp call": `
assent mcp call github list_issues
assent mcp call github get_issue '{"number": 7}'
assent mcp call github get_issue - < arguments.json`,
	"mcp trust": `
assent mcp trust github
assent mcp trust github --yes
assent mcp trust github --revoke`,
	"mcp login": `
assent mcp login github
assent mcp login github --folder ~/src/shop
assent mcp list`,
	"mcp logout": `
assent mcp logout github
assent mcp logout github --folder ~/src/shop
assent mcp list`,
	"mcp log": `
assent mcp log github
assent mcp log github --folder ~/src/shop
assent mcp list`,
	"sql": `
assent sql sources --test
assent sql schema shop orders
assent sql query shop "SELECT count(*) FROM orders"`,
	"sql sources": `
assent sql sources
assent sql sources --test
assent sql sources shop --test`,
	"sql schema": `
assent sql schema shop
assent sql schema shop "orders customers"
assent sql schema shop --refresh`,
	"sql query": `
assent sql query shop "SELECT count(*) FROM orders"
assent sql query shop "SELECT * FROM orders" --csv > orders.csv
assent sql query shop "SELECT * FROM orders" --explain`,
	"serve": `
assent serve
assent serve --log-level debug --log-file assent.log
assent serve --mode plan`,
	"decode": `
assent decode --list
assent decode --format hermes < reply.txt
assent decode --model qwen2.5-coder:7b --json < reply.txt`,
	"code": `
assent code run count.py
assent code install
assent doctor --python-execution`,
	"code run": `
assent code run count.py
assent code run count.py --folder ~/src/shop
echo 'len(find_files("*.go"))' | assent code run -`,
	"code install": `
assent code install
assent code install && assent code run count.py
assent doctor --python-execution`,
	"completion": `
source <(assent completion bash)
assent completion zsh > "${fpath[1]}/_assent"
assent completion fish > ~/.config/fish/completions/assent.fish`,
	"version": `
assent version
assent version --log-level warn
assent version --help`,
}

// Explain gives the commands of a program their examples and their help, which fills as many columns as there are.
func Explain(root *cobra.Command, columns func(cmd *cobra.Command) int) {
	each(root, func(cmd *cobra.Command) {
		name := strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath(), root.Name()))
		if lines, found := examples[name]; found {
			cmd.Example = strings.TrimSpace(lines)
		}
	})
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		fmt.Fprint(cmd.OutOrStdout(), Help(cmd, columns(cmd)))
	})
}

// each visits a command and all below it.
func each(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		each(sub, visit)
	}
}
