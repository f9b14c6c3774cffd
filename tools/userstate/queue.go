package userstate

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/workspace"
)

// placeLives is how long a place in a queue counts without a sign of its owner: who is killed or suspended holds up
// nobody.
const placeLives = 3 * time.Second

// A turn counts as long as its owner gives signs. Who was suspended keeps the lock, and nobody else can end that.
const (
	turnSign  = 500 * time.Millisecond
	turnLives = 10 * time.Second
)

// Queue is where processes of this machine queue up for something, so many at a time. The lock of who has a turn ends
// with its process.
type Queue struct {
	state *State
	dir   string // below the state folder
	width int    // how many have a turn at once

	mu    sync.Mutex
	signs map[string]sign // guarded by mu, by the lock of a turn
}

// sign is the last one of who has a turn.
type sign struct {
	at time.Time
	// when it was seen first; by our own clock, which stands still while the machine sleeps
	since time.Time
}

// Queue is the queue for what has a name, in which so many have a turn at once. Nothing is written before somebody wants
// a turn.
func (s *State) Queue(name string, width int) *Queue {
	host, _ := os.Hostname() // a home folder may be shared by machines
	return &Queue{state: s, dir: filepath.Join("queues", shortName(host+" "+name)), width: max(width, 1)}
}

// Wanted reports whether somebody who lives is in the queue and is due.
func (q *Queue) Wanted() bool {
	root, err := q.open()
	if err != nil {
		return false
	}
	wanted, err := q.Place(0).isBefore(root)
	return errors.Join(err, root.Close()) == nil && wanted
}

// Place is a place in a queue. Places come in the order of their numbers, not by a clock, which may be set back; those
// that still yield come behind all others.
type Place struct {
	queue  *Queue
	came   time.Time
	yields time.Duration
	number uint64 // 0: it has none yet
	name   string // of its file; empty: it is nowhere yet
	told   time.Time
}

// What the names of the files of places begin with, before their number, and what comes behind all of them.
const (
	yielding   = "later-"
	lastOfAll  = "later."
	lastOfMost = "later" // but before those that yield
)

// Place is a place behind those who are there when it is taken, and behind those who come while it yields. It need
// not be left if it has no file yet.
func (q *Queue) Place(yields time.Duration) *Place {
	return &Place{queue: q, came: time.Now(), yields: yields}
}

// Try takes the turn if nobody has it and nobody is due before. what says for what, such as "reply in a.chat.md". If
// somebody else comes first, give is nil and first names what has the turn, if that is known: "Neovim's reply in
// a.chat.md (process 4711)", or "the reply in a.chat.md" of this process. That the process with the turn has given no
// sign for a while is an error.
func (p *Place) Try(what string) (give func(), first string, err error) {
	root, err := p.queue.open()
	if err != nil {
		return nil, "", err
	}
	defer func() {
		if give == nil {
			_ = root.Close()
		}
	}()
	state := p.queue.state
	whose, process := state.name()+"'s ", fmt.Sprintf(" (process %d)", os.Getpid())
	before, err := p.isBefore(root)
	if err != nil {
		return nil, "", err
	}
	var release func()
	var turn string
	if !before {
		if turn, release, err = p.queue.take(root, whose+what+process); err != nil {
			return nil, "", err
		}
	}
	if release == nil {
		first = ownerOf(root, p.queue.turn(0))
		if here, ok := strings.CutSuffix(first, process); ok {
			first = here
			if own, ok := strings.CutPrefix(here, whose); ok {
				first = "the " + own
			}
		}
		return nil, first, nil
	}
	p.leave(root)
	over := make(chan struct{})
	go giveSigns(root, turn, over)
	return sync.OnceFunc(func() {
		close(over)
		release()
		_ = root.Close()
	}), "", nil
}

// turn is the name of the lock of a turn. That of the first is as it was when there was one alone.
func (q *Queue) turn(n int) string {
	if n == 0 {
		return filepath.Join(q.dir, "turn")
	}
	return filepath.Join(q.dir, fmt.Sprintf("turn-%d", n+1))
}

// take takes a turn that nobody has; release is nil if there is none. That all who have one have given no sign for a
// while is an error.
func (q *Queue) take(root *os.Root, owned string) (turn string, release func(), err error) {
	silent := 0
	for n := range q.width {
		turn = q.turn(n)
		release, err = q.state.lockName(root, turn, owned)
		switch {
		case err == nil:
			return turn, release, nil
		case !errors.Is(err, workspace.ErrLocked):
			return "", nil, err
		case q.isSilent(root, turn):
			silent++
		}
	}
	if silent < q.width {
		return "", nil, nil
	}
	return "", nil, stateError(
		"%s has the turn and gave no sign for %v: it may be suspended.", ownerOf(root, q.turn(0)), turnLives,
	)
}

