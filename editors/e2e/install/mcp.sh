#!/bin/bash
# mcp.sh: what other people wrote that speaks the Model Context Protocol, at fixed versions, in a folder of its own in the cache: the official
# suite and the Node that it needs, servers, and a client. Prints ASSENT_CONFORMANCE=FOLDER, where npm put them, and MCP_PYTHON=FOLDER of a
# virtual environment, unless Python is missing.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
lock mcp
need npm npm
packages=(@modelcontextprotocol/conformance@0.1.16 node@22.23.3 @modelcontextprotocol/server-everything@2026.8.31
	@modelcontextprotocol/server-filesystem@2026.8.31 @modelcontextprotocol/inspector@2.12.0)
python=(mcp-server-time==2026.10.19)
prefix=$cache/mcp-$(sha256sum <<<"${packages[*]} ${python[*]}" | cut -c 1-8)
if [[ ! -e $prefix/.complete ]]; then
	rm -rf "$prefix"
	mkdir -p "$prefix"
	echo '{"private": true}' >"$prefix/package.json"
	step mcp "installing the MCP suite, servers and clients, about a minute" npm install --prefix "$prefix" --no-audit --no-fund --loglevel error "${packages[@]}"
	touch "$prefix/.complete"
fi
"$prefix/node_modules/node/bin/node" --version >/dev/null || die "the Node that npm brought does not start: $prefix/node_modules/node"
echo "ASSENT_CONFORMANCE=$prefix"
if [[ ! -e $prefix/python/.complete ]] && have python3; then
	rm -rf "$prefix/python"
	{
		step mcp-python "installing an MCP server of PyPI, about 20 seconds" python3 -m venv "$prefix/python" &&
			step mcp-python "installing it" "$prefix/python/bin/pip" install --quiet "${python[@]}" && touch "$prefix/python/.complete"
	} || say "NOT INSTALLED: an MCP server of PyPI"
fi
[[ ! -e $prefix/python/.complete ]] || echo "MCP_PYTHON=$prefix/python"
