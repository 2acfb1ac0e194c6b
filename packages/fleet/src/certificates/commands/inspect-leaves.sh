# inspect certificates
# Arguments: the files.
print_leaves "$@"
