// Package signins imports the sign-ins of other browsers on this machine. The browser
// that wrote the cookies also reads them: its cookie store, and what unlocks it, are
// copied into a private folder, the same program is started on the copy without a
// window and asked over its pipe, and the folder is removed. So there is no
// cryptography and no file format here. Values go over the pipes from one browser to
// the other, and nowhere else.
package signins
