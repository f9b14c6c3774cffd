#!/bin/bash
# ollama.sh: OLLAMA in the environment, `ollama` on PATH, else one built from its Go module (CPU), with the llama-server
# that it starts beside it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
version=v0.32.15 # the module proxy lists older ones only, but has this
bin=${OLLAMA:-$(command -v ollama || echo "$cache/bin/ollama")}

build() {
	local headers=$cache/headers miniaudio # tmp is not local: the trap needs it
	# Module archives carry no folder named "vendor": three sets of headers come from elsewhere.
	[[ -e $headers/usr/include/nlohmann ]] || ONLY=1 "$install_dir/debs.sh" here "$headers" nlohmann-json3-dev libstb-dev
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	miniaudio=$(go mod download -json github.com/gen2brain/malgo@v0.11.24 | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')/miniaudio.h
	mkdir "$tmp/miniaudio"
	cp "$miniaudio" "$tmp/miniaudio/"
	GOBIN=$tmp GOFLAGS=-buildvcs=false CGO_ENABLED=1 CGO_CPPFLAGS="-I$tmp -I$headers/usr/include" CGO_CFLAGS="-O3 -march=native" \
		CGO_CXXFLAGS="-O3 -march=native" CGO_CFLAGS_ALLOW='-march=.*' CGO_CXXFLAGS_ALLOW='-march=.*' \
		go install -ldflags "-X=github.com/ollama/ollama/version.Version=${version#v}" "github.com/ollama/ollama@$version"
	mkdir -p "$cache/bin"
	mv "$tmp/ollama" "$bin"
}

if [[ $bin == "$cache/bin/ollama" ]]; then
	"$install_dir/llama-server.sh" >/dev/null
	lock ollama
	if [[ ! -x $bin ]]; then
		need go golang
		need c++ g++
		step ollama "building Ollama $version, about a minute" build
	fi
fi
"$bin" --version >/dev/null 2>&1 || die "$bin does not start"
echo "OLLAMA=$bin"
