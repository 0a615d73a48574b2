# Reads a page with a secret in every way that an agent has. Run in the panel's terminal
# as: bash readback.sh OUTPUT. What each way says goes to OUTPUT after a line "== NAME".
# The last line is "end".
out=$1
: >"$out"
# way NAME COMMAND...: a way to read. What it prints goes to OUTPUT.
way() {
    local name=$1
    shift
    echo "== $name" >>"$out"
    pilotfish "$@" >>"$out" 2>&1 </dev/null
    echo "-- $?" >>"$out"
}
way snapshot snapshot
way "snapshot --full" snapshot --full
way "the whole text" text
way markdown markdown
way html html
way forms forms
way tables tables
way data data
way "find what is in a field" find 'swordfish'
way inspect inspect '#pass'
way "inspect the card" inspect '#card'
way a11y a11y
way css css '#pass' --computed
way console console
way dialogs dialogs
way network network
for n in $(pilotfish network --method POST | grep -o '\bn[0-9]*\b' | sort -u); do
    way "network show $n" network show "$n"
    way "network body $n" network body "$n"
done
way "an error of a command" wait text 'swordfish-never' --timeout 300ms
way "fill again" fill '#name' ada
way focus focus '#pass'
way "copy it with the keyboard" press Control+a
way "copy it with the keyboard, 2" press Control+c
way "paste it in the open" press Control+v --target '#notes'
way "the field that it was pasted into" forms
way "stop the recording" record stop login
way "list the routines" run
way activity activity --limit 200
way har network har --bodies
way archive archive
way "picture of the password" screenshot --element '#pass'
way "eval without an answer" eval 'pass.value' --timeout 500ms
echo end >>"$out"
