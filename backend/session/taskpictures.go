package session

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"pilotfish/backend/auth"
	"pilotfish/backend/browser"
	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// shots is how many pictures of steps may wait to be begun. A task asks for one a
// step, and each is begun at once.
const shots = 16

// taskShot is a picture that is to be taken.
type taskShot struct {
	task protocol.TaskID
	protocol.TaskShot
}

// shoot asks for the picture of a step.
func (p *taskPages) shoot(id protocol.TaskID, shot protocol.TaskShot) {
	select {
	case p.shots <- taskShot{id, shot}:
	default:
		p.s.log.Debug("a step has no picture: too many are waited for", "task", id, "step", shot.Step)
	}
}

// takePictures takes the pictures of steps, until ctx ends.
func (p *taskPages) takePictures(ctx context.Context, r *run) {
	for len(p.shots) > 0 {
		<-p.shots // of a run before: its pages are gone
	}
	var taken sync.WaitGroup
	defer taken.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case shot := <-p.shots:
			taken.Go(func() {
				if err := p.s.takePicture(ctx, r, shot); err != nil && ctx.Err() == nil {
					p.s.log.Debug("a step has no picture", "task", shot.task, "step", shot.Step, "error", err)
				}
			})
		}
	}
}

// takePicture keeps what a task's tab looks like now as the picture of a step. It
// is no command of the task: nobody sees it in the activity.
func (s *Session) takePicture(ctx context.Context, r *run, shot taskShot) error {
	ctx, cancel := context.WithTimeout(ctx, protocol.MaxCommandTimeout)
	defer cancel()
	store, err := s.taskStore()
	if err != nil {
		return err
	}
	head, err := store.Head(shot.task)
	if err != nil {
		return err
	}
	actor := protocol.Actor{Kind: protocol.ActorTask, ID: string(head.ID), Name: head.Title}
	for _, tab := range head.Tabs {
		r.policy.Opened(actor, tab)
	}
	args := map[string]json.RawMessage{"format": json.RawMessage(`"jpeg"`), "quality": json.RawMessage(strconv.Itoa(taskPictureQuality))}
	reply := r.commands.Execute(browser.BesideLooks(ctx), command.Call{
		Actor: actor, Scopes: auth.Scopes{protocol.ScopeRead}, Tab: head.Tab,
		Request: protocol.CommandRequest{Command: "screenshot", Tab: shot.Tab, Args: args},
	})
	if reply.Error != nil {
		return reply.Error
	}
	var saved struct {
		Path string `json:"path"`
	}
	data, err := json.Marshal(reply.Data)
	if err == nil {
		err = json.Unmarshal(data, &saved)
	}
	if err != nil {
		return fmt.Errorf("reading where a picture was saved: %w", err)
	}
	if err := store.KeepPicture(shot.task, shot.Step, saved.Path); err != nil {
		_ = os.Remove(saved.Path) // nobody would find it
		return err
	}
	return nil
}

// TaskPicture is the picture of a task's step.
func (m *Manager) TaskPicture(_ context.Context, grant auth.Grant, req protocol.TaskPictureRequest) (protocol.ChatAttachment, error) {
	_, store, err := m.tasksOf(grant)
	if err != nil {
		return protocol.ChatAttachment{}, err
	}
	data, err := store.Picture(req.Task, req.Step)
	if err != nil {
		return protocol.ChatAttachment{}, err
	}
	return protocol.ChatAttachment{
		Kind: protocol.AttachImage, Name: "step " + strconv.Itoa(req.Step), Mime: "image/jpeg", Data: base64.StdEncoding.EncodeToString(data),
	}, nil
}

// DeleteTask forgets a task that does not run, with its pictures.
func (m *Manager) DeleteTask(_ context.Context, grant auth.Grant, id protocol.TaskID) error {
	s, store, err := m.tasksOf(grant)
	if err != nil {
		return err
	}
	files := store.Files(id)
	if err := store.Delete(id); err != nil {
		return err
	}
	dirs, err := m.cfg.Dirs.Session(s.name)
	if err != nil {
		return err
	}
	for _, file := range files {
		// A journal names only what our own commands made; nothing else goes.
		if within, err := filepath.Rel(dirs.Screenshots, file); err == nil && filepath.IsLocal(within) && !strings.ContainsRune(within, filepath.Separator) {
			if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
				s.log.Warn("a task's picture could not be removed", "task", id, "error", err)
			}
		}
	}
	return nil
}
