package main

import (
	"context"
	"log/slog"
	"os"
)

func main() {
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil)).With("component", "tray")
	if err := run(context.Background(), os.Stdin, os.Stdout, logger); err != nil {
		logger.Error("tray ended", "error", err)
		os.Exit(1)
	}
}
