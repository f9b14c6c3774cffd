package ollama

import (
	"os"
	"strconv"
	"strings"

	"github.com/assent-ls/assent/agent/model/transport"
)

// memoryFile is where Linux says how much memory there is. Other systems have no such file.
const memoryFile = "/proc/meminfo"

// Memory implements [model.Backend]. It is what this machine has free besides any GPU's memory, which cannot be asked
// for without starting a program: so a model may fit although it seems too large, but one that does not fit never seems
// small enough.
func (b *Backend) Memory() int64 {
	if !transport.OnThisMachine(b.base.Hostname()) {
		return 0
	}
	text, err := os.ReadFile(memoryFile)
	if err != nil {
		return 0
	}
	return available(string(text))
}

// available reads how many bytes can be used without swapping; 0: unknown.
func available(meminfo string) int64 {
	for line := range strings.Lines(meminfo) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[0] != "MemAvailable:" || fields[2] != "kB" {
			continue
		}
		if n, err := strconv.ParseInt(fields[1], 10, 40); err == nil && n > 0 {
			return n << 10
		}
	}
	return 0
}
