package question

import "pilotfish/backend/protocol"

// May returns what a rule about a kind of action lets agents do, as a phrase
// after "agents may".
func May(kind protocol.ActionKind) string {
	switch kind {
	case protocol.ActionOpen:
		return "open pages"
	case protocol.ActionAct:
		return "use pages"
	case protocol.ActionEval:
		return "run JavaScript"
	case protocol.ActionCookies:
		return "read and change cookies and stored data"
	case protocol.ActionDownload:
		return "download files"
	case protocol.ActionUpload:
		return "upload files"
	case protocol.ActionClipboard:
		return "use the clipboard"
	case protocol.ActionPermissions:
		return "change what the site may use, such as the camera"
	case protocol.ActionSecret:
		return "use your secrets"
	case protocol.ActionSend:
		return "send or publish things"
	case protocol.ActionPay:
		return "pay and place orders"
	case protocol.ActionDelete:
		return "delete things"
	case protocol.ActionSignIn:
		return "send forms with a password"
	case protocol.ActionData:
		return "enter data"
	case protocol.ActionTool:
		return "use their own tools"
	case protocol.ActionSensitive:
	}
	return "do sensitive things"
}
