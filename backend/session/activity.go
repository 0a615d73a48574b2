package session

import (
	"path/filepath"

	"pilotfish/backend/activity/recorder"
	"pilotfish/backend/activity/shots"
	"pilotfish/backend/saved"
)

// newRecorder returns the recorder, which runs the session's commands and
// records them in the activity, the screenshots of what they did, and the index of
// the files that they saved.
func newRecorder(s *Session) (*recorder.Recorder, *shots.Shots, *saved.Files) {
	dirs := s.m.cfg.Dirs.Of(s.name)
	files := saved.New(dirs, s.m.known)
	taken := shots.New(shots.Config{Dir: filepath.Join(dirs.Root, "moments"), Settings: s.m.cfg.Settings, Commands: s.m.known, Logger: s.plainLog()})
	return recorder.New(recorder.Config{
		Session: s.name, Commands: s.m.known, Events: s.events, Shots: taken,
		Dir: filepath.Join(dirs.Root, "activity"), Logger: s.plainLog(),
	}), taken, files
}
