#!/bin/sh
# Draws the tray's icons, one per protocol.TrayIcon, as SVG and PNG. The shape is
# the pilot fish of ../pilotfish.svg with three stripes instead of five, because
# five are not distinguishable at 22 pixels. A light rim keeps it visible on a
# dark panel. A state never depends on colour alone: stopped is a hollow fish, and
# the other states differ by the shape of their badge. Needs rsvg-convert
# (librsvg2-bin). Run it by hand after changing the shapes.
set -eu
cd "$(dirname "$0")"
out=../../../app/tray/icons

body='M21.2 9.6 C18.6 4 12 2.6 6.4 7.6 L1.2 3.2 C2.8 7.2 2.8 12 1.2 16 L6.4 11.6 C12 16.6 18.6 15.2 21.2 9.6 Z'

fish() { # fill, rim
	printf '<path d="%s" fill="%s" stroke="%s" stroke-width="1.1" stroke-linejoin="round"/>' "$body" "$1" "$2"
}
stripes='<g fill="#eafffb"><path d="M8.4 6.5 h1.5 v6.2 h-1.5z"/><path d="M11.5 5.2 h1.5 v8.8 h-1.5z"/><path d="M14.6 5.5 h1.5 v8.2 h-1.5z"/></g><circle cx="18.4" cy="8.6" r=".85" fill="#eafffb"/>'
hollow=$(printf '<path d="%s" fill="none" stroke="#f5f5f5" stroke-width="2.6" stroke-linejoin="round"/><path d="%s" fill="none" stroke="#6b7280" stroke-width="1.5" stroke-linejoin="round"/>' "$body" "$body")
# Disc with a triangle: working. Triangle with an exclamation mark: needs the
# user. Square with a cross: error.
working='<circle cx="16" cy="16" r="6" fill="#fff"/><circle cx="16" cy="16" r="5.2" fill="#1d4ed8"/><path d="M14.3 13 v6 l5-3z" fill="#fff"/>'
needs='<path d="M15.2 7.9 L22 21.6 H8.4 Z" fill="#fff" stroke="#fff" stroke-width=".8" stroke-linejoin="round"/><path d="M15.2 9.6 L20.8 20.9 H9.6 Z" fill="#f59e0b" stroke="#f59e0b" stroke-width=".6" stroke-linejoin="round"/><path d="M14.3 12.6 h1.8 l-.3 4.4 h-1.2z M14.3 18 h1.8 v1.7 h-1.8z" fill="#1a1200"/>'
error='<rect x="9.6" y="9.6" width="12.4" height="12.4" rx="1.6" fill="#fff"/><rect x="10.4" y="10.4" width="10.8" height="10.8" rx="1.2" fill="#dc2626"/><path d="M13.2 13.2 L18.4 18.4 M18.4 13.2 L13.2 18.4" stroke="#fff" stroke-width="2" stroke-linecap="round"/>'

draw() { # name, content
	printf '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22">%s</svg>\n' "$2" >"$1.svg"
	rsvg-convert -w 44 -h 44 -o "$out/$1.png" "$1.svg"
}
swim="$(fish '#0b7a75' '#f0fffd')$stripes"
draw stopped "<g transform=\"translate(0 1.4)\">$hollow</g>"
draw running "<g transform=\"translate(0 1.4)\">$swim</g>"
draw working "$swim$working"
draw needs_you "$swim$needs"
draw error "$swim$error"
