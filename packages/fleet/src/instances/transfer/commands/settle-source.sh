# settle source
# Arguments: after those of checkout.sh, the place that it was at, the application directory. Gives what was received and compared its
# name.
enter
if exists "./$name"; then proven "./$name" && say settled; say occupied; fi
proven "$work" || say foreign
(cd "$work" && tame && rehome "$1" "${root%/}/$folder/$name" "$2") || say failed
settle "$work" "./$name" || { exists "./$name" && say occupied; say failed; }
flush_storage . || say failed
say settled
