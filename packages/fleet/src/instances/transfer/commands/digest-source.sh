# digest source
# Arguments: after those of checkout.sh, the path of a database that is carried by itself, or nothing.
leave_out "$1"
enter
proven "./$name" || say foreign
claim "./$name"
found=$(content "./$name") && [ -n "$found" ] || say failed
field digest "$found"
say read
