package session

import (
	"fmt"
	"slices"
	"testing"

	"pilotfish/backend/protocol"
)

func TestOnlyReads(t *testing.T) {
	for _, c := range []struct {
		req  protocol.AppRequest
		want bool
	}{
		{protocol.AppRequest{Action: protocol.AppStatus}, true},
		{protocol.AppRequest{Action: protocol.AppShow}, true},
		{protocol.AppRequest{Action: protocol.AppStop}, false},
		{protocol.AppRequest{Action: protocol.AppClients}, false},
		{protocol.AppRequest{Action: protocol.AppClients, Clients: &protocol.ClientsRequest{Do: protocol.ClientsList}}, true},
		{protocol.AppRequest{Action: protocol.AppClients, Clients: &protocol.ClientsRequest{Do: protocol.ClientsRevoke, ID: "a"}}, false},
		{protocol.AppRequest{Action: protocol.AppStored, Stored: &protocol.StoredRequest{Do: protocol.StoredMeasure}}, true},
		{protocol.AppRequest{Action: protocol.AppStored, Stored: &protocol.StoredRequest{Do: protocol.StoredDelete}}, false},
	} {
		if got := onlyReads(c.req); got != c.want {
			t.Errorf("%+v only reads: %t", c.req, got)
		}
	}
}

// The question names everything that the request does.
func TestDescribeRequest(t *testing.T) {
	args := describeRequest("work", protocol.AppRequest{
		Action: protocol.AppStored, Identity: &protocol.SessionIdentity{UserAgent: "Ada"},
		Stored: &protocol.StoredRequest{Do: protocol.StoredDelete, Kind: "logs", Session: "other"},
	})
	got := map[string]string{}
	for _, arg := range args {
		got[arg.Name] = arg.Value
	}
	for name, want := range map[string]string{"action": "stored", "session": "work", "data": "logs", "data of": "other"} {
		if got[name] != want {
			t.Errorf("%s is %q in %v", name, got[name], got)
		}
	}
	if len(args) != 5 {
		t.Errorf("the identity is not in %s", fmt.Sprint(args))
	}
	revoked := describeRequest("work", protocol.AppRequest{
		Action: protocol.AppClients, Clients: &protocol.ClientsRequest{Do: protocol.ClientsRevoke, ID: "a1b2"},
	})
	if want := (protocol.ApprovalArg{Name: "revoke", Value: "a1b2"}); !slices.Contains(revoked, want) {
		t.Errorf("the revoked client is not in %v", revoked)
	}
	if plain := describeRequest("work", protocol.AppRequest{Action: protocol.AppStop}); len(plain) != 2 {
		t.Errorf("of a stop: %v", plain)
	}
}
