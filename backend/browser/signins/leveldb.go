package signins

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/opt"
	"github.com/syndtr/goleveldb/leveldb/util"

	"pilotfish/backend/browser/localstorage"
	"pilotfish/backend/browser/signins/copies"
	"pilotfish/backend/protocol"
)

// chromiumStorage returns the local storage of the origins that are wanted. Chromium
// keeps that of all origins in one LevelDB, with keys of the form _origin, a zero byte
// and the item's key. What frames of other sites stored has another form, and is left
// out.
func chromiumStorage(profile, dir string, want func(origin string) bool) ([]localstorage.Area, error) {
	from, to := filepath.Join(profile, "Local Storage", "leveldb"), filepath.Join(dir, "leveldb")
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return nil, nil // no site has stored anything
	}
	if err := copies.Folder(from, to); err != nil {
		return nil, err
	}
	db, err := leveldb.OpenFile(to, &opt.Options{ErrorIfMissing: true})
	if err != nil {
		return nil, unreadable()
	}
	var out []localstorage.Area
	rows := db.NewIterator(util.BytesPrefix([]byte("_")), nil)
	for rows.Next() {
		origin, key, ok := bytes.Cut(rows.Key()[1:], []byte{0})
		if !ok || bytes.ContainsRune(origin, '^') || !want(string(origin)) {
			continue
		}
		item := localstorage.Item{Key: chromiumText(key), Value: chromiumText(rows.Value())}
		if i := slices.IndexFunc(out, func(a localstorage.Area) bool { return a.Origin == string(origin) }); i >= 0 {
			out[i].Items = append(out[i].Items, item)
		} else {
			out = append(out, localstorage.Area{Origin: string(origin), Items: []localstorage.Item{item}})
		}
	}
	rows.Release()
	if err := errors.Join(rows.Error(), db.Close()); err != nil {
		return nil, unreadable()
	}
	return out, nil
}

func unreadable() error {
	return protocol.NewError(protocol.CodeBadArgument, "the local storage of the other browser cannot be read: it is damaged, or of a version that is not known here", "import without local storage, or sign in here instead")
}

// chromiumText returns a text whose first byte says how the rest is encoded: 0 is
// UTF-16, 1 is Latin-1.
func chromiumText(raw []byte) localstorage.Text {
	if len(raw) == 0 {
		return nil
	}
	var out localstorage.Text
	if raw[0] == 1 {
		for _, c := range raw[1:] {
			out = append(out, uint16(c))
		}
		return out
	}
	for raw = raw[1:]; len(raw) >= 2; raw = raw[2:] {
		out = append(out, binary.LittleEndian.Uint16(raw))
	}
	return out
}
