#!/bin/sh
# Stands for a coding agent in the pictures of the README: does the job of the scenario that `init` makes, for nothing.
# `fast` does not read what is missing from the parcel; `strong` does.
model=$1
echo "$ stock --help" && stock --help
echo "$ stock add lamps 5" && stock add lamps 5
echo "$ stock add plugs 12" && stock add plugs 12
if [ "$model" = fast ]; then echo "$ stock add cables 4" && stock add cables 4; fi
echo 'Pieces: 30' >report.md
sleep 1
