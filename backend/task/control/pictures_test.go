package control

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// The screenshot of a step is kept with the task. Deleting a task deletes the
// images of its own commands, too, and no other file that its journal names.
func TestPictures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, nil)
		shots := filepath.Join(d.dir, "screenshots")
		if err := os.MkdirAll(filepath.Join(shots, "deep"), 0o700); err != nil {
			t.Fatal(err)
		}
		file := func(path string) string {
			if err := os.WriteFile(path, []byte("jpeg"), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
		d.reply = func(call command.Call) protocol.CommandReply {
			data, err := json.Marshal(protocol.Screenshot{Path: file(filepath.Join(d.dir, "shot.jpg"))})
			if err != nil || !call.BesideSnapshots || call.Request.Command != "screenshot" || !slices.Equal(call.Scopes, []protocol.Scope{protocol.ScopeRead}) {
				t.Errorf("%+v, %v", call, err)
			}
			return protocol.CommandReply{OK: true, Data: data}
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		running, err := d.cfg.Running()
		if err != nil {
			t.Fatal(err)
		}
		go d.TakeScreenshots(ctx, running)
		d.write(t, one, "p", protocol.TaskRunning)
		synctest.Wait()
		own, deep, foreign := file(filepath.Join(shots, "own.png")), file(filepath.Join(shots, "deep", "a.png")), file(filepath.Join(d.dir, "foreign.png"))
		for i, path := range []string{own, deep, foreign} {
			step := fmt.Sprintf(`{"n":%d,"deeds":[{"result":{"picture":%q}}]}`, i+1, path)
			if _, err := d.Write(t.Context(), protocol.TaskWriteRequest{Task: one, Viewer: "p", Kind: protocol.TaskEventStep, Data: json.RawMessage(step), Picture: &protocol.TaskShot{Step: i + 1, Tab: "t1"}}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if got, err := d.Picture(protocol.TaskScreenshotRequest{Task: one, Step: 2}); err != nil || got.Name != "step 2" || got.Data == "" {
			t.Errorf("%+v, %v", got, err)
		}
		if code(d.Delete(one)) != protocol.CodeBusy {
			t.Error("a task that runs was deleted")
		}
		d.write(t, one, "p", protocol.TaskDone)
		if err := d.Delete(one); err != nil {
			t.Fatal(err)
		}
		for path, stays := range map[string]bool{own: false, deep: true, foreign: true} {
			if _, err := os.Stat(path); (err == nil) != stays {
				t.Errorf("%s: %v", filepath.Base(path), err)
			}
		}
	})
}
