#!/bin/bash
# ollama.sh: OLLAMA in the environment, `ollama` on PATH, else one built from its Go module (CPU), with the llama-server
# that it starts beside it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
version=v0.34.4 # as in go.mod; the module proxy lists older ones only, but has this
bin=${OLLAMA:-$(command -v ollama || echo "$cache/bin/ollama")}

# Nothing of it computes, llama-server does: so it is not optimised, which would take a third longer, and for its C code more than all
# the rest. The standard library is, as for the build of Assent beside this one, so that it is compiled once.
build() {
	local path flags=()
	for path in github.com gonum.org google.golang.org golang.org; do flags+=("-gcflags=$path/...=-N -l"); done
	mkdir -p "$cache/bin"
	GOBIN=$cache/bin GOFLAGS=-buildvcs=false CGO_ENABLED=1 CGO_CFLAGS=-O0 CGO_CXXFLAGS=-O0 \
		go install -v "${flags[@]}" -ldflags "-s -w -X=github.com/ollama/ollama/version.Version=${version#v}" "github.com/ollama/ollama@$version"
	echo "$version" >"$bin.version"
}

built() { [[ -x $bin && -f $bin.version && $(<"$bin.version") == "$version" ]]; }

if [[ $bin == "$cache/bin/ollama" ]]; then
	"$install_dir/llama-server.sh" >/dev/null &
	llama=$!
	trap 'kill "$llama" 2>/dev/null' EXIT
	lock ollama
	if ! built; then
		need go golang
		need c++ g++
		step ollama "building Ollama $version, one to two minutes" build
	fi
	wait "$llama"
	trap - EXIT
fi
"$bin" --version >/dev/null 2>&1 || die "$bin does not start"
echo "OLLAMA=$bin"
