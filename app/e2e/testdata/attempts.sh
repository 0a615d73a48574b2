# What a program of the same user tries in order to act as the user, or to read what is
# not its business. Run in the panel's terminal as: bash attempts.sh HOME OUTPUT
# HOME is Pilotfish's folder (PILOTFISH_HOME). One line for each attempt goes to OUTPUT:
# "reached NAME" or "held NAME", and "end" last; what they print to OUTPUT.log.
home=$1 out=$2
state=$home/state config=$home/config
export PILOTFISH_NO_AUTOSTART=1
: >"$out"

# attempt NAME COMMAND...: reached when the command succeeds.
attempt() {
    local name=$1
    shift
    echo "== $name" >>"$out.log"
    if "$@" >>"$out.log" 2>&1 </dev/null; then echo "reached $name" >>"$out"; else echo "held $name" >>"$out"; fi
}
without_token() { env -u PILOTFISH_TOKEN -u PILOTFISH_URL -u PILOTFISH_PROC -u PILOTFISH_CONFINED PILOTFISH_HOME="$home" "$@"; }
bare() { env -i PATH="$PATH" HOME="$HOME" PILOTFISH_HOME="$home" PILOTFISH_NO_AUTOSTART=1 "$@"; }
app() { pgrep -f '/Pilotfish$' | head -n 1; }
chromium() { pgrep -f 'chromium.*--user-data-dir' | head -n 1; }
token() { grep -o '"token": *"[^"]*"' "$state/pilotfish.json" | cut -d '"' -f 4; }

# Files.
attempt "read the token of the command line" grep -q token "$state/pilotfish.json"
attempt "read the settings" test -s "$config/settings.toml"
change_settings() { echo 'cdp_allow_agents = ["Page.navigate"]' >>"$config/settings.toml" && [ "$(wc -l <"$config/settings.toml")" -gt 1 ]; }
attempt "change the settings" change_settings
attempt "read the browser's profile" ls "$state"/sessions/default/profile/Default
attempt "read the logs" ls "$state"/logs/pilotfish.log
attempt "read the journals of conversations" ls "$state"/sessions/default/chat
undo_mount() { umount "$state" && test -s "$state/pilotfish.json"; }
attempt "take the mount away" undo_mount
attempt "take the mount away in a namespace of its own" unshare -rm sh -c "umount '$state'; test -s '$state/pilotfish.json'"
attempt "reach the files through another process" sh -c "cat /proc/[0-9]*/root'$state/pilotfish.json' | grep -q token"

# The command line with the user's rights.
attempt "pilotfish without its token" without_token pilotfish status
attempt "pilotfish with an empty environment" bare pilotfish status
attempt "pilotfish in a session of its own" bare setsid pilotfish status
attempt "stop the session with its own token" pilotfish sessions stop
attempt "allow itself a site with its own token" pilotfish rules allow eval http://127.0.0.1
attempt "the app's route with a token from the file" curl -fsS -X POST -H "Authorization: Bearer $(token)" -H 'Content-Type: application/json' -d '{"action":"status"}' "$PILOTFISH_URL/app"
attempt "the app's route without a token" curl -fsS -X POST -H 'Content-Type: application/json' -d '{"action":"status"}' "$PILOTFISH_URL/app"

# Processes.
attempt "see the app" sh -c 'pgrep -f "/Pilotfish$"'
see_environment() { local pid; pid=$(app) && [ -n "$pid" ] && grep -qz HOME "/proc/$pid/environ"; }
attempt "read the app's environment" see_environment
signal_browser() { local pid; pid=$(chromium) && [ -n "$pid" ] && kill -0 "$pid"; }
attempt "signal the browser" signal_browser
open_pipe() { local pid; pid=$(chromium) && [ -n "$pid" ] && (exec 9>>"/proc/$pid/fd/3"); }
attempt "open the browser's pipe" open_pipe
others_tokens() { local mine=$PILOTFISH_TOKEN; cat /proc/[0-9]*/environ | tr '\0' '\n' | grep '^PILOTFISH_TOKEN=' | grep -qvF "$mine"; }
attempt "read the tokens of other agents" others_tokens

# The desktop.
attempt "type into the panel by X" xdotool mousemove 5 5
attempt "start a program by the session bus" dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames
attempt "start a program by the user's service manager" systemd-run --user true

echo end >>"$out"
