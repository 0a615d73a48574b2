// Package desktop asks the person's desktop for what it alone can do: show a
// notification, start the app at login, open a folder or a page.
package desktop