// giveSigns says that who has the turn lives, until it is over.
func giveSigns(root *os.Root, turn string, over <-chan struct{}) {
	tick := time.NewTicker(turnSign)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			_ = root.Chtimes(turn+".owner", time.Time{}, now)
		case <-over:
			return
		}
	}
}

// isSilent reports whether who has a turn has given no sign for long.
func (q *Queue) isSilent(root *os.Root, turn string) bool {
	var now time.Time
	if info, err := root.Lstat(turn + ".owner"); err == nil {
		now = info.ModTime()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if last := q.signs[turn]; !now.IsZero() && now.Equal(last.at) {
		return time.Since(last.since) > turnLives
	}
	if q.signs == nil {
		q.signs = map[string]sign{}
	}
	q.signs[turn] = sign{now, time.Now()}
	return false
}

// Stay takes the place in the queue, and gives a sign that its owner lives. It is called again and again, between
// attempts.
func (p *Place) Stay() error {
	if time.Since(p.told) < placeLives/6 {
		return nil
	}
	root, err := p.queue.open()
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // all that was written is closed
	p.told = time.Now()
	if strings.HasPrefix(filepath.Base(p.name), yielding) && !p.yieldsNow() {
		p.leave(root)
		p.number = 0 // behind all who came meanwhile
	}
	if p.name != "" && root.Chtimes(p.name, time.Time{}, p.told) == nil {
		return nil
	}
	if err := p.take(root); err != nil {
		return p.queue.state.fail("%q cannot be made: %v.", p.name, err)
	}
	return nil
}

// take makes the file of the place. One that was lost keeps its number.
func (p *Place) take(root *os.Root) error {
	if p.number == 0 {
		others, err := p.queue.places(root)
		if err != nil {
			return err
		}
		for _, name := range others {
			digits, _, _ := strings.Cut(strings.TrimPrefix(name, yielding), "-")
			number, _ := strconv.ParseUint(digits, 10, 64) // what is no number is nobody's place
			p.number = max(p.number, number)
		}
		p.number++
	}
	kind := ""
	if p.yieldsNow() {
		kind = yielding
	}
	p.name = filepath.Join(p.queue.dir, fmt.Sprintf("%s%020d-%s.place", kind, p.number, rand.Text()[:8]))
	err := root.WriteFile(p.name+".new", nil, 0o600)
	if err == nil {
		err = root.Chtimes(p.name+".new", time.Time{}, p.told) // by our clock, not by that of a file server
	}
	if err == nil {
		err = root.Rename(p.name+".new", p.name)
	}
	if errors.Is(err, os.ErrNotExist) { // somebody took it for one of the dead: the next attempt makes it again
		p.name, p.told = "", time.Time{}
		return nil
	}
	return err
}

// yieldsNow reports whether whoever comes now goes first. It is counted by our own clock, which nobody sets.
func (p *Place) yieldsNow() bool { return time.Since(p.came) < p.yields }

// Leave gives up the place.
func (p *Place) Leave() {
	if p.name == "" {
		return
	}
	root, err := p.queue.open()
	if err != nil {
		return
	}
	p.leave(root)
	_ = root.Close()
}

func (p *Place) leave(root *os.Root) {
	if p.name != "" {
		_ = root.Remove(p.name)
		p.name = ""
	}
}

// isBefore reports whether somebody who lives comes before.
func (p *Place) isBefore(root *os.Root) (bool, error) {
	mine := lastOfMost
	switch {
	case p.name != "":
		mine = filepath.Base(p.name)
	case p.yieldsNow():
		mine = lastOfAll
	}
	places, err := p.queue.places(root)
	return slices.ContainsFunc(places, func(name string) bool { return name < mine }), err
}

// places are the names of those who live. What the dead left is removed.
func (q *Queue) places(root *os.Root) (names []string, err error) {
	entries, err := diskfile.ReadDirIn(root, q.dir)
	if err != nil {
		return nil, q.state.fail("%q cannot be read: %v.", q.dir, err)
	}
	for _, e := range entries {
		made, begun := strings.HasSuffix(e.Name(), ".place"), strings.HasSuffix(e.Name(), ".place.new")
		info, err := e.Info()
		if err != nil || !made && !begun {
			continue
		}
		if age := time.Since(info.ModTime()).Abs(); age > placeLives { // also one of a clock that was set back
			_ = root.Remove(filepath.Join(q.dir, e.Name()))
		} else if made {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// open makes the folder of the queue, and returns the state folder.
func (q *Queue) open() (*os.Root, error) { return q.state.openWith(q.dir) }
