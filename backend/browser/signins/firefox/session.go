package firefox

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/pierrec/lz4/v4"
)

// sessionMost is the size up to which a stored session is read, in bytes.
const sessionMost = 128 << 20

// sessionCookies returns the cookies that end with Firefox's session. They are not in
// the cookie store but in the stored session: while Firefox runs in a backup of it that
// is at most some seconds old. A session that cannot be read has none.
func sessionCookies(profile string) []*stored {
	var newest string
	var at time.Time
	for _, name := range []string{"sessionstore.jsonlz4", filepath.Join("sessionstore-backups", "recovery.jsonlz4")} {
		info, err := os.Stat(filepath.Join(profile, name))
		if err == nil && info.Mode().IsRegular() && info.Size() <= sessionMost && info.ModTime().After(at) {
			newest, at = filepath.Join(profile, name), info.ModTime()
		}
	}
	if newest == "" {
		return nil
	}
	raw, err := os.ReadFile(newest)
	if err != nil {
		return nil
	}
	var session struct {
		Cookies []*stored `json:"cookies"`
	}
	if json.Unmarshal(unpack(raw), &session) != nil {
		return nil
	}
	for _, c := range session.Cookies {
		c.Expiry = 0
		// Files of old versions have paths left out.
		if c.Path == "" {
			c.Path = "/"
		}
	}
	return session.Cookies
}

// mark is what a compressed file of Firefox starts with; then come its size when it is
// unpacked, in four bytes, and one LZ4 block.
const mark = "mozLz40\x00"

// unpack returns what is in a compressed file of Firefox, nothing when it is damaged.
func unpack(raw []byte) []byte {
	head := len(mark) + 4
	if len(raw) < head || string(raw[:len(mark)]) != mark {
		return nil
	}
	size := binary.LittleEndian.Uint32(raw[len(mark):])
	if size > sessionMost {
		return nil
	}
	out := make([]byte, size)
	n, err := lz4.UncompressBlock(raw[head:], out)
	if err != nil {
		return nil
	}
	return out[:n]
}
