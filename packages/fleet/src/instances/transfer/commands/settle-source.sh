# settle source
# Arguments: those of checkout.sh. Gives what was received and compared its name.
enter
if exists "./$name"; then proven "./$name" && say settled; say occupied; fi
proven "$work" || say foreign
settle "$work" "./$name" || { exists "./$name" && say occupied; say failed; }
flush_storage . || say failed
say settled
