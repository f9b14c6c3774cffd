//go:build amd64 || arm64

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/assent-ls/assent/tools/sandbox/mask"
)

// order is what the first process of a sandbox is told, in a file of the command's private folder.
type order struct {
	Root    string // the workspace
	Private string // the command's private folder
	Chat    string // the layer of the chat, between the workspace and what the command writes; empty: none
	Draft   string // the layer of a draft, over that of the chat; empty: none
	Mask    mask.Options
	Steps   []step   // make the rest of the view, in this order
	Own     []string // the folders besides the workspace in which the command may write
	Dir     string   // where it starts
	Argv    []string // the command
	// bytes of memory in which its layers lie, until they are saved in the private folder; 0: they lie there from the
	// start
	Layers uint64
	Asked  time.Time // when the view was asked for, by the clock of the private folder: the command begins later
	Memory uint64    // bytes of memory that its processes may have together

	Network bool // it has a proxy, see listener_linux.go

	shown []string // see changes.Layer

	layer, private int // in the first process, if the layers lie in memory: the upper folder and the private one
}

// step adds something to the view.
type step struct {
	Do       string // one of the words below
	From, To string
}

// The words for steps.
const (
	doShow   = "show"   // From can be read at To
	doShare  = "share"  // From can be read and written at To
	doLink   = "link"   // To is a link to From
	doMemory = "memory" // To is an empty folder in memory
	doFolder = "folder" // To is an empty folder
)

// What lies in the private folder of a command.
const (
	upperName = "upper" // what the command wrote in the workspace
	workName  = "work"  // is the kernel's
	savedName = "saved" // becomes upper when it is whole
	orderName = "order"
)

// upper is the folder of what the command wrote.
func (o order) upper() string { return filepath.Join(o.Private, upperName) }

func (o order) write() error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.Private, orderName), text, 0o600)
}

func readOrder(file string) (o order, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return o, errors.Join(errByHand, err)
	}
	if err := json.Unmarshal(text, &o); err != nil || len(o.Argv) == 0 {
		return o, fmt.Errorf("%w: %s is no order", errByHand, file)
	}
	return o, nil
}
