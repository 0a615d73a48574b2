package fakes

import (
	"context"
	"encoding/json"
	"time"

	"pilotfish/backend/protocol"
)

// schedules has one schedule with runs, and what is added.
func schedules(_ context.Context, body []byte) (any, error) {
	var req protocol.ScheduleRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, err
	}
	at := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	tea := protocol.Schedule{
		Name: "tea", What: protocol.ScheduleWhat{Routine: "buy", Params: map[string]string{"shop": "a\x1b[31m"}, Start: "https://a.example"},
		When: protocol.ScheduleWhen{Page: "https://shop.example/tea", Selector: ".price", EverySeconds: 1800}, Session: "default", StartSession: true,
		MaxMinutes: 15, MaxSteps: 9, MaxTokens: 5000, Notify: protocol.ScheduleNotifyFailure, Next: &at, Runs: []protocol.ScheduleRun{
			{State: protocol.ScheduleMissed, Reason: "page", Began: at, Missed: 3, Message: "the session is not running"},
			{State: protocol.ScheduleDone, Reason: "page", Began: at, DurationMS: 1234, Task: "t-1", File: "/in/a.csv", Message: "bought\x1b[31m"},
		},
	}
	reply := protocol.ScheduleReply{Schedules: []protocol.Schedule{tea}}
	switch {
	case req.Do == "remove":
		reply.Schedules = []protocol.Schedule{}
	case req.Schedule != nil:
		reply.Schedules = append(reply.Schedules, *req.Schedule)
	case req.Name == "unknown":
		return nil, protocol.NewError(protocol.CodeBadArgument, `there is no schedule "unknown"`, "", protocol.Try("lists them", "schedule"))
	}
	return reply, nil
}
