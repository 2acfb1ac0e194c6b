# read head
# Arguments: those of checkout.sh. The origin is not contacted.
enter
proven "./$name" || say foreign
cd "./$name" || say foreign
tame
field head "$(g symbolic-ref -q HEAD)"
say read
