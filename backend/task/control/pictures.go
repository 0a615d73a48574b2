package control

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
	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// screenshotQuality is the JPEG quality of screenshots.
const screenshotQuality = 50

// shots is how many requests for screenshots of steps may be queued. A task
// requests one per step, and each is started at once.
const shots = 16

// shot is a screenshot that is to be taken.
type shot struct {
	task protocol.TaskID
	protocol.TaskShot
}

// shoot requests the screenshot of a step.
func (t *Tasks) shoot(id protocol.TaskID, wanted protocol.TaskShot) {
	select {
	case t.shots <- shot{id, wanted}:
	default:
		t.log.Debug("a step has no picture: too many are waited for", "task", id, "step", wanted.Step)
	}
}

// TakeScreenshots takes the screenshots of steps until ctx ends.
func (t *Tasks) TakeScreenshots(ctx context.Context, r Running) {
	for len(t.shots) > 0 {
		<-t.shots // from a previous run: its pages are closed
	}
	var taken sync.WaitGroup
	defer taken.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case shot := <-t.shots:
			taken.Go(func() {
				if err := t.takeScreenshot(ctx, r, shot); err != nil && ctx.Err() == nil {
					t.log.Debug("a step has no picture", "task", shot.task, "step", shot.Step, "error", err)
				}
			})
		}
	}
}

// takeScreenshot takes a screenshot of a task's tab and keeps it as that of a
// step. It is not a command of the task, so it does not appear in the activity.
func (t *Tasks) takeScreenshot(ctx context.Context, r Running, shot shot) error {
	ctx, cancel := context.WithTimeout(ctx, protocol.MaxCommandTimeout)
	defer cancel()
	store, head, err := t.find(shot.task)
	if err != nil {
		return err
	}
	actor := protocol.Actor{Kind: protocol.ActorTask, ID: string(head.ID), Name: head.Title}
	for _, tab := range head.Tabs {
		r.Policy.Opened(actor, tab)
	}
	args := map[string]json.RawMessage{"format": json.RawMessage(`"jpeg"`), "quality": json.RawMessage(strconv.Itoa(screenshotQuality))}
	reply := r.Commands.Execute(ctx, command.Call{
		Actor: actor, Scopes: auth.Scopes{protocol.ScopeRead}, Tab: head.Tab,
		Request: protocol.CommandRequest{Command: "screenshot", Tab: shot.Tab, Args: args}, BesideSnapshots: true,
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
	if err := store.KeepScreenshot(shot.task, shot.Step, saved.Path); err != nil {
		_ = os.Remove(saved.Path) // otherwise the file would stay unused
		return err
	}
	return nil
}

// Picture returns the screenshot of a task's step.
func (t *Tasks) Picture(req protocol.TaskScreenshotRequest) (protocol.ChatAttachment, error) {
	store, err := t.opened()
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

// Delete deletes a task that does not run, with its screenshots.
func (t *Tasks) Delete(id protocol.TaskID) error {
	store, err := t.opened()
	if err != nil {
		return err
	}
	files := store.Files(id)
	if err := store.Delete(id); err != nil {
		return err
	}
	t.cfg.Events.Publish(protocol.TaskGoneEvent{Type: protocol.PanelTaskGone, Task: id})
	for _, file := range files {
		// Only files that our own commands created are removed, whatever the
		// journal names.
		if within, err := filepath.Rel(t.cfg.Dirs.Screenshots, file); err == nil && filepath.IsLocal(within) && !strings.ContainsRune(within, filepath.Separator) {
			if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
				t.log.Warn("a task's picture could not be removed", "task", id, "error", err)
			}
		}
	}
	return nil
}
