# digest source
# Arguments: those of checkout.sh.
enter
proven "./$name" || say foreign
claim "./$name"
found=$(content "./$name") && [ -n "$found" ] || say failed
field digest "$found"
say read
