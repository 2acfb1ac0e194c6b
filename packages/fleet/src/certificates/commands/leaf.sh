# Arguments of every script on a leaf: its folder, the name of its file, who reads it, the unit to reload or nothing.
directory=$1 file=$1/$2 owner=$3 unit=$4
# Beside a file that its reader has not been told of yet.
pending=$file.pending
