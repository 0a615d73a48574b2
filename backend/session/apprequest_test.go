package session

import (
	"fmt"
	"testing"

	"pilotfish/backend/protocol"
)

// A question names everything that the request does. Nobody is asked about a request that
// only reads.
func TestDescribedRequests(t *testing.T) {
	for _, c := range []struct {
		got  []protocol.ApprovalArg
		want string
	}{
		{describeApp(protocol.AppRequest{Action: protocol.AppStatus}), "[]"},
		{describeApp(protocol.AppRequest{Action: protocol.AppShow}), "[]"},
		{describeApp(protocol.AppRequest{Action: protocol.AppStop}), "[{action stop} {session default}]"},
		{describeApp(protocol.AppRequest{Action: protocol.AppStart, Session: "work", Identity: &protocol.SessionIdentity{UserAgent: "Ada"}}), "[{action start} {session work} {user_agent Ada}]"},
		{describeClients(protocol.ClientsRequest{Do: protocol.ClientsList}), "[]"},
		{describeClients(protocol.ClientsRequest{Do: protocol.ClientsRevoke, ID: "a1b2"}), "[{action clients} {session default} {revoke a1b2}]"},
		{describeClients(protocol.ClientsRequest{}), "[{action clients} {session default} { }]"},
		{describeStored(protocol.StoredRequest{Do: protocol.StoredMeasure}), "[]"},
		{describeStored(protocol.StoredRequest{Do: protocol.StoredDelete, Kind: "logs", Session: "other"}), "[{action stored} {session default} {data logs} {data of other}]"},
		{describeSchedules(protocol.ScheduleRequest{Do: "list"}), "[]"},
		{describeSchedules(protocol.ScheduleRequest{Do: "pause", Name: "daily"}), "[{action pause} {schedule daily}]"},
		{describeSchedules(protocol.ScheduleRequest{Do: "add", Schedule: &protocol.Schedule{Name: "daily"}}), "[{action add} {schedule daily}]"},
	} {
		if got := fmt.Sprint(c.got); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// What cannot start leaves no session in the list.
func TestNoSessionWithoutItsBrowser(t *testing.T) {
	h := newFixture(t)
	req := protocol.AppRequest{Identity: &protocol.SessionIdentity{Browser: protocol.BrowserIn + "nobody"}}
	if _, err := startAs(t.Context(), h.m, "new", req); protocol.AsError(err).Code != protocol.CodeUnknownSession {
		t.Errorf("in the browser of no session: %v", err)
	}
	if _, err := h.m.Session("new"); err == nil {
		t.Error("there is a session that cannot start")
	}
}
