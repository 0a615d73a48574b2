package main

import "log/slog"

// wailsLogger writes Wails' messages to our log. They are made for a console,
// so the message is an attribute.
type wailsLogger struct{ log *slog.Logger }

func (l wailsLogger) Print(message string)   { l.log.Info("wails said", "text", message) }
func (l wailsLogger) Trace(message string)   { l.log.Debug("wails said", "text", message) }
func (l wailsLogger) Debug(message string)   { l.log.Debug("wails said", "text", message) }
func (l wailsLogger) Info(message string)    { l.log.Info("wails said", "text", message) }
func (l wailsLogger) Warning(message string) { l.log.Warn("wails said", "text", message) }
func (l wailsLogger) Error(message string)   { l.log.Error("wails said", "text", message) }
func (l wailsLogger) Fatal(message string)   { l.log.Error("wails said", "text", message) }
