# look at the executable
# Arguments: the folder of the executable, the link that people type.
directory=$1 link=$2
executable_state
