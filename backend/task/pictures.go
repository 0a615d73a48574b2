package task

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"pilotfish/backend/protocol"
)

// screenshotsDir is the folder of a task's screenshots: one of the page after each
// step.
func (s *Store) screenshotsDir(id protocol.TaskID) string {
	return filepath.Join(s.dir(id), "pictures")
}

func (s *Store) screenshotPath(id protocol.TaskID, step int) string {
	return filepath.Join(s.screenshotsDir(id), strconv.Itoa(step)+".jpg")
}

// KeepScreenshot moves a JPEG file to the task as the screenshot of a step. When
// the session's budget is exceeded, the oldest screenshots of other tasks are
// deleted first.
func (s *Store) KeepScreenshot(id protocol.TaskID, step int, file string) error {
	k, err := s.find(id)
	if err != nil {
		return err
	}
	if step < 1 {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("a task has no step %d", step), "")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.deleted {
		return protocol.NewError(protocol.CodeUnknownTask, "this task was deleted", "")
	}
	if err := os.MkdirAll(s.screenshotsDir(id), 0o700); err != nil {
		return unwritable(err)
	}
	if err := os.Rename(file, s.screenshotPath(id, step)); err != nil {
		return unwritable(err)
	}
	s.prune(id)
	return nil
}

// Picture returns the JPEG of a step.
func (s *Store) Picture(id protocol.TaskID, step int) ([]byte, error) {
	if _, err := s.find(id); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(s.screenshotPath(id, step))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("step %d has no screenshot", step), "screenshots of old tasks are deleted to save space")
	}
	if err != nil {
		return nil, fmt.Errorf("reading a picture: %w", err)
	}
	return data, nil
}

// prune deletes screenshots until the budget is met: those of other tasks
// first, and of these the oldest first.
func (s *Store) prune(writing protocol.TaskID) {
	type picture struct {
		path string
		info fs.FileInfo
		own  bool
	}
	var all []picture
	var total int64
	files, err := filepath.Glob(filepath.Join(s.config.Dir, "*", "pictures", "*.jpg"))
	if err != nil {
		return // cannot happen: the pattern is a valid one of ours
	}
	for _, path := range files {
		if info, err := os.Stat(path); err == nil {
			own := filepath.Base(filepath.Dir(filepath.Dir(path))) == string(writing)
			all, total = append(all, picture{path, info, own}), total+info.Size()
		}
	}
	if total <= s.budget {
		return
	}
	slices.SortFunc(all, func(a, b picture) int {
		if a.own != b.own {
			return cmp.Compare(boolean(a.own), boolean(b.own))
		}
		return a.info.ModTime().Compare(b.info.ModTime())
	})
	for _, p := range all {
		if total <= s.budget {
			return
		}
		if err := os.Remove(p.path); err != nil {
			s.log.Warn("a picture could not be removed", "error", err)
			continue
		}
		total -= p.info.Size()
	}
}

func boolean(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Files returns the images that a task's own commands created, as its journal
// names them. They are outside of its folder.
func (s *Store) Files(id protocol.TaskID) []string {
	var files []string
	for after := uint64(0); ; {
		page, err := s.Read(id, after, protocol.TaskPageSize)
		if err != nil || len(page.Events) == 0 {
			return files
		}
		for _, e := range page.Events {
			after = e.Index
			var step struct {
				Deeds []struct {
					Result struct {
						Picture string `json:"picture"`
					} `json:"result"`
				} `json:"deeds"`
			}
			if e.Kind != protocol.TaskEventStep || json.Unmarshal(e.Data, &step) != nil {
				continue
			}
			for _, d := range step.Deeds {
				if d.Result.Picture != "" {
					files = append(files, d.Result.Picture)
				}
			}
		}
	}
}
