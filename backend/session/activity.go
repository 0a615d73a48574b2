package session

import (
	"path/filepath"

	"pilotfish/backend/activity/recorder"
	"pilotfish/backend/saved"
)

// newRecorder returns the recorder, which runs the session's commands and
// records them in the activity, and the index of the files that they saved.
func newRecorder(s *Session) (*recorder.Recorder, *saved.Files) {
	files := saved.New(saved.Config{
		Dirs: func() (saved.Dirs, error) {
			dirs, err := s.m.cfg.Dirs.Session(s.name)
			return saved.Dirs{Root: dirs.Root, Screenshots: dirs.Screenshots, Downloads: dirs.Downloads, Attachments: dirs.Attachments}, err
		},
		Find: s.m.known.Find,
	})
	return recorder.New(recorder.Config{
		Session: s.name, Find: s.m.known.Find, Files: files, Step: conversations{s}.step, Logger: s.plainLog(),
		Dir: func() (string, error) {
			dirs, err := s.m.cfg.Dirs.Session(s.name)
			return filepath.Join(dirs.Root, "activity"), err
		},
	}), files
}
