//go:build !linux

package changes

import (
	"context"
	"time"
)

type stat struct{}

// Read implements nothing here.
func Read(context.Context, *Layer) (List, error) { return List{}, ErrUnsupported }

// Apply implements nothing here.
func Apply(*Layer, []Change) (Report, error) { return Report{}, ErrUnsupported }

// Texts implements nothing here.
func (Change) Texts(*Layer, int64) (before, after *string, ok bool) { return nil, nil, false }

// TimesAlone implements nothing here.
func (Change) TimesAlone() bool { return false }

// Linked implements nothing here.
func (Change) Linked() bool { return false }

// Again implements nothing here.
func (*Layer) Again() (*Layer, error) { return nil, ErrUnsupported }

// Rewrite implements nothing here.
func (*Layer) Rewrite(string, string) error { return ErrUnsupported }

// Keep implements nothing here.
func (*Layer) Keep([]Aside) (string, error) { return "", ErrUnsupported }

// Touched implements nothing here.
func Touched(*Layer, []Change) []Change { return nil }

// LosesHidden implements nothing here.
func (List) LosesHidden(*Layer, string) (bool, error) { return false, nil }

// Selection is nothing here.
type Selection struct{}

// Clock implements nothing here.
func Clock(string) (time.Time, error) { return time.Time{}, ErrUnsupported }

// Later implements nothing here.
func Later(string, time.Time) (time.Time, error) { return time.Time{}, ErrUnsupported }

// Finish implements nothing here.
func Finish(string) error { return ErrUnsupported }

// Select implements nothing here.
func Select(context.Context, *Layer, string, func(string, bool) bool) (*Selection, error) {
	return nil, ErrUnsupported
}

// Parts implements nothing here.
func (*Selection) Parts() []Part { return nil }

// Has implements nothing here.
func (*Selection) Has(string) bool { return false }

// Take implements nothing here.
func (*Selection) Take(*Layer, Part, string) error { return ErrUnsupported }

// Hides implements nothing here.
func Hides(*Layer, string) (bool, error) { return false, ErrUnsupported }

// Drop implements nothing here.
func Drop(string, string) error { return ErrUnsupported }

// Count implements nothing here.
func Count(string, string) (int, uint64, error) { return 0, 0, ErrUnsupported }

// StampOf implements nothing here.
func StampOf(string, string) (Stamp, error) { return Stamp{}, ErrUnsupported }

// Tracked implements nothing here.
func Tracked(string) func(string) bool { return func(string) bool { return true } }

// Left implements nothing here.
func Left(*Layer, string, int64) (text *string, touched, ok bool) { return nil, false, false }
