package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"

	"pilotfish/backend/instance"
	"pilotfish/backend/protocol"
)

// askToShow asks the running app to show its window, and returns
// errAlreadyRunning when it did. Any other error is meant for the user.
func askToShow(ctx context.Context, endpointFile string) error {
	endpoint, err := instance.ReadEndpoint(endpointFile)
	if err != nil {
		// The other instance holds the lock and has no endpoint file yet: it is
		// still starting, and will show its window by itself.
		return errAlreadyRunning
	}
	if endpoint.Headless {
		return protocol.NewError(protocol.CodeBusy, "Pilotfish is running without a window",
			"end `pilotfish serve --headless` first")
	}
	ctx, cancel := context.WithTimeout(ctx, showTimeout)
	defer cancel()
	if err := postShow(ctx, endpoint); err != nil {
		return protocol.NewError(protocol.CodeTimeout, fmt.Sprintf("Pilotfish is running, and does not answer (%v)", err),
			fmt.Sprintf("end process %d, then start it again", endpoint.PID))
	}
	return errAlreadyRunning
}

// postShow sends POST /app to the running app.
func postShow(ctx context.Context, endpoint protocol.Endpoint) error {
	body, err := json.Marshal(protocol.AppRequest{Action: protocol.AppShow})
	if err != nil {
		return fmt.Errorf("encoding the request: %w", err)
	}
	url := "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(endpoint.Port)) + "/app"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("making the request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+endpoint.Token)
	req.Header.Set("Content-Type", "application/json")
	// No proxy from the environment: only the app may see the token.
	client := &http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("asking it: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("asking it: %s", resp.Status)
	}
	return nil
}
