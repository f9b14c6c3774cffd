package interpreter

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero/experimental"
)

// memory is the linear memory of an interpreter. It never moves, so a program can be interrupted from outside, and what
// it may use is set when the program is there.
type memory struct {
	mu                         sync.Mutex
	bytes                      []byte
	limit                      uint64
	refused                    atomic.Bool // the program wanted more than it may use
	ready                      atomic.Bool // the driver has told these addresses
	breaker, raised, exception uint32
}

// Allocate implements experimental.MemoryAllocator.
func (m *memory) Allocate(_, most uint64) experimental.LinearMemory {
	m.bytes = make([]byte, 0, min(most, maxMemory)) // pages that are not used take no memory
	return m
}

// Reallocate implements experimental.LinearMemory.
func (m *memory) Reallocate(size uint64) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if size > m.limit || size > uint64(cap(m.bytes)) {
		m.refused.Store(true)
		return nil
	}
	m.bytes = m.bytes[:size]
	return m.bytes
}

// Free implements experimental.LinearMemory.
func (m *memory) Free() {}

// bound limits the memory to a number of bytes.
func (m *memory) bound(size uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.limit = min(size, m.limit)
}

// interrupt has CPython raise TimeLimit at the next place where it looks for such, as another thread of it would. While
// a function in C runs, such as a regular expression, it does not look.
func (m *memory) interrupt() {
	m.mu.Lock()
	all := m.bytes
	m.mu.Unlock()
	if !m.ready.Load() || uint64(max(m.raised, m.breaker))+4 > uint64(len(all)) {
		return
	}
	binary.LittleEndian.PutUint32(all[m.raised:], m.exception)
	for range int(grace / interruptEvery) {
		binary.LittleEndian.PutUint32(all[m.breaker:], 1)
		time.Sleep(interruptEvery)
		if binary.LittleEndian.Uint32(all[m.raised:]) == 0 {
			return
		}
	}
}

// interruptEvery is how often CPython is told again, since it may clear its flag without looking.
const interruptEvery = 20 * time.Millisecond
