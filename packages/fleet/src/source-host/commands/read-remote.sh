# read remote
# Arguments: those of Git. Standard input: the login.
read_login
with_login git "$@"
