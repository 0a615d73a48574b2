// Package config defines where the app's files are on this machine (Dirs) and stores
// the user's settings (Store). Folders have mode 0700 and files 0600. A file is
// written atomically and contains a version.
package config
