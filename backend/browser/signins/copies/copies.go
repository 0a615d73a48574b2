// Package copies makes private copies of files that another program may be writing to,
// and opens them. A copy is whole: when the other program wrote while it was made, it is
// made again.
package copies

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite": in Go, so that no library of the system is needed

	"pilotfish/backend/protocol"
)

// most is the size up to which a file is copied, in bytes.
const most = 256 << 20

// tries is how often a copy is made while the other program writes.
const tries = 5

// File copies a regular file with mode 0600. A file that does not exist is an error
// with fs.ErrNotExist.
func File(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return protocol.NewError(protocol.CodeNotWritable, "a file of the other browser cannot be read: "+filepath.Base(from), "check who owns its profile, or sign in here instead")
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return fmt.Errorf("reading %s: %w", filepath.Base(from), err)
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return protocol.NewError(protocol.CodeBadArgument, filepath.Base(from)+" of the other browser is no file, or too large", "sign in here instead")
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("writing into a private folder: %w", err)
	}
	_, err = io.Copy(out, io.LimitReader(in, most))
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("copying %s: %w", filepath.Base(from), err)
	}
	return nil
}

// Database copies an SQLite database with its journal or log, which have what the
// other program has written and not yet moved into the database.
func Database(from, to string) error {
	return whole(filepath.Base(from), func() (map[string]stamp, error) {
		seen := map[string]stamp{}
		for _, part := range []string{"", "-journal", "-wal"} {
			info, err := os.Stat(from + part)
			if err == nil {
				seen[part] = stampOf(info)
			} else if part == "" || !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
		return seen, nil
	}, func(seen map[string]stamp) error {
		for _, part := range []string{"", "-journal", "-wal"} {
			if _, there := seen[part]; !there {
				if err := os.Remove(to + part); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("removing a part of a copy: %w", err)
				}
				continue
			}
			if err := File(from+part, to+part); err != nil {
				return err
			}
		}
		return nil
	})
}

// Folder copies the regular files of a folder, without what is below it.
func Folder(from, to string) error {
	return whole(filepath.Base(from), func() (map[string]stamp, error) {
		entries, err := os.ReadDir(from)
		if err != nil {
			return nil, err
		}
		seen := map[string]stamp{}
		for _, e := range entries {
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				seen[e.Name()] = stampOf(info)
			}
		}
		return seen, nil
	}, func(seen map[string]stamp) error {
		if err := os.RemoveAll(to); err != nil {
			return fmt.Errorf("removing a part of a copy: %w", err)
		}
		if err := os.MkdirAll(to, 0o700); err != nil {
			return fmt.Errorf("making a private folder: %w", err)
		}
		for name := range seen {
			if err := File(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
				return err
			}
		}
		return nil
	})
}

// stamp says whether a file is still the same.
type stamp struct {
	size int64
	at   time.Time
}

func stampOf(info fs.FileInfo) stamp { return stamp{info.Size(), info.ModTime()} }

// whole makes a copy again until nothing was written meanwhile.
func whole(name string, look func() (map[string]stamp, error), copyAll func(map[string]stamp) error) error {
	for range tries {
		before, err := look()
		if err != nil {
			return missing(name, err)
		}
		made := copyAll(before)
		after, err := look()
		if err != nil {
			return missing(name, err)
		}
		if maps.Equal(before, after) || made != nil && !errors.Is(made, fs.ErrNotExist) {
			return missing(name, made)
		}
	}
	return protocol.NewError(protocol.CodeBusy, "the other browser is writing "+name+" at this moment", "try again, or close that browser first")
}

// missing says in words that a file is not there any more.
func missing(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return protocol.NewError(protocol.CodeBadArgument, name+" is not in the profile of the other browser any more", "sign in here instead", protocol.Try("lists the profiles", "signins"))
	}
	return err
}

// Open opens a copied database for reading.
func Open(path string) (*sql.DB, error) {
	address := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "_pragma=query_only(1)&_pragma=trusted_schema(0)"}
	db, err := sql.Open("sqlite", address.String())
	if err != nil {
		return nil, fmt.Errorf("opening a copied database: %w", err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// Rows runs a query with args and gives each row to take.
func Rows(ctx context.Context, db *sql.DB, query string, take func(scan func(...any) error) error, args ...any) (err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return unreadable(ctx, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := take(rows.Scan); err != nil {
			return unreadable(ctx, err)
		}
	}
	if err := rows.Err(); err != nil {
		return unreadable(ctx, err)
	}
	return nil
}

// unreadable says that a database is damaged, or of a format that we do not know.
func unreadable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return protocol.NewError(protocol.CodeBadArgument, "a database of the other browser cannot be read: it is damaged, or of a version that is not known here", "sign in here instead")
}
