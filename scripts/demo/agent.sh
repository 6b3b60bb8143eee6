#!/bin/sh
# Stands in for a coding agent in the images of the README: it performs the task of the scenario that `init` creates.
# The model `fast` overlooks that the cables are not in the parcel; `strong` does not.
model=$1
echo "$ stock --help" && stock --help
echo "$ stock add lamps 5" && stock add lamps 5
echo "$ stock add plugs 12" && stock add plugs 12
if [ "$model" = fast ]; then echo "$ stock add cables 4" && stock add cables 4; fi
echo 'Pieces: 30' >report.md
sleep 1
