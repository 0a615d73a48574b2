package recording

import (
	"context"
	"time"

	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// EndRecording ends a recording and keeps it, so that it can be saved in several forms
// before DiscardRecording.
func (rs *Recordings) EndRecording(ctx context.Context, by protocol.Caller, id protocol.TabID) (protocol.Recording, error) {
	k := rs.tabs.Kept(id)
	r, err := rs.found(k, id)
	if err != nil {
		return protocol.Recording{}, err
	}
	if err := rs.end(ctx, by, id, k, r); err != nil {
		return protocol.Recording{}, err
	}
	return rs.Recording(ctx, id)
}

// SaveVideo writes the video of a recording, which ends if it still runs and is kept.
// format is "webm", "gif" or "avi".
func (rs *Recordings) SaveVideo(ctx context.Context, by protocol.Caller, id protocol.TabID, format string) (protocol.SavedFile, error) {
	k := rs.tabs.Kept(id)
	r, err := rs.found(k, id)
	if err != nil {
		return protocol.SavedFile{}, err
	}
	if r.video == nil {
		return protocol.SavedFile{}, protocol.NewError(protocol.CodeBadArgument, "the recording of "+string(id)+" has no video", "", protocol.Try("records one, too", "record", "start", "--video", format))
	}
	if err := rs.end(ctx, by, id, k, r); err != nil {
		return protocol.SavedFile{}, err
	}
	return r.video.save(ctx, k.Session(), rs.config.Folder, id, format)
}

// DiscardRecording removes a recording. What was saved of it stays.
func (rs *Recordings) DiscardRecording(ctx context.Context, id protocol.TabID) error {
	k := rs.tabs.Kept(id)
	r, err := rs.found(k, id)
	if err != nil {
		return err
	}
	if err := k.Stop(ctx, feature); err != nil {
		return err
	}
	rs.states.drop(id)
	if r.video != nil {
		r.video.discard()
	}
	return nil
}

func (rs *Recordings) found(k *watch.Keeper, id protocol.TabID) (*recorder, error) {
	r, ok := watch.Get[*recorder](k, feature)
	if !ok {
		return nil, protocol.NewError(protocol.CodeBadArgument, "no recording of "+string(id)+" runs", "", protocol.Try("begins one", "record", "start"))
	}
	return r, nil
}

// end makes a recording take no more steps and screenshots. It stays with its tab.
func (rs *Recordings) end(ctx context.Context, by protocol.Caller, id protocol.TabID, k *watch.Keeper, r *recorder) error {
	if r.isHeld() {
		return nil
	}
	s := k.Session()
	if s != nil {
		r.flush(ctx, s)
		if r.video != nil && r.video.count() == 0 {
			// Without a screenshot there is no video, which is reported when it is saved.
			_ = rs.still(ctx, by, id, r.video)
		}
	}
	if err := k.CatchUp(ctx); err != nil {
		return rs.tabs.Explain(ctx, id, err)
	}
	r.mu.Lock()
	r.held = true
	r.mu.Unlock()
	if r.video != nil {
		r.video.close()
	}
	if s != nil {
		r.End(ctx, s)
	}
	rs.states.end(id)
	return nil
}

func (r *recorder) isHeld() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held
}

// close ends the film's time.
func (f *film) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.total == 0 {
		f.total = time.Since(f.began)
	}
}
