# digest source
# Arguments: after those of checkout.sh, the path of a database that is carried by itself, or nothing.
leave_out "$1"
enter
require_proven "./$name"
claim "./$name"
found=$(content "./$name") && [ -n "$found" ] || say failed
field digest "$found"
say read
