# shellcheck shell=sh
directory=$1 link=$2
executable_state
