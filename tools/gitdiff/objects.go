package gitdiff

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/workspace"
)

// maxIndexes is how many bytes the indexes of all packs may have: they are held in memory.
const maxIndexes = 256 << 20

const packFolder = "objects/pack"

// openPacks opens the packs of the repository.
func (r *repository) openPacks() error {
	names, err := diskfile.ReadDirIn(r.files, packFolder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	total, objects := int64(0), cache.NewObjectLRU(16*cache.MiByte)
	for _, entry := range names {
		base, ok := strings.CutSuffix(entry.Name(), ".idx")
		if !ok {
			continue
		}
		idx, size, err := r.openIndex(path.Join(packFolder, entry.Name()))
		if err != nil {
			return err
		}
		if total += size; total > maxIndexes {
			return fmt.Errorf("it is too large: the indexes of its packs have more than %d MB", maxIndexes>>20)
		}
		pack, err := r.open(path.Join(packFolder, base+".pack"), math.MaxInt64)
		if err != nil {
			return err
		}
		r.opened = append(r.opened, pack)
		r.packs = append(r.packs, packfile.NewPackfileWithCache(idx, nil, file{pack}, objects, 0))
	}
	return nil
}

func (r *repository) openIndex(name string) (*idxfile.MemoryIndex, int64, error) {
	f, err := r.open(name, maxIndexes)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	idx := idxfile.NewMemoryIndex()
	return idx, info.Size(), idxfile.NewDecoder(f).Decode(idx)
}

// file is what the library wants of a file. It is only read.
type file struct{ *os.File }

// Lock implements billy.File.
func (file) Lock() error { return nil }

// Unlock implements billy.File.
func (file) Unlock() error { return nil }

// read returns an object, which must be of a kind.
func (r *repository) read(kind plumbing.ObjectType, hash plumbing.Hash) (string, error) {
	text, is, err := r.loose(hash)
	for i := 0; errors.Is(err, fs.ErrNotExist) && i < len(r.packs); i++ {
		if text, is, err = inPack(r.packs[i], hash); errors.Is(err, plumbing.ErrObjectNotFound) {
			err = fs.ErrNotExist
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", broken("an object of the last commit is not in it")
	case err != nil:
		return "", unreadable(err)
	case is != kind:
		return "", broken("it has a %v in the place of a %v", is, kind)
	}
	return text, nil
}

// loose returns an object that has a file of its own.
func (r *repository) loose(hash plumbing.Hash) (text string, kind plumbing.ObjectType, err error) {
	name := hash.String()
	f, err := r.open(path.Join("objects", name[:2], name[2:]), math.MaxInt64)
	if err != nil {
		return "", 0, err
	}
	defer f.Close() //nolint:errcheck // only read
	object, err := objfile.NewReader(f)
	if err != nil {
		return "", 0, err
	}
	defer object.Close() //nolint:errcheck // only read
	kind, size, err := object.Header()
	if err != nil {
		return "", 0, err
	}
	text, err = readAll(object, size)
	return text, kind, err
}

func inPack(pack *packfile.Packfile, hash plumbing.Hash) (text string, kind plumbing.ObjectType, err error) {
	offset, err := pack.FindOffset(hash)
	if err != nil {
		return "", 0, err
	}
	size, err := pack.GetSizeByOffset(offset)
	if err != nil {
		return "", 0, err
	}
	if size > workspace.MaxFile { // before it is in memory
		return "", 0, tooLarge(size)
	}
	object, err := pack.Get(hash)
	if err != nil {
		return "", 0, err
	}
	r, err := object.Reader()
	if err != nil {
		return "", 0, err
	}
	defer r.Close() //nolint:errcheck // only read
	text, err = readAll(r, object.Size())
	return text, object.Type(), err
}

// readAll reads an object that is no larger than a file may be.
func readAll(r io.Reader, size int64) (string, error) {
	if size > workspace.MaxFile {
		return "", tooLarge(size)
	}
	data, err := io.ReadAll(io.LimitReader(r, workspace.MaxFile+1))
	return string(data), err
}

func tooLarge(size int64) error {
	return fmt.Errorf("an object has %d MB: objects of up to %d MB are read", size>>20, workspace.MaxFile>>20)
}
