package update_test

import (
	"os"
	"path/filepath"
	"testing"

	"pilotfish/backend/journal/smalldisk"
	"pilotfish/backend/protocol"
)

func TestFullDisk(t *testing.T) {
	s, dir := newSite(t), filepath.Join(t.TempDir(), "small")
	smalldisk.Mount(t, dir, 64)
	for _, name := range []string{"pilotfish", "pilotfish-service"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	archive := packed(t, "0.2.0", "pilotfish", "pilotfish-service")
	m := manifest(archive)
	s.publish(t, m, archive)
	free := smalldisk.Fill(t, dir)
	err := s.source().Install(t.Context(), m, dir)
	free()
	refused(t, err, protocol.CodeNotWritable, "the disk is full")
	untouched(t, dir)
}
