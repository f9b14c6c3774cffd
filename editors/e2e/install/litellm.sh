#!/bin/bash
# litellm.sh: LiteLLM's proxy, a gateway as other people run it, in a virtual environment in the cache. Of what its extra "proxy" asks for, this
# is what it starts with: the rest is for clouds, databases and tables, and takes pip many minutes to choose. Prints LITELLM=PROGRAM.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
lock litellm
need python3 python3
packages=(litellm==1.110.2 apscheduler==3.11.3 backoff==2.2.1 backports.zstd==1.8.0 cryptography==50.0.2 email-validator==2.4.0
	expression==5.8.0 fastapi-sso==0.23.0 fastapi==0.165.0 inquirerpy==0.3.4 mcp==2.3.0 orjson==3.13.0 pyjwt==2.15.1 python-multipart==0.0.34
	pyyaml==6.0.4 redis==8.1.0 restrictedpython==9.0 rich==15.0.0 semver==3.1.2 soundfile==0.14.0 tomlkit==0.15.2 uvicorn==0.54.0
	uvloop==0.23.0 websockets==17.4)
prefix=$cache/litellm-$(sha256sum <<<"${packages[*]}" | cut -c 1-8)
if [[ ! -e $prefix/.complete ]]; then
	rm -rf "$prefix"
	python3 -m venv "$prefix" || die "python3 makes no virtual environment; install it first (Debian package: python3-venv)"
	step litellm "installing LiteLLM's proxy, about two minutes (400 MB)" "$prefix/bin/pip" install --quiet --no-compile --disable-pip-version-check \
		"${packages[@]}"
	LITELLM_LOCAL_MODEL_COST_MAP=True "$prefix/bin/litellm" --version >&2 || die "LiteLLM does not start: $prefix/bin/litellm"
	touch "$prefix/.complete"
fi
echo "LITELLM=$prefix/bin/litellm"
