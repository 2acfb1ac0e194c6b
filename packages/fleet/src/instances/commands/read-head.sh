# read head
# Arguments: those of checkout.sh. The origin is not contacted.
enter
require_proven "./$name"
cd "./$name" || say foreign
tame
field head "$(g symbolic-ref -q HEAD)"
say read
