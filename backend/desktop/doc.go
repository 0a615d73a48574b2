// Package desktop uses services of the user's desktop: show a notification, start the
// app at login, open a folder or a page.
package desktop
