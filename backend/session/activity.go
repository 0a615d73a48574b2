package session

import (
	"path/filepath"

	"pilotfish/backend/activity/recorder"
	"pilotfish/backend/activity/shots"
	"pilotfish/backend/protocol"
	"pilotfish/backend/saved"
)

// newRecorder returns the recorder, which runs the session's commands and
// records them in the activity, the screenshots of what they did, and the index of
// the files that they saved.
func newRecorder(s *Session) (*recorder.Recorder, *shots.Shots, *saved.Files) {
	files := saved.New(saved.Config{
		Dirs: func() (saved.Dirs, error) {
			dirs, err := s.m.cfg.Dirs.Session(s.name)
			return saved.Dirs{Root: dirs.Root, Screenshots: dirs.Screenshots, Downloads: dirs.Downloads, Attachments: dirs.Attachments}, err
		},
		Find: s.m.known.Find,
	})
	folder := func(name string) func() (string, error) {
		return func() (string, error) {
			dirs, err := s.m.cfg.Dirs.Session(s.name)
			return filepath.Join(dirs.Root, name), err
		}
	}
	taken := shots.New(shots.Config{
		Dir: folder("moments"), On: func() bool { return s.m.cfg.Settings.Get().ActivityShots }, Logger: s.plainLog(),
		Acts: func(command string) bool {
			spec, err := s.m.known.Find(command)
			return err == nil && spec.Scope == protocol.ScopeAct
		},
	})
	return recorder.New(recorder.Config{
		Session: s.name, Find: s.m.known.Find, Files: files, Step: conversations{s}.step, Recorded: taken.Recorded,
		Dir: folder("activity"), Logger: s.plainLog(),
	}), taken, files
}
