package identity

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	_ "modernc.org/sqlite" // the driver "sqlite": in Go, so that no library of the system is needed
)

// errForeign is returned for a profile to which its user added certificates in the
// browser: they would be lost.
var errForeign = errors.New("the profile has certificates that were added in the browser")

// owner is the application id of a database that we wrote.
const owner = 0x50694654

// trustAuthorities makes a profile trust these authorities (DER) and no others.
// Without certificates it takes back what it wrote. folder is the one of the profile
// itself, "Default". Chromium keeps the list in an SQLite file there, which its
// certificate manager writes and which is read at the start.
func trustAuthorities(ctx context.Context, folder string, certificates [][]byte) error {
	path := filepath.Join(folder, "ServerCertificate")
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the profile's certificates: %w", err)
	}
	// The application id is in the file's header. A file without one is the browser's,
	// which may also be damaged: without certificates we leave it to the browser.
	ours := len(data) > 100 && binary.BigEndian.Uint32(data[68:]) == owner
	if len(certificates) == 0 {
		if !ours {
			return nil
		}
		for _, end := range []string{"", "-journal", "-wal", "-shm"} {
			if err := os.Remove(path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("taking back the profile's certificates: %w", err)
			}
		}
		return nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("writing the profile's certificates: %w", err)
	}
	if err := writeAuthorities(ctx, path, certificates); err != nil {
		return fmt.Errorf("writing the profile's certificates: %w", err)
	}
	return nil
}

// writeAuthorities writes the database, in one transaction.
func writeAuthorities(ctx context.Context, path string, certificates [][]byte) (err error) {
	address := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "_pragma=trusted_schema(0)"}
	db, err := sql.Open("sqlite", address.String())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	var by, version, rows int64
	if _, err := tx.ExecContext(ctx, `
		CREATE TABLE IF NOT EXISTS meta(key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
		INSERT OR IGNORE INTO meta VALUES ('version', '1'), ('last_compatible_version', '1');
		CREATE TABLE IF NOT EXISTS certificates(sha256hash_hex TEXT PRIMARY KEY, der_cert BLOB NOT NULL, trust_settings BLOB NOT NULL)`); err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, `SELECT application_id, user_version, (SELECT count(*) FROM certificates)
		FROM pragma_application_id, pragma_user_version`).Scan(&by, &version, &rows); err != nil {
		return err
	}
	if by != owner && rows > 0 {
		return errForeign
	}
	var hashes []string
	for _, der := range certificates {
		hash := sha256.Sum256(der)
		hashes = append(hashes, hex.EncodeToString(hash[:]))
	}
	// The user may have added others in the browser meanwhile: with the same authorities
	// the list stays.
	same := sum(hashes)
	if by == owner && version == same {
		return nil
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf(`DELETE FROM certificates; PRAGMA application_id = %d; PRAGMA user_version = %d`, owner, same)); err != nil {
		return err
	}
	for i, der := range certificates {
		// x'0a020803' is the setting "trusted as an authority", as a protocol buffer.
		if _, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO certificates VALUES (?, ?, x'0a020803')`, hashes[i], der); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// sum returns a number for a set of certificates.
func sum(hashes []string) int64 {
	all := slices.Clone(hashes)
	slices.Sort(all)
	of := sha256.New()
	for _, hash := range slices.Compact(all) {
		_, _ = of.Write([]byte(hash)) // never fails
	}
	return int64(binary.BigEndian.Uint32(of.Sum(nil)) >> 1) // user_version is a signed number of 32 bits
}
