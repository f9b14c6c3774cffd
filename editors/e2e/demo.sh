#!/bin/bash
# demo.sh: the whole job with a real model in a real Neovim, told line by line. Ends with 0 when the model's edit was
# approved and made, in one of three tries. What is missing is installed into a cache folder first (see install/).
source "$(dirname "${BASH_SOURCE[0]}")/install/lib.sh"
e2e=$(dirname "$install_dir")
root=$(cd "$e2e/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"; kill ${OLLAMA_PID:-} ${engine:-} 2>/dev/null || true' EXIT # what fails here would be the exit status

values() { sed 's/=\(.*\)/="\1"/'; }

say "1. A model server and a small model, which take the longest: begun beside the rest"
"$install_dir/engine.sh" >"$work/engine" &
engine=$!
say "2. Neovim"
eval "$("$install_dir/nvim.sh" 0.10 | values)"
say "3. Assent"
mkdir -p "$work/bin"
if [[ ${ASSENT_E2E_PROGRAM:-} ]]; then # a program to use instead, as for the tests
	cp "$ASSENT_E2E_PROGRAM" "$work/bin/assent"
else
	need go golang
	(cd "$root" && go build -o "$work/bin/assent" ./cmd/assent)
fi
say "   and now what is still missing of the model server and the model"
wait "$engine" || die "the model server or the model is missing; see above"
unset engine
eval "$(values <"$work/engine")"
if [[ ! ${OLLAMA_PID:-} && ${OLLAMA:-} ]]; then
	eval "$("$install_dir/engine.sh" serve | values)"
	say "a private Ollama runs at $OLLAMA_HOST with $MODEL"
fi
say "4. The story"

# What the README tells someone with Neovim to put into init.lua is what runs.
told=$(sed -n '/<summary><b>Neovim<\/b>/,/^<\/details>$/{/^```lua$/,/^```$/{/^```/!p}}' "$root/README.md")
[[ $told ]] || die "README.md has no block of Lua for Neovim"
told=${told//'/path/to/assent'/"$root"}
# story N: the whole of it, in a folder of its own. Status 3: Assent did its part, and the model did not.
story() {
	local home=$work/home$1
	mkdir -p "$work/demo$1/.git" "$home/config/nvim"
	printf '%s\n' "$told" >"$home/config/nvim/init.lua"
	cd "$work/demo$1"
	printf '# Demo\n\nHelo, world.\n' >README.md
	env HOME="$home" XDG_CONFIG_HOME="$home/config" XDG_STATE_HOME="$home/state" XDG_DATA_HOME="$home/data" \
		XDG_CACHE_HOME="$home/cache" PATH="$work/bin:$PATH" OLLAMA_HOST="$OLLAMA_HOST" DEMO_MODEL="$MODEL" \
		"$NVIM_0_10" --headless -i NONE -n -c "luafile $e2e/nvim/demo.lua" -c cquit </dev/null && grep -q 'Hello, world.' README.md
}
for try in 1 2 3; do
	rc=0
	story "$try" || rc=$?
	((rc == 3 && try < 3)) || break
	say "
The model did not do what it was asked for. A model of this size does not always; once more (try $((try + 1)) of 3).
"
done
if ((rc == 0)); then
	cat <<-DONE

		It works. To use it yourself:
		  go install ./cmd/assent                    the program, into the folder that go env GOBIN or GOPATH names
		  ollama pull qwen2.5-coder:1.5b             or any larger model that your GPU holds
		  editors/neovim.md, vscode.md, helix.md, emacs.md, vim.md     what to put into your editor's configuration
	DONE
	exit 0
fi
((rc == 3)) || die "the demo failed, and not because of the model (status $rc); see above"
say "The model did not do what it was asked for in three tries."
exit 1
