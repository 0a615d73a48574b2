package server

// DecodePanelMessage is decodePanelMessage, for the fuzz test.
var DecodePanelMessage = decodePanelMessage
