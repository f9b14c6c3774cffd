#!/bin/bash
# all.sh: installs everything that the tests with real editors, models and databases use, the slowest first, one after the other. What is there
# already takes less than a second.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for part in nvim engine helix emacs vim chromium vscode toolbox databases litellm; do
	"$here/$part.sh"
done
