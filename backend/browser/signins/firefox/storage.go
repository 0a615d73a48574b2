package firefox

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/golang/snappy"

	"pilotfish/backend/browser/localstorage"
	"pilotfish/backend/browser/signins/copies"
	"pilotfish/backend/protocol"
)

// areaMost is the size of a value up to which it is unpacked, in bytes.
const areaMost = 64 << 20

// Storage returns the local storage of the origins that are wanted; dir is a private
// folder. Each origin has a folder with a database. Those of containers and of frames of
// other sites have a ^ in their name and are left out.
func Storage(ctx context.Context, profile, dir string, want func(origin string) bool) ([]localstorage.Area, error) {
	base := filepath.Join(profile, "storage", "default")
	folders, err := os.ReadDir(base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // no site has stored anything
	}
	if err != nil {
		return nil, protocol.NewError(protocol.CodeNotWritable, "the local storage of the other browser cannot be read", "check who owns its profile")
	}
	var out []localstorage.Area
	for i, folder := range folders {
		// https+++example.com+8443: the name says enough to leave most of them closed.
		scheme, host, ok := strings.Cut(folder.Name(), "+++")
		origin := scheme + "://" + strings.Replace(host, "+", ":", 1)
		if !ok || strings.Contains(host, "^") || strings.HasPrefix(host, "[") || !want(origin) {
			continue
		}
		from := filepath.Join(base, folder.Name(), "ls", "data.sqlite")
		if _, err := os.Stat(from); err != nil {
			continue // it has other storage only
		}
		items, err := items(ctx, from, filepath.Join(dir, "ls"+strconv.Itoa(i)+".sqlite"))
		if err != nil {
			return nil, err
		}
		if len(items) > 0 {
			out = append(out, localstorage.Area{Origin: origin, Items: items})
		}
	}
	return out, nil
}

func items(ctx context.Context, from, to string) (out []localstorage.Item, err error) {
	if err := copies.Database(from, to); err != nil {
		return nil, err
	}
	db, err := copies.Open(to)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	made := false // Firefox may be making it at this moment
	err = copies.Rows(ctx, db, `SELECT 1 FROM sqlite_master WHERE name = 'data'`, func(scan func(...any) error) error { return scan(&made) })
	if err != nil || !made {
		return nil, err
	}
	err = copies.Rows(ctx, db, `SELECT CAST(key AS BLOB), conversion_type, compression_type, value FROM data`, func(scan func(...any) error) error {
		var key, value []byte
		var conversion, compression int
		if err := scan(&key, &conversion, &compression, &value); err != nil {
			return err
		}
		switch n, err := snappy.DecodedLen(value); {
		case compression == 0:
		case compression != 1 || err != nil || n > areaMost:
			return errors.New("a value of an unknown form")
		default:
			if value, err = snappy.Decode(nil, value); err != nil {
				return err
			}
		}
		item := localstorage.Item{Key: utf16.Encode([]rune(string(key)))}
		switch conversion {
		case 0: // UTF-16
			for ; len(value) >= 2; value = value[2:] {
				item.Value = append(item.Value, binary.LittleEndian.Uint16(value))
			}
		case 1: // UTF-8
			item.Value = utf16.Encode([]rune(string(value)))
		default:
			return errors.New("a value of an unknown form")
		}
		out = append(out, item)
		return nil
	})
	return out, err
}
