// Package llm reaches the models that carry out tasks. It keeps a profile for
// each way to a model, its key in the system's keychain, and forwards a request
// of the panel with the key added: the key never enters the browser.
package llm
