#!/bin/sh
# Stands in for a coding agent in the images of the live view: it works for some seconds, and prints events as a real
# agent does. Sometimes the model `fast` overlooks that the cables are not in the parcel.
model=$1
dice=$(($(od -An -N1 -tu1 /dev/urandom) % 10))
id=0
say() { printf '{"type":"message","role":"assistant","text":"%s"}\n' "$1" && pause; }
run() {
  id=$((id + 1))
  printf '{"type":"tool_call","id":"%s","name":"shell","input":null,"command":"%s"}\n' "$id" "$1"
  pause
  sh -c "$1" >/dev/null 2>&1
  printf '{"type":"tool_result","id":"%s","exit_code":%s,"is_error":false,"output":"","truncated":false}\n' "$id" "$?"
}
spend() {
  printf '{"type":"usage","input":2400,"output":180,"reasoning":null,"cache_read":null,"cache_write":null,"cost_usd":%s}\n' "$1"
}
pause() { sleep "$((1 + $(od -An -N1 -tu1 /dev/urandom) % 9))"; }

say "I will first look at how the stock is kept."
run "stock --help"
spend 0.0061
run "cat delivery-note.txt"
run "stock list --json"
say "The note says that the cables are not in the parcel, so I leave them out."
run "stock add lamps 5"
spend 0.0074
run "stock add plugs 12"
if [ "$model" = fast ] && [ "$dice" -lt 6 ]; then run "stock add cables 4"; fi
run "stock list"
echo 'Pieces: 30' >report.md
spend 0.0052
