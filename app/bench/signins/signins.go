// Package signins measures how long the picker of sign-ins waits for the sites of
// another browser's profile.
package signins

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver of the reference, the same as the product's

	"pilotfish/app/bench/report"
	"pilotfish/backend/browser/signins"
)

// Benches measure the list of sites.
func Benches() []report.Bench {
	return []report.Bench{{Rows: []string{"signins.list"}, Run: list}}
}

// The profile that is listed: 2,000 sites with 10 cookies each.
const cookies, sites = 20_000, 2_000

// list compares the list of a profile's sites, which copies the cookie store, leaves
// out what expired, adds up sites and removes the copy, with a bare query of the
// original.
func list(ctx context.Context, o report.Options) (_ []report.Row, err error) {
	home, err := os.MkdirTemp("", "pilotfish-bench-signins-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	store, err := profile(ctx, filepath.Join(home, ".mozilla", "firefox"))
	if err != nil {
		return nil, fmt.Errorf("writing a profile: %w", err)
	}
	in := signins.New(signins.Config{
		Dir: filepath.Join(home, "reading"), File: filepath.Join(home, "signins.json"),
		Keyring: func(context.Context) bool { return false }, Logger: slog.New(slog.DiscardHandler),
		Getenv: func(name string) string { return map[string]string{"HOME": home}[name] },
	})
	runs := 30
	if o.Quick {
		runs = 10
	}
	const bare = "a bare query"
	took := report.Samples{}
	for range runs {
		start := time.Now()
		got, err := in.Sites(ctx, "firefox", "")
		if err != nil {
			return nil, err
		}
		took.Add(report.Ours, ms(start))
		if len(got.Sites) != sites || got.Sites[0].Cookies != cookies/sites {
			return nil, fmt.Errorf("%d sites were listed", len(got.Sites))
		}
		start = time.Now()
		n, err := query(ctx, store)
		if err != nil {
			return nil, err
		}
		took.Add(bare, ms(start))
		if n != sites {
			return nil, fmt.Errorf("the bare query gave %d hosts", n)
		}
	}
	return []report.Row{took.Row("signins.list", "ms").Against(bare).AtMost(limit)}, nil
}

// limit is twice what was measured.
const limit = 4

func ms(start time.Time) float64 { return float64(time.Since(start).Microseconds()) / 1000 }

// query is what no list can do without.
func query(ctx context.Context, store string) (n int, err error) {
	db, err := sql.Open("sqlite", "file:"+store)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, `SELECT host, count(*) FROM moz_cookies GROUP BY host`)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var host string
		var of int
		if err := rows.Scan(&host, &of); err != nil {
			return n, err
		}
		n++
	}
	return n, rows.Err()
}

// profile writes a profile of Firefox and returns its cookie store.
func profile(ctx context.Context, data string) (store string, err error) {
	folder := filepath.Join(data, "ab.default")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(data, "profiles.ini"), []byte("[Profile0]\nName=default\nIsRelative=1\nPath=ab.default\n"), 0o600); err != nil {
		return "", err
	}
	store = filepath.Join(folder, "cookies.sqlite")
	db, err := sql.Open("sqlite", "file:"+store)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, change := range []string{
		`CREATE TABLE moz_cookies (id INTEGER PRIMARY KEY, originAttributes TEXT NOT NULL DEFAULT '', name TEXT, value TEXT, host TEXT, path TEXT, expiry INTEGER, lastAccessed INTEGER, creationTime INTEGER, isSecure INTEGER, isHttpOnly INTEGER, inBrowserElement INTEGER DEFAULT 0, sameSite INTEGER DEFAULT 0, schemeMap INTEGER DEFAULT 0, isPartitionedAttributeSet INTEGER DEFAULT 0, updateTime INTEGER, CONSTRAINT moz_uniqueid UNIQUE (name, host, path, originAttributes))`,
		fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO moz_cookies (name, value, host, path, expiry, isSecure, isHttpOnly, sameSite, schemeMap)
			SELECT 'name' || i, hex(zeroblob(32)), 'www.site' || (i %% %d) || '.example', '/', 4000000000000, 1, 1, 1, 2 FROM n`, cookies-1, sites),
	} {
		if _, err := db.ExecContext(ctx, change); err != nil {
			return "", err
		}
	}
	return store, nil
}
