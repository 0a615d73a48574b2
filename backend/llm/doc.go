// Package llm connects to the models that carry out tasks. It keeps the model
// profiles, with their keys in the system's keychain, and forwards requests of
// the panel with the key added, so that the key never enters the browser.
package llm
