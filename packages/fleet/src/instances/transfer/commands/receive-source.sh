# receive source
# Arguments: after those of checkout.sh, the path of a database that is carried by itself, or nothing. Reads an archive. What it
# had received before is deleted first.
leave_out "$1"
problem=$(mkdir -p -- "$root" 2>&1) || blame root-unusable "$problem" "$root"
[ -w "$root" ] && cd -P -- "$root" || say root-unusable
make_project_folder
enter
exists "./$name" && say occupied
! proven "$work" || claim "$work"
erase "$work" || { exists "$work" && say occupied; }
mkdir -- "$work" "$work/.git" && mark "$work" || blame failed '' .
# A receiver that outlives its connection is waited for: it deletes what it could not receive whole.
claim "$work"
problem=$(tar --extract --preserve-permissions --xattrs --no-same-owner --file=- --directory="$work" 2>&1) || { erase "$work"; blame failed "$problem" .; }
found=$(content "$work") && [ -n "$found" ] || { erase "$work"; blame failed '' .; }
flush_storage "$work" || blame failed '' .
field digest "$found"
say received
