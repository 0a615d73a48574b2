package session

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"pilotfish/backend/auth"
	"pilotfish/backend/browser"
	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// TakeTaskPicture keeps what a task's tab looks like now as the picture of a
// step. It is no command of the task: nobody sees it in the activity, and the
// task does not wait for it.
func (m *Manager) TakeTaskPicture(ctx context.Context, grant auth.Grant, req protocol.TaskPictureRequest) error {
	s, store, err := m.tasksOf(grant)
	if err != nil {
		return err
	}
	head, err := store.Head(req.Task)
	if err == nil && !head.State.Over() { // the last step's picture comes after its end
		head, err = store.Holds(req.Task, req.Viewer)
	}
	if err != nil {
		return err
	}
	r, err := s.current()
	if err != nil {
		return err
	}
	actor := protocol.Actor{Kind: protocol.ActorTask, ID: string(head.ID), Name: head.Title}
	for _, tab := range head.Tabs {
		r.policy.Opened(actor, tab)
	}
	args := map[string]json.RawMessage{"format": json.RawMessage(`"jpeg"`), "quality": json.RawMessage(strconv.Itoa(protocol.TaskPictureQuality))}
	reply := r.commands.Execute(browser.BesideLooks(ctx), command.Call{
		Actor: actor, Scopes: auth.Scopes{protocol.ScopeRead}, Tab: head.Tab,
		Request: protocol.CommandRequest{Command: "screenshot", Tab: req.Tab, Args: args},
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
		return err
	}
	if err := store.KeepPicture(req.Task, req.Step, saved.Path); err != nil {
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
