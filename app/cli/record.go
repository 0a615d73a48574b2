package main

import (
	"context"
	"encoding/json"
	"fmt"

	"pilotfish/app/cli/syntax"
	"pilotfish/backend/protocol"
)

// recordingTo takes --out from a line of `record`, so that the app, which notes each line, does
// not get the address.
func recordingTo(in *syntax.Invocation) (destination, error) {
	out, given := in.Values["out"]
	if in.Spec.Name != "record" || !given {
		return destination{}, nil
	}
	delete(in.Values, "out")
	if do := in.Values["do"]; do != "stop" && do != "save" {
		return destination{}, in.UsageError("--out is for stop and save, which make the files")
	}
	to, err := addressOf(out)
	return destination{to: to}, err
}

// deliverRecording sends the video of a recording that was saved, or else its routine, and says
// so in the reply.
func (d destination) deliverRecording(ctx context.Context, reply *protocol.CommandReply) {
	if d.to == nil || !reply.OK {
		return
	}
	fail := func(err error, hint string) {
		e := protocol.AsError(err)
		reply.OK, reply.Error = false, protocol.NewError(e.Code, e.Message, hint)
	}
	var saved protocol.RecordReply
	if err := json.Unmarshal(reply.Data, &saved); err != nil {
		fail(fmt.Errorf("reading what was saved: %w", err), "")
		return
	}
	file := saved.Video
	if file == nil && saved.VideoError == nil {
		file = saved.Routine
	}
	if file == nil {
		fail(protocol.NewError(protocol.CodeNotRunning, "nothing was sent: there is no video", ""), "the routine is saved; the reply says where")
		return
	}
	d.file = file.Path
	if err := d.deliver(ctx); err != nil {
		fail(err, "the recording is saved: `curl -T FILE ADDRESS` sends it again")
		return
	}
	reply.Text += fmt.Sprintf("\n%s has got %s", d.to.Host, d.file)
}
